/**
 * JSON rows of decisions for the command line: one object per group, including rejected groups. null:
 * unknown.
 */
import type { RocBasis } from '../../shared/api/rocRows.ts';
import type { GroupDecision } from '../../shared/domain/resample.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { type PoolRun, poolOfStep, problemsOfStep, responseReader } from '../storage/queries/pool.ts';
import { decideStep, penaltiesOf } from './decideStep.ts';

interface DecisionRow {
  readonly rollout_id: number;
  readonly ordinal: number;
  readonly reward: number | null;
  readonly p_err: number | null;
  readonly p_format: number | null;
  /** Sum of the penalty parts that the settings use. */
  readonly penalty: number | null;
  /** null when undecidable, and under `paper`, which only has probabilities. */
  readonly kept: boolean | null;
  readonly reason: string | null;
  readonly inclusion: number | null;
  readonly advantage: number | null;
}

interface DecidedGroup {
  readonly group_id: number;
  /** null when the log has no steps. */
  readonly step: number | null;
  readonly problem_id: string;
  /** Rollouts in the pool. */
  readonly n: number;
  readonly rule: string;
  readonly rollouts: readonly DecisionRow[];
}

export interface DecidedStep {
  readonly groups: readonly DecidedGroup[];
  /** The reason of each undecided group, once per group. */
  readonly undecided: readonly string[];
}

const WHY = {
  reward_unknown: 'a reward is unknown',
  penalty_unknown: 'a penalty needed for the ranking is unknown',
};

function undecidedReason({ outcome, why, assertion }: GroupDecision): string | undefined {
  if (outcome === 'assertion') return assertion ?? 'the release stops here';
  return outcome === 'undecidable' && why !== undefined ? WHY[why] : undefined;
}

/** @returns the groups of one step in batch order */
export function decidedGroups(db: ReadableLibrary, run: PoolRun, step: number, basis: RocBasis): DecidedStep {
  const batch = poolOfStep(db, run.runId, step);
  const problems = problemsOfStep(db, run.runId, step);
  const decisions = decideStep(batch, basis, responseReader(db));
  const undecided = decisions.flatMap((decision) => undecidedReason(decision) ?? []);
  const groups = batch.map((all, i): DecidedGroup => {
    // Rows beyond the group size are not in the pool.
    const records = all.slice(0, basis.groupSize);
    const groupId = records[0]?.groupId ?? 0;
    return {
      group_id: groupId,
      step: run.hasSteps ? step : null,
      problem_id: problems.get(groupId) ?? '',
      n: records.length,
      rule: basis.rule,
      rollouts: records.map((record, j): DecisionRow => {
        const row = decisions[i]?.rows[j];
        const [pErr, pFormat] = penaltiesOf(record, basis.penalty);
        return {
          rollout_id: record.rolloutId,
          ordinal: record.ordinal,
          reward: record.reward,
          p_err: pErr,
          p_format: pFormat,
          penalty: row?.penalty ?? null,
          kept: row?.kept ?? null,
          reason: row?.reason ?? null,
          inclusion: row?.inclusion ?? null,
          advantage: row?.advantage ?? null,
        };
      }),
    };
  });
  return { groups, undecided };
}
