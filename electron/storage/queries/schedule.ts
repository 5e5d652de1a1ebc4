/** Schedule data of a step that is not in its columns. */
import type { ReadableLibrary } from '../open.ts';
import { number, orNull, query, text } from '../rows.ts';

export interface CacheUse {
  readonly gpu: string | null;
  /** JSON: a fraction, samples, or pairs of time and sample. */
  readonly kvCache: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

interface StepPlace {
  readonly runId: number;
  readonly step: number;
}

export const CACHE_USES = `
  SELECT t.gpu, t.kv_cache AS kvCache, r.started_at AS startedAt,
    coalesce(r.ended_at, r.started_at + t.duration_ms / 1000) AS endedAt
  FROM rollout_row r JOIN timing_row t ON t.rollout_id = r.rollout_id
  WHERE r.run_id = ? AND r.step = ? AND t.kv_cache IS NOT NULL`;

export function cacheUses(db: ReadableLibrary, { runId, step }: StepPlace): readonly CacheUse[] {
  return query<CacheUse>(db, CACHE_USES, {
    gpu: orNull(text),
    kvCache: text,
    startedAt: orNull(number),
    endedAt: orNull(number),
  }).all(runId, step);
}
