/** Parts that params of several methods share. */
import { z } from 'zod';
import { LONGEST_FILTER } from '../domain/filter/parse.ts';

export const id = z.int().nonnegative();
export const direction = z.enum(['ascending', 'descending']);
/** In the language of `shared/domain/filter`; a fault is a `bad_request` that says where. */
export const filter = z.string().max(LONGEST_FILTER).default('');
/** Names a long question in `analysis.progress`. */
export const progressKey = z.string().max(100).optional();
/** A rollout as links name it. */
export const rolloutAddress = z.object({ runKey: z.string(), step: id, groupKey: z.string(), ordinal: id });
/** A run by id or by the key that links have. */
export const runOf = { runId: id.optional(), runKey: z.string().optional() };
