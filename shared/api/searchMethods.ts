/** Searching the texts of all rollouts. */
import { z } from 'zod';
import { LONGEST_FILTER } from '../domain/filter/parse.ts';
import { id } from './paramTypes.ts';
import type { RolloutHits, SearchPage, SearchState } from './searchRows.ts';

/** A filter; its words are what is looked for and marked. */
const query = z.string().max(LONGEST_FILTER);

export const SEARCH_PARAMS = {
  /**
   * The next rollouts that match: newest run first, newest step first, groups in the order of the log. Answers
   * within a fraction of a second with what it has found by then; asked again from `next` until that is absent.
   */
  'search.page': z.object({
    query,
    runId: id.optional(),
    step: id.optional(),
    after: z.object({ runId: id, step: id, groupId: id, index: z.int(), rolloutId: id }).optional(),
    /** Rollouts. */
    limit: z.int().positive().max(500).default(50),
  }),
  /** Every place of the query's words in one rollout, for going from one to the next. */
  'search.hits': z.object({ query, rolloutId: id }),
  /** How far the index of all texts has come. */
  'search.state': z.object({}),
} as const;

export interface SearchResults {
  'search.page': SearchPage;
  'search.hits': RolloutHits;
  'search.state': SearchState;
}
