/**
 * The threads that answer what lists and charts ask: a list does not wait behind a chart, and neither behind a filter
 * with a regular expression, for which texts are read.
 */
import type { Method, ParsedParams } from '../../shared/api/contract.ts';
import { textNodesOf } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import type { WorkerOptions } from '../worker/messages.ts';
import { AnalysisThread, type BrowseQuestion } from './analysisThread.ts';

export type Browses = Pick<AnalysisThread, 'browse'>;

export class BrowseThreads {
  readonly listing: Browses;
  readonly charting: Browses;
  private readonly threads: readonly AnalysisThread[];

  constructor(options: WorkerOptions) {
    const [lists, charts, patterns] = [1, 2, 3].map(() => new AnalysisThread(options)) as [
      AnalysisThread,
      AnalysisThread,
      AnalysisThread,
    ];
    this.threads = [lists, charts, patterns];
    this.listing = beside(lists, patterns);
    this.charting = beside(charts, patterns);
  }

  async close(): Promise<void> {
    for (const thread of this.threads) await thread.close();
  }
}

function beside(thread: AnalysisThread, patterns: AnalysisThread): Browses {
  return {
    browse: (question, onProgress, signal) => {
      const hasPattern = 'filter' in question && patternsOf(question.filter).length > 0;
      return (hasPattern ? patterns : thread).browse(question, onProgress, signal);
    },
  };
}

/**
 * Lists that rows would be too slow for: under a filter, or of all rollouts of a run.
 *
 * @param params as the contract has them for the method
 * @returns undefined: the rows answer
 */
export function columnQuestion(
  method: Method,
  params: unknown,
): { readonly question: BrowseQuestion; readonly progressKey: string | undefined } | undefined {
  if (method === 'group.order') {
    const { progressKey, ...question } = params as ParsedParams<'group.order'>;
    if (question.filter.trim() === '') return undefined;
    return { question: { about: 'groups', ...question }, progressKey };
  }
  if (method !== 'rollout.order') return undefined;
  const { progressKey, ...question } = params as ParsedParams<'rollout.order'>;
  const isOfRun = question.step === undefined && question.groupId === undefined;
  if (question.filter.trim() === '' && !isOfRun) return undefined;
  return { question: { about: 'rollouts', ...question }, progressKey };
}

/** Regular expressions of a filter; none of one that cannot be read. */
export function patternsOf(filter: string): readonly string[] {
  const read = readFilter(filter);
  if (!read.ok) return [];
  return textNodesOf(read.node).flatMap(({ form, text }) => (form === 'regex' ? [text] : []));
}
