import { useMemo } from 'react';
import type { StepSummary } from '../../../shared/api/contract.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useStepSeries } from '../../data/useStepSeries.ts';
import { count, counted } from '../../ui/numbers.ts';
import { rowOfFacts, type StepRow } from './stepRows.ts';

export interface MatchingSteps {
  /** Steps in which something matches; undefined: there is no filter, or its answer is not here. */
  readonly rows: readonly StepRow[] | undefined;
  /** What the table is of; undefined: of all rollouts, as without a filter. */
  readonly note: ((rows: readonly StepRow[], all: readonly StepSummary[]) => string) | undefined;
}

/** What the charts show under the filter of the page, as rows: both are one answer of the host. */
export function useMatchingSteps(runId: number): MatchingSteps {
  const filter = useFilterLink().applied;
  const isFiltered = filter !== '';
  const { answers, isComputing, isStopped, isFormer } = useStepSeries(isFiltered ? [{ runId }] : [], filter);
  const facts = isFormer ? undefined : answers[0];
  const rows = useMemo(
    () => facts?.filter(({ rollouts }) => rollouts > 0).map((step) => rowOfFacts(step)),
    [facts],
  );
  if (!isFiltered) return { rows: undefined, note: undefined };
  if (rows !== undefined) return { rows, note: matchNote };
  const state = isStopped ? 'Stopped' : isComputing ? 'Looking…' : 'The filter has no answer';
  return { rows: undefined, note: () => `${state}: until then of all rollouts of each step` };
}

function matchNote(rows: readonly StepRow[], all: readonly StepSummary[]): string {
  const sum = (of: readonly { readonly rollouts: number }[]) =>
    of.reduce((total, { rollouts }) => total + rollouts, 0);
  return `Of the rollouts that match: ${count(sum(rows))} of ${counted(sum(all), 'rollout')}, in ${count(rows.length)} of ${counted(all.length, 'step')}`;
}
