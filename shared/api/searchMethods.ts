/** Searching the texts of all rollouts. */
import { z } from 'zod';
import { LONGEST_FILTER } from '../domain/filter/parse.ts';
import { defineMethod, resultOf } from './method.ts';
import { id } from './paramTypes.ts';
import type { RolloutHits, SearchPage, SearchState } from './searchRows.ts';

/** A filter; its words are what is looked for and marked. */
const query = z.string().max(LONGEST_FILTER);

export const SEARCH_METHODS = {
  /**
   * The next rollouts that match: newest run first, newest step first, groups in the order of the log. Answers
   * within a fraction of a second with what it has found by then; asked again from `next` until that is absent.
   */
  'search.page': defineMethod({
    params: z.object({
      query,
      runId: id.optional(),
      step: id.optional(),
      after: z.object({ runId: id, step: id, groupId: id, ordinal: z.int(), rolloutId: id }).optional(),
      /** Rollouts. */
      limit: z.int().positive().max(500).default(50),
    }),
    result: resultOf<SearchPage>(),
    runsOn: 'search',
  }),
  /** Every place of the query's words in one rollout, for going from one to the next. */
  'search.hits': defineMethod({
    params: z.object({ query, rolloutId: id }),
    result: resultOf<RolloutHits>(),
    runsOn: 'search',
  }),
  /** How far the index of all texts has come. */
  'search.state': defineMethod({ params: z.object({}), result: resultOf<SearchState>(), runsOn: 'reader' }),
} as const;
