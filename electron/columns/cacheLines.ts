/** KV cache usage of each GPU over time, from the values that its rollouts logged. */

import { tryParseJson } from '../../shared/domain/parseJson.ts';
import { kvCacheOf } from '../../shared/format/timing.ts';
import type { CacheUse } from '../storage/queries/schedule.ts';

/** If there are more points than a screen has pixel columns, they are averaged per interval. */
const MOST_POINTS = 2000;

export interface CacheLine {
  readonly gpu?: string;
  /** Seconds since 1970. */
  readonly at: Float64Array;
  readonly share: Float32Array;
}

/** A single number is placed at the end of its rollout, samples at equal distances. */
export function cacheLines(uses: readonly CacheUse[]): readonly CacheLine[] {
  const byGpu = new Map<string | null, Point[]>();
  for (const { gpu, kvCache, startedAt, endedAt } of uses) {
    const points = byGpu.get(gpu) ?? [];
    byGpu.set(gpu, points);
    for (const point of pointsOf(kvCache, startedAt, endedAt)) points.push(point);
  }
  return [...byGpu]
    .filter(([, points]) => points.length > 0)
    .sort(([a], [b]) => (a ?? '\uffff').localeCompare(b ?? '\uffff', 'en', { numeric: true }))
    .map(([gpu, points]) => {
      const drawn = thinned(points.sort(([a], [b]) => a - b));
      return {
        ...(gpu === null ? {} : { gpu }),
        at: Float64Array.from(drawn, ([at]) => at),
        share: Float32Array.from(drawn, ([, share]) => share),
      };
    });
}

type Point = readonly [at: number, share: number];

function pointsOf(json: string, start: number | null, end: number | null): readonly Point[] {
  const use = kvCacheOf(tryParseJson(json));
  if (use === undefined) return [];
  if (typeof use === 'number') return end === null ? [] : [[end, use]];
  return use.flatMap((entry, i): readonly Point[] => {
    if (typeof entry !== 'number') return [entry];
    if (start === null || end === null) return [];
    return [[use.length === 1 ? end : start + ((end - start) * i) / (use.length - 1), entry]];
  });
}

function thinned(sorted: readonly Point[]): readonly Point[] {
  const [first] = sorted;
  const last = sorted.at(-1);
  if (sorted.length <= MOST_POINTS || first === undefined || last === undefined) return sorted;
  const width = (last[0] - first[0]) / MOST_POINTS || 1;
  const parts: { at: number; share: number; count: number; part: number }[] = [];
  for (const [at, share] of sorted) {
    const part = Math.floor((at - first[0]) / width);
    const open = parts.at(-1);
    if (open === undefined || open.part !== part) parts.push({ at, share, count: 1, part });
    else {
      open.at += at;
      open.share += share;
      open.count++;
    }
  }
  return parts.map(({ at, share, count }) => [at / count, share / count]);
}
