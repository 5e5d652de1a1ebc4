/** Parameter types that several methods share. */
import { z } from 'zod';
import { LONGEST_FILTER } from '../domain/filter/parse.ts';

export const id = z.int().nonnegative();
/** The beginning of a path. System calls throw on NUL. */
export const pathPrefix = z
  .string()
  .max(4096)
  .refine((path) => !path.includes('\0'), 'a path cannot contain a NUL character');
export const path = pathPrefix.min(1);
export const direction = z.enum(['ascending', 'descending']);
/**
 * A filter in the language of `shared/domain/filter`. A syntax error is a `bad_request` with its position.
 */
export const filter = z.string().max(LONGEST_FILTER).default('');
/** Names a long-running request in `analysis.progress`. */
export const progressKey = z.string().max(100).optional();
/** In a browser: the host writes a temporary file, which the page can download once (`shared/api/download.ts`). */
export const isDownload = z.boolean().default(false);
/** A step of a run. */
export const stepPlace = z.object({ runId: id, step: id });
/** Address of a rollout in links. */
export const rolloutAddress = z.object({ runKey: z.string(), step: id, groupKey: z.string(), ordinal: id });
/** A run by id, or by its key from a link. */
export const runOf = { runId: id.optional(), runKey: z.string().optional() };
