/** Handlers of what lists and charts ask under a filter: each question goes to the thread that has the columns for it. */
import type { Method, ParsedParams, ResultOf } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import type { OnProgress } from './analysisThread.ts';
import type { Browses } from './browseThreads.ts';

const BROWSE_METHODS = [
  'step.series',
  'step.schedule',
  'run.latencies',
  'eval.summary',
  'problem.map',
  'problem.suspects',
  'problem.disputed',
  'filter.read',
  'filter.values',
] as const satisfies readonly Method[];
type BrowseMethod = (typeof BROWSE_METHODS)[number];
type BrowseHandlers = {
  [M in BrowseMethod]: (params: ParsedParams<M>, signal?: AbortSignal) => Promise<Result<ResultOf<M>>>;
};

export interface BrowseServices {
  readonly listing: Browses;
  readonly charting: Browses;
  progressFor(progressKey: string | undefined): OnProgress;
}

export function browseHandlers({ listing, charting, progressFor }: BrowseServices): BrowseHandlers {
  return {
    'step.series': ({ progressKey, ...question }, signal) =>
      charting.browse({ about: 'series', ...question }, progressFor(progressKey), signal),
    'step.schedule': ({ progressKey, ...question }, signal) =>
      charting.browse({ about: 'schedule', ...question }, progressFor(progressKey), signal),
    'run.latencies': ({ progressKey, ...question }, signal) =>
      charting.browse({ about: 'latencies', ...question }, progressFor(progressKey), signal),
    'eval.summary': ({ progressKey, ...question }, signal) =>
      charting.browse({ about: 'evaluation', ...question }, progressFor(progressKey), signal),
    'problem.map': ({ progressKey, ...question }, signal) =>
      charting.browse({ about: 'problems', ...question }, progressFor(progressKey), signal),
    'problem.suspects': ({ progressKey, ...question }, signal) =>
      charting.browse({ about: 'suspects', ...question }, progressFor(progressKey), signal),
    'problem.disputed': ({ progressKey, ...question }, signal) =>
      charting.browse({ about: 'disputed', ...question }, progressFor(progressKey), signal),
    'filter.read': (question, signal) =>
      listing.browse({ about: 'filter', ...question }, progressFor(undefined), signal),
    'filter.values': (question, signal) =>
      listing.browse({ about: 'values', ...question }, progressFor(undefined), signal),
  };
}
