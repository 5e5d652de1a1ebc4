/**
 * The threads that answer what lists and charts ask: a list does not wait behind a chart, and neither behind a filter
 * with a regular expression, for which texts are read.
 */
import { textNodesOf } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import type { WorkerOptions } from '../worker/messages.ts';
import { AnalysisThread } from './analysisThread.ts';

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

/** Regular expressions of a filter; none of one that cannot be read. */
export function patternsOf(filter: string): readonly string[] {
  const read = readFilter(filter);
  if (!read.ok) return [];
  return textNodesOf(read.node).flatMap(({ form, text }) => (form === 'regex' ? [text] : []));
}
