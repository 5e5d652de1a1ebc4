import type { RolloutRow } from '../../shared/api/contract.ts';

/** Who said that a rollout is right or wrong. */
export function correctnessSource(
  row: Pick<RolloutRow, 'isCorrect' | 'correctSource' | 'reward'>,
): string | undefined {
  if (row.isCorrect === undefined) return undefined;
  if (row.correctSource === 'derived')
    return row.isCorrect
      ? 'derived: answer equals ground truth'
      : 'derived: answer differs from ground truth';
  if (row.correctSource === 'logged') return 'logged';
  return row.reward === undefined ? undefined : 'by the reward';
}
