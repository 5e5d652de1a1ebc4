/** Runs of the warehouse that the host was started with, and their steps that this library does not have. */
import { useMemo } from 'react';
import type { StepSummary, WarehouseRun } from '../../shared/api/contract.ts';
import { type UseRequestOptions, useRequest } from './useRequest.ts';

/** Whether the user has named a warehouse. */
export const useHasWarehouse = (): boolean => useRequest('host.info', {}).data?.hasWarehouse === true;

interface RunElsewhere {
  /** The run in the warehouse, if its steps may be copied here. */
  readonly there: WarehouseRun | undefined;
  /** The run in the warehouse, if this library shows it from its own logs. */
  readonly beside: WarehouseRun | undefined;
  readonly isAsking: boolean;
  /** Why the warehouse could not be asked. */
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

export function useRunElsewhere(runKey: string | undefined): RunElsewhere {
  const { runs, ...rest } = useRunsElsewhere();
  const found = runs.find(({ run }) => run === runKey);
  return {
    ...(found?.isOwn === true ? { there: undefined, beside: found } : { there: found, beside: undefined }),
    ...rest,
  };
}

const NO_RUNS: readonly WarehouseRun[] = [];

/** All runs of the warehouse; none while it is asked. */
export function useRunsElsewhere(): Pick<RunElsewhere, 'isAsking' | 'error' | 'refetch'> & {
  readonly runs: readonly WarehouseRun[];
} {
  const hasWarehouse = useHasWarehouse();
  const { data, isPending, error, refetch } = useRequest('warehouse.runs', hasWarehouse ? {} : undefined);
  return { runs: data?.runs ?? NO_RUNS, isAsking: hasWarehouse && isPending, error, refetch };
}

export interface StepsOfRun {
  /** Ascending; those here and those in the warehouse. Undefined: those here are loading. */
  readonly all: readonly StepSummary[] | undefined;
  /** Steps that are in the warehouse and not here, or here in another form than there. */
  readonly elsewhere: ReadonlySet<number>;
  /** Steps of which nothing is here. */
  readonly missing: ReadonlySet<number>;
  /** Steps that were sent again since they were copied, with what identifies the new form. */
  readonly replaced: ReadonlyMap<number, string>;
  /** Why the steps here could not be listed. */
  readonly error: Error | null;
  /** Why the warehouse could not be asked. */
  readonly warehouseError: Error | null;
  /** The warehouse may have more steps. */
  readonly isAsking: boolean;
  /** The warehouse has the run, and its steps may be copied. */
  readonly isThere: boolean;
  /** False: the run has no steps in the warehouse, and is copied as a whole. */
  readonly hasSteps: boolean;
  readonly refetch: () => void;
  readonly askAgain: () => void;
}

const NONE: ReadonlySet<number> = new Set();
const NOT_REPLACED: ReadonlyMap<number, string> = new Map();

/** By what is logged. What is derived may differ between versions. */
function isSame(here: StepSummary | undefined, there: StepSummary): boolean {
  if (here?.rollouts !== there.rollouts || here.kept !== there.kept || here.decided !== there.decided)
    return false;
  const [a, b] = [here.meanReward, there.meanReward];
  if (a === undefined || b === undefined) return a === b;
  // Sums in another order differ in the last digits.
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a));
}

/**
 * @param runKey absent: not known yet
 * @param runId absent: the run is not in this library, or not known yet
 * @param isFresh asks the warehouse again whenever a component mounts, because no event reports what is sent to it
 */
export function useSteps(
  runKey: string | undefined,
  runId: number | undefined,
  { isFresh = false }: Pick<UseRequestOptions, 'isFresh'> = {},
): StepsOfRun {
  const here = useRequest('step.list', runId === undefined ? undefined : { runId });
  const elsewhere = useRunElsewhere(runKey);
  const there = useRequest('warehouse.steps', elsewhere.there && { run: elsewhere.there.run, filter: '' }, {
    isFresh,
  });
  const isAsking = elsewhere.isAsking || (elsewhere.there !== undefined && there.isPending);
  const hasSteps = elsewhere.there?.steps !== 0;
  const isThere = elsewhere.there !== undefined;
  return useMemo(() => {
    const rest = {
      isAsking,
      hasSteps,
      isThere,
      error: here.error,
      warehouseError: elsewhere.error ?? there.error,
      refetch: () => void here.refetch(),
      askAgain: () => void (elsewhere.error === null ? there.refetch() : elsewhere.refetch()),
    };
    const known = here.data ?? (runId === undefined ? [] : undefined);
    if (known === undefined || there.data === undefined)
      return { all: known, elsewhere: NONE, missing: NONE, replaced: NOT_REPLACED, ...rest };
    const all = new Map(known.map((summary) => [summary.step, summary]));
    const differing = there.data.filter(
      ({ summary, replacedBy }) => replacedBy !== undefined || !isSame(all.get(summary.step), summary),
    );
    const replaced = differing.flatMap(({ summary, replacedBy }) =>
      replacedBy === undefined ? [] : [[summary.step, replacedBy] as const],
    );
    const steps = differing.map(({ summary }) => summary.step);
    const missing = new Set(steps.filter((step) => !all.has(step)));
    for (const { summary } of differing) all.set(summary.step, summary);
    return {
      all: [...all.values()].sort((a, b) => a.step - b.step),
      elsewhere: new Set(steps),
      missing,
      replaced: new Map(replaced),
      ...rest,
    };
  }, [
    runId,
    isAsking,
    hasSteps,
    isThere,
    here.data,
    here.error,
    here.refetch,
    there.data,
    there.error,
    there.refetch,
    elsewhere.error,
    elsewhere.refetch,
  ]);
}
