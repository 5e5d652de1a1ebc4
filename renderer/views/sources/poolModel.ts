/** Two logs of the same training: the pool, and the list of kept rollouts. */
import type { RunSources, RunSummary } from '../../../shared/api/contract.ts';
import { counted, percent, ratio } from '../../ui/numbers.ts';

/** The role of this run in relation to the other. */
export type PoolRole = 'pool' | 'kept';

export type PoolJoin = RunSources['poolJoins'][number];

export const roleIn = (join: PoolJoin, runKey: string): PoolRole =>
  join.poolKey === runKey ? 'pool' : 'kept';

/** The run at the other end of a join. */
export function otherOf(join: PoolJoin, runKey: string): { readonly runKey: string; readonly name: string } {
  return roleIn(join, runKey) === 'pool'
    ? { runKey: join.keptKey, name: join.keptName }
    : { runKey: join.poolKey, name: join.poolName };
}

/** The keys of both runs for a chosen role. */
export function keysOf(runKey: string, otherKey: string, role: PoolRole): PoolKeys {
  return role === 'pool' ? { poolKey: runKey, keptKey: otherKey } : { poolKey: otherKey, keptKey: runKey };
}

export interface PoolKeys {
  readonly poolKey: string;
  readonly keptKey: string;
}

/** `96 of 192 rollouts decided, 96 found in the list`. */
export function joinText({ matched, decided }: Pick<PoolJoin, 'matched' | 'decided'>): string {
  if (decided === 0) return 'No step is in both logs, so there are no decisions.';
  const share = percent(ratio(matched, decided), 0);
  return `${counted(decided, 'rollout')} decided: ${counted(matched, 'is', 'are')} in the list and kept (${share} %), the others discarded.`;
}

/** Runs that can be the other log, except this one and those joined with it. Runs in nearby directories come first. */
export function candidates(runs: readonly RunSummary[], sources: RunSources): readonly RunSummary[] {
  const joined = new Set(sources.poolJoins.map((join) => otherOf(join, sources.runKey).runKey));
  const near = new Set(sources.neighbours.map((one) => one.runKey));
  const rank = ({ runKey, kind }: RunSummary) => (near.has(runKey) ? 0 : kind === 'train' ? 1 : 2);
  return runs
    .filter(({ runKey }) => runKey !== sources.runKey && !joined.has(runKey))
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

type Sized = Pick<RunSummary, 'rollouts' | 'steps'>;

/** The log with more rollouts per step is probably the pool. The user can change that. */
export function likelyRole(run: Sized, other: Sized): PoolRole {
  const perStep = ({ rollouts, steps }: Sized) => rollouts / Math.max(1, steps);
  return perStep(run) >= perStep(other) ? 'pool' : 'kept';
}

/** `verl, 96 rollouts in 3 steps`. */
export function sizeText(run: Pick<RunSummary, 'format' | 'rollouts' | 'steps' | 'hasSteps'>): string {
  const steps = run.hasSteps ? ` in ${counted(run.steps, 'step')}` : '';
  return `${run.format}, ${counted(run.rollouts, 'rollout')}${steps}`;
}
