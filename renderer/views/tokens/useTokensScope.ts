/** The scope of the page: a run, a step, a group or a rollout, with its siblings and parents. */
import type { RunDetail } from '../../../shared/api/contract.ts';
import { type ScopeLevel, tokensRouteOf } from '../../data/route.ts';
import { useNeighbourGroup, useNeighbourRollout } from '../../data/useNeighbours.ts';
import { usePage } from '../../data/usePage.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo } from '../../data/useRoute.ts';
import type { TokenScope } from '../../data/useTokenStatistics.ts';

export interface TokensAddress {
  readonly runKey: string;
  readonly step?: number;
  readonly groupKey?: string;
  readonly ordinal?: number;
}

export interface TokensScope {
  readonly level: ScopeLevel;
  readonly run: RunDetail | undefined;
  /** Undefined while loading. */
  readonly scope: TokenScope | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  /** Undefined while unknown. */
  readonly steps: readonly number[] | undefined;
  /** Goes to the next or previous scope of the same kind, with the same settings. */
  readonly goToSibling: ((by: number) => void) | undefined;
}

function levelOf({ step, groupKey, ordinal }: TokensAddress): ScopeLevel {
  if (ordinal !== undefined) return 'rollout';
  if (groupKey !== undefined) return 'group';
  return step === undefined ? 'run' : 'step';
}

export function useTokensScope(address: TokensAddress): TokensScope {
  const { runKey, step, groupKey, ordinal } = address;
  const level = levelOf(address);
  const isNarrow = level === 'group' || level === 'rollout';
  const run = useRequest('run.get', { runKey });
  const runId = run.data?.runId;
  const steps = useRequest('step.list', runId === undefined ? undefined : { runId });
  const resolved = usePage(isNarrow ? { runKey, step, groupKey, ordinal } : undefined);
  const { groupId, rolloutId } = resolved.data ?? {};
  const inStep = runId === undefined || step === undefined ? undefined : { runId, step };
  const groups = useRequest('group.order', level === 'group' ? inStep : undefined).data?.ids;
  const rollouts = useRequest(
    'rollout.order',
    level === 'rollout' && inStep !== undefined && groupId !== undefined ? { ...inStep, groupId } : undefined,
  ).data?.ids;
  const goToGroup = useNeighbourGroup(groups, groupId);
  const goToRollout = useNeighbourRollout(rollouts, rolloutId);
  const go = (to: TokensAddress) => goTo(tokensRouteOf(to), globalThis.location.search);
  const siblings: Readonly<Record<ScopeLevel, ((by: number) => void) | undefined>> = {
    run: undefined,
    step: (by) => {
      const at = steps.data?.findIndex((row) => row.step === step) ?? -1;
      const next = at < 0 ? undefined : steps.data?.[at + by];
      if (next !== undefined) go({ runKey, step: next.step });
    },
    group: (by) => goToGroup(by, (row) => go({ ...address, groupKey: row.groupKey })),
    rollout: (by) => goToRollout(by, (row) => go({ ...address, ordinal: row.ordinal })),
  };
  return {
    level,
    run: run.data,
    scope: scopeOf(level, { runId, step, groupId, rolloutId }),
    error: run.error ?? resolved.error,
    retry: () => void (run.error === null ? resolved : run).refetch(),
    steps: steps.data?.map((row) => row.step),
    goToSibling: siblings[level],
  };
}

interface Ids {
  readonly runId: number | undefined;
  readonly step: number | undefined;
  readonly groupId: number | undefined;
  readonly rolloutId: number | undefined;
}

function scopeOf(level: ScopeLevel, { runId, step, groupId, rolloutId }: Ids): TokenScope | undefined {
  if (runId === undefined) return undefined;
  switch (level) {
    case 'run':
      return { runId };
    case 'step':
      return step === undefined ? undefined : { runId, step };
    case 'group':
      return groupId === undefined ? undefined : { runId, groupId };
    case 'rollout':
      return rolloutId === undefined ? undefined : { runId, rolloutId };
  }
}
