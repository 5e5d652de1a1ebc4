import type { StepSummary } from '../../../shared/api/contract.ts';
import { count, counted } from '../../ui/numbers.ts';

/** What the badge of a held list of ids says. */
export function freshRows(held: ArrayLike<number>, latest: ArrayLike<number>): string {
  const more = latest.length - held.length;
  return more > 0 ? `${count(more)} new` : 'the list has changed';
}

/** What the badge of the held step table says: new steps, else new rollouts in known ones. */
export function freshSteps(held: readonly StepSummary[], latest: readonly StepSummary[]): string {
  const known = new Set(held.map(({ step }) => step));
  const steps = latest.filter(({ step }) => !known.has(step)).length;
  if (steps > 0) return counted(steps, 'new step');
  const total = (rows: readonly StepSummary[]) => rows.reduce((sum, { rollouts }) => sum + rollouts, 0);
  const rollouts = total(latest) - total(held);
  return rollouts > 0 ? counted(rollouts, 'new rollout') : 'the steps have changed';
}

export const newestStep = (rows: readonly Pick<StepSummary, 'step'>[]): number | undefined =>
  rows.length === 0 ? undefined : Math.max(...rows.map(({ step }) => step));
