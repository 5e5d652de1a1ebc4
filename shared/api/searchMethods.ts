/** Searching the texts of all rollouts. */
import { z } from 'zod';
import { LONGEST_FILTER } from '../domain/filter/parse.ts';
import { defineMethod, resultOf } from './method.ts';
import { id } from './paramTypes.ts';
import type { RolloutHits, SearchCount, SearchPage, SearchState } from './searchRows.ts';

/** A filter whose words are searched for and marked. */
const query = z.string().max(LONGEST_FILTER);
/** Cursor of the previous answer, which this one continues. */
const after = z.object({ runId: id, step: id, groupId: id, ordinal: z.int(), rolloutId: id }).optional();

export const SEARCH_METHODS = {
  /**
   * The next rollouts that match: newest run first, newest step first, groups in the order of the log.
   * Returns within a fraction of a second with the matches found by then. The caller continues from `next`
   * until it is absent.
   */
  'search.page': defineMethod({
    params: z.object({
      query,
      runId: id.optional(),
      step: id.optional(),
      after,
      /** Maximum number of rollouts. */
      limit: z.int().positive().max(500).default(50),
    }),
    result: resultOf<SearchPage>(),
    runsOn: 'search',
  }),
  /**
   * Counts the rollouts that match, by run. Returns within a fraction of a second with the count of the rollouts
   * passed by then. The caller adds the counts from `next` on until it is absent.
   */
  'search.count': defineMethod({
    params: z.object({ query, runId: id.optional(), step: id.optional(), after }),
    result: resultOf<SearchCount>(),
    runsOn: 'search',
  }),
  /** Every occurrence of the query's words in one rollout, for stepping through them. */
  'search.hits': defineMethod({
    params: z.object({ query, rolloutId: id }),
    result: resultOf<RolloutHits>(),
    runsOn: 'search',
  }),
  /** Progress of the full-text index. */
  'search.state': defineMethod({ params: z.object({}), result: resultOf<SearchState>(), runsOn: 'reader' }),
} as const;
