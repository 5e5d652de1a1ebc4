/** Logged timing and worker of a rollout. Nothing is derived. */
import type { KvCacheUse, RolloutTiming } from '../domain/model.ts';
import { dateOf, idOf, numberOf } from './fields.ts';

/** A duration or a wait: a non-negative number, else unknown. */
export function durationOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return number === undefined || number < 0 ? undefined : number;
}

/** @returns an empty object if no field is known, so that the rollout has no timing */
export function timingOf(fields: {
  readonly durationMs?: unknown;
  readonly worker?: unknown;
  readonly gpu?: unknown;
  readonly kvCache?: unknown;
}): { readonly timing?: RolloutTiming } {
  const durationMs = durationOf(fields.durationMs);
  const worker = idOf(fields.worker);
  const gpu = gpuOf(fields.gpu);
  const kvCache = kvCacheOf(fields.kvCache);
  if (durationMs === undefined && worker === undefined && gpu === undefined && kvCache === undefined)
    return {};
  return {
    timing: {
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(worker === undefined ? {} : { worker }),
      ...(gpu === undefined ? {} : { gpu }),
      ...(kvCache === undefined ? {} : { kvCache }),
    },
  };
}

/** Joins the names if an engine runs on several GPUs. */
function gpuOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return idOf(value);
  const ids = value.map(idOf);
  return ids.length === 0 || ids.includes(undefined) ? undefined : ids.join('+');
}

/**
 * As in `turnwise.schema.json`: a share, samples, or pairs of a time and a sample. Mixed lists are ignored.
 */
export function kvCacheOf(value: unknown): KvCacheUse | undefined {
  if (!Array.isArray(value)) return numberOf(value);
  if (value.length === 0) return undefined;
  const samples = value.flatMap((entry) => numberOf(entry) ?? []);
  if (samples.length === value.length) return samples;
  const pairs = value.flatMap((entry): readonly (readonly [number, number])[] => {
    if (!Array.isArray(entry) || entry.length !== 2) return [];
    const [at, share] = [numberOf(entry[0]), numberOf(entry[1])];
    return at === undefined || share === undefined ? [] : [[at, share]];
  });
  return pairs.length === value.length ? pairs : undefined;
}

/**
 * Seconds since 1970 of an ISO date, or of a number in seconds, milliseconds, microseconds or nanoseconds. Dates
 * without a zone are UTC. undefined for anything else.
 */
export function secondsOfDate(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{10,20}$/.test(value) ? Number(value) : numberOf(value);
  if (number !== undefined) {
    // 1e11 seconds are the year 5138, and 1e11 milliseconds are 1973.
    const unit = UNITS.find(([limit]) => number >= limit)?.[1] ?? 1;
    return dateOf(number / unit);
  }
  if (typeof value !== 'string' || !DATE.test(value)) return undefined;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(value);
  // Python writes microseconds and a space; a JavaScript date has milliseconds and a T.
  const fraction = /\.\d+/.exec(value)?.[0] ?? '';
  const iso = `${value.replace(' ', 'T').replace(fraction, '')}${hasZone ? '' : 'Z'}`;
  const milliseconds = Date.parse(iso);
  if (Number.isNaN(milliseconds)) return undefined;
  return Number(`${milliseconds / 1000}${fraction}`);
}

const DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/;
/** The smallest number read as nano-, micro- or milliseconds, and the number of such units per second. */
const UNITS = [
  [1e17, 1e9],
  [1e14, 1e6],
  [1e11, 1e3],
] as const;
