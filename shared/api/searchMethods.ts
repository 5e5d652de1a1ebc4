/** Searching the texts of all rollouts. */
import { z } from 'zod';
import { LONGEST_FILTER } from '../domain/filter/parse.ts';
import { defineMethod, resultOf } from './method.ts';
import { id } from './paramTypes.ts';
import type { RolloutHits, SearchPage, SearchState } from './searchRows.ts';

/** A filter whose words are searched for and marked. */
const query = z.string().max(LONGEST_FILTER);

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
      after: z.object({ runId: id, step: id, groupId: id, ordinal: z.int(), rolloutId: id }).optional(),
      /** Maximum number of rollouts. */
      limit: z.int().positive().max(500).default(50),
    }),
    result: resultOf<SearchPage>(),
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
