/** Logged metrics, each beside the value recomputed from the rollouts. */
import type { EvaluationPanel } from '../../../shared/api/contract.ts';
import type { LoggedEvaluation, LoggedScore } from '../../../shared/format/loggedEvaluation.ts';
import { counted } from '../../ui/numbers.ts';

export interface ResultRow {
  readonly scorer: string;
  readonly metric: string;
  readonly logged: string;
  /** Absent: not recomputed. */
  readonly recomputed?: string;
  /** The rollouts that the recomputed value averages, or why it is unknown. */
  readonly from: string;
  readonly differs: boolean;
}

/** The log does not round, so a larger difference is not due to the order of summation. */
const SAME = 1e-9;

/** @param panels over all rollouts of the run, without a filter */
export function resultRows(
  logged: LoggedEvaluation,
  panels: readonly EvaluationPanel[],
): readonly ResultRow[] {
  return logged.scores.flatMap((score) => {
    const reason = whyNot(logged, score, panels);
    const mean = panels[0]?.points[0]?.meanReward;
    return score.metrics.map(({ name, value, params }): ResultRow => {
      const row = { scorer: scorerName(score), metric: name, logged: figure(value), differs: false };
      if (reason !== undefined) return { ...row, from: reason };
      const own = recomputedValue(name, params, mean);
      if (mean === undefined || own === undefined) return { ...row, from: 'not recomputed' };
      return {
        ...row,
        recomputed: figure(own),
        from: `${name === 'stderr' ? 'standard error' : 'mean score'} over ${counted(mean.problems, 'problem')}${hasEpochs(panels) ? ', epochs averaged' : ''}`,
        differs: Math.abs(own - value) > SAME,
      };
    });
  });
}

/** Whether some problem has several rollouts. */
const hasEpochs = (panels: readonly EvaluationPanel[]): boolean =>
  panels.some(({ points }) => points.some(({ mostSamples }) => mostSamples > 1));

const scorerName = ({ scorer, reducer }: LoggedScore): string =>
  reducer === undefined ? scorer : `${scorer} · ${reducer}`;

function whyNot(
  { mainScorer, reducers }: LoggedEvaluation,
  { scorer, reducer }: LoggedScore,
  panels: readonly EvaluationPanel[],
): string | undefined {
  if (mainScorer !== undefined && scorer !== mainScorer)
    return 'not recomputed: the reward is the score of another scorer';
  if ((reducer ?? 'mean') !== 'mean' || reducers.some((each) => each !== 'mean'))
    return 'not recomputed: the epochs are not averaged';
  const isOne = panels.length === 1 && panels[0]?.points.length === 1;
  return isOne || panels.length === 0 ? undefined : 'not recomputed: the run holds several evaluations';
}

/**
 * Inspect's `accuracy` and `mean` are the mean of the scores. Its `stderr` is the standard error of that mean, unless
 * it is clustered.
 */
function recomputedValue(
  metric: string,
  params: Readonly<Record<string, unknown>>,
  mean: { readonly mean: number; readonly stderr?: number } | undefined,
): number | undefined {
  if (metric === 'accuracy' || metric === 'mean') return mean?.mean;
  return metric === 'stderr' && (params['cluster'] ?? null) === null ? mean?.stderr : undefined;
}

/** As many digits as the comparison needs. */
const figure = (value: number): string => String(Number(value.toPrecision(6)));
