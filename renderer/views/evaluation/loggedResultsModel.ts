/** Logged metrics and sample counts, each beside the value from the rollouts. */
import type { EvaluationPanel, LoggedRetries, RunSummary } from '../../../shared/api/contract.ts';
import type { LoggedEvaluation, LoggedScore } from '../../../shared/format/loggedEvaluation.ts';
import { count, counted, figure } from '../../ui/numbers.ts';

export interface ResultRow {
  readonly scorer: string;
  readonly metric: string;
  /** Absent: the log has no number. */
  readonly logged?: number;
  /** Absent: not recomputed. */
  readonly recomputed?: number;
  /** The rollouts that the recomputed value averages, or why it is unknown. */
  readonly from: string;
  readonly differs: boolean;
}

export interface SampleRow {
  readonly name: string;
  /** Absent: not logged. */
  readonly logged?: number;
  /** Absent: not counted yet. */
  readonly read?: number;
  /** The counted rollouts or groups, and the difference if there is one. */
  readonly from: string;
  readonly differs: boolean;
  /** The logged number is still being counted. */
  readonly isReading?: boolean;
}

/** In place of a logged number. */
export const NO_NUMBER = 'no number';

/**
 * @param failed rollouts of the run that ended with an error
 * @param retried undefined until it is known
 */
export function sampleRows(
  { samples: { dataset, total, completed, selection } }: LoggedEvaluation,
  { rollouts, groups }: Pick<RunSummary, 'rollouts' | 'groups'>,
  failed: number | undefined,
  retried: LoggedRetries | undefined,
): readonly SampleRow[] {
  const row = (name: string, logged: number | undefined, read: number | undefined, from: string) =>
    logged === undefined ? [] : [sampleRow(name, logged, read, from)];
  const ended = failed === undefined ? undefined : rollouts - failed;
  const all = row('samples, with epochs', total, rollouts, 'rollouts');
  const complete = row('completed samples', completed, ended, 'rollouts that did not end with an error');
  const others = [errorRow(total, completed, failed), ...retryRows(retried)];
  // With a selection, the log does not say how many samples of the data set were to run.
  if (dataset === undefined || selection === undefined || groups > dataset)
    return [...all, ...complete, ...row('samples of the data set', dataset, groups, 'groups'), ...others];
  const from = `groups; the log selects samples of the data set (${selection})`;
  const name = 'samples of the data set';
  return [...all, ...complete, { name, logged: dataset, read: groups, from, differs: false }, ...others];
}

function errorRow(
  total: number | undefined,
  completed: number | undefined,
  failed: number | undefined,
): SampleRow {
  const name = 'samples with an error';
  const from = 'rollouts that ended with an error';
  if (total !== undefined && completed !== undefined && completed <= total)
    return sampleRow(
      name,
      total - completed,
      failed,
      `${from}; logged: all samples without the completed ones`,
    );
  return { name, ...(failed === undefined ? {} : { read: failed }), from, differs: false };
}

function retryRows(retried: LoggedRetries | undefined): readonly SampleRow[] {
  if (retried === undefined)
    return ['retries of model calls', 'retries of samples'].map((name) => ({
      name,
      from: 'reading the samples…',
      isReading: true,
      differs: false,
    }));
  const { calls, attempts } = retried;
  const from = (what: string, samples: number) => `${what} of ${counted(samples, 'sample')}`;
  return [
    {
      name: 'retries of model calls',
      // Inspect writes no number for a call that was not retried, nor did versions that did not count retries.
      ...(calls === undefined || calls.retries === 0 ? {} : { logged: calls.retries }),
      from: calls === undefined ? 'no sample logs events' : from('events', calls.samples),
      differs: false,
    },
    {
      name: 'retries of samples',
      ...(attempts === undefined ? {} : { logged: attempts.retries }),
      from:
        attempts === undefined
          ? 'no sample logs earlier attempts'
          : from('earlier attempts', attempts.samples),
      differs: false,
    },
  ];
}

function sampleRow(name: string, logged: number, read: number | undefined, from: string): SampleRow {
  if (read === undefined) return { name, logged, from, differs: false };
  const difference = Math.abs(logged - read);
  const side = read < logged ? 'fewer' : 'more';
  return difference === 0
    ? { name, logged, read, from, differs: false }
    : { name, logged, read, from: `${from}: ${count(difference)} ${side} than logged`, differs: true };
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
      const row = { scorer: scorerName(score), metric: name, differs: false };
      if (value === undefined) return { ...row, from: 'the log has NaN, Infinity or nothing in its place' };
      if (reason !== undefined) return { ...row, logged: value, from: reason };
      const own = recomputedValue(name, params, mean);
      if (mean === undefined || own === undefined)
        return { ...row, logged: value, from: whyNotMetric(name, params, mean, panels.length > 0) };
      return {
        ...row,
        logged: value,
        recomputed: own,
        from: `${name === 'stderr' ? 'standard error' : 'mean score'} over ${counted(mean.problems, 'problem')}${hasEpochs(panels) ? ', epochs averaged' : ''}`,
        differs: Math.abs(own - value) > SAME,
      };
    });
  });
}

/** A metric with its standard error, as text: `0.7 (standard error 0.153)`. Intervals of 95 % are written with ±. */
export interface Headline {
  readonly scorer: string;
  readonly metric: string;
  readonly logged: string;
  /** Absent: not recomputed. */
  readonly recomputed?: string;
}

/** The accuracy or mean of each scorer, with the standard error beside it. */
export function headlinesOf(rows: readonly ResultRow[]): readonly Headline[] {
  const errors = new Map(rows.flatMap((row) => (row.metric === 'stderr' ? [[row.scorer, row]] : [])));
  return rows.flatMap(({ scorer, metric, logged, recomputed }) => {
    if (metric !== 'accuracy' && metric !== 'mean') return [];
    const error = errors.get(scorer);
    return [
      {
        ...{ scorer, metric, logged: logged === undefined ? NO_NUMBER : withError(logged, error?.logged) },
        ...(recomputed === undefined ? {} : { recomputed: withError(recomputed, error?.recomputed) }),
      },
    ];
  });
}

const withError = (value: number, error: number | undefined): string =>
  error === undefined ? short(value) : `${short(value)} (standard error ${short(error)})`;

/** Three digits, but a large number is not rounded before its point. */
const short = (value: number): string =>
  figure(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));

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

/** @param isKnown false while the rewards are still being read */
function whyNotMetric(
  metric: string,
  params: Readonly<Record<string, unknown>>,
  mean: { readonly problems: number } | undefined,
  isKnown: boolean,
): string {
  if (!isKnown) return 'not recomputed';
  if (mean === undefined) return 'not recomputed: no rollout has a reward';
  if (metric !== 'stderr') return 'not recomputed: not a metric that Turnwise computes';
  if (isClustered(params)) return 'not recomputed: the standard error is clustered';
  return mean.problems === 1
    ? 'not recomputed: one problem has no standard error'
    : 'not recomputed: the standard error is unknown';
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
  return metric === 'stderr' && !isClustered(params) ? mean?.stderr : undefined;
}

const isClustered = (params: Readonly<Record<string, unknown>>): boolean =>
  (params['cluster'] ?? null) !== null;
