/** Token heat: which tokens are marked, and how strongly. */
import type { TextRange, Utf16Offset } from '../../../../shared/domain/model.ts';
import { countHigh } from '../../../../shared/domain/thresholds.ts';

/** For each level, the share of high tokens that reach it. With the top 20 % high: the top 20, 10, 4 and 1 %. */
export const LEVEL_SHARES = [1, 0.5, 0.2, 0.05] as const;

export const HEAT_LEVELS = LEVEL_SHARES.length;

/**
 * Smallest value of each level.
 * @param known ascending heights of the policy tokens
 * @param threshold the lowest value that is high; undefined: none is
 */
export function heatCuts(known: Float32Array, threshold: number | undefined): readonly number[] {
  if (threshold === undefined) return [];
  const high = countHigh(known, threshold);
  if (high === 0) return [];
  return LEVEL_SHARES.map((share, level) =>
    level === 0
      ? threshold
      : (known[known.length - Math.max(1, Math.floor(high * share))] ?? Number.POSITIVE_INFINITY),
  );
}

/** The levels 1…4 that a value can reach. If several cuts are equal, only the highest of these levels is reachable. */
export function reachedLevels(cuts: readonly number[]): readonly number[] {
  return cuts.flatMap((cut, i) => (cut === cuts[i + 1] ? [] : [i + 1]));
}

/** 0: not high; 1…4: the level. A value of 0 means certainty and is never marked. */
export function heatLevel(value: number, cuts: readonly number[]): number {
  if (!Number.isFinite(value) || value <= 0) return 0;
  let level = 0;
  for (const cut of cuts) if (value >= cut) level += 1;
  return level;
}

export function heatLevels(
  heights: Float32Array,
  mask: Uint8Array | undefined,
  cuts: readonly number[],
): Uint8Array {
  const levels = new Uint8Array(heights.length);
  if (cuts.length === 0) return levels;
  for (let i = 0; i < heights.length; i += 1) {
    if (mask?.[i] !== 0) levels[i] = heatLevel(heights[i] ?? Number.NaN, cuts);
  }
  return levels;
}

/** The first token that ends after `offset`. */
export function tokenAt(ends: Uint32Array, offset: Utf16Offset): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Empty for a token without characters (such as an end of sequence) and beyond the last token. */
export function tokenRange(ends: Uint32Array, token: number): TextRange {
  const start = ends[token - 1] ?? 0;
  return { start, end: ends[token] ?? start };
}

export interface MarkedRange extends TextRange {
  readonly level: number;
  readonly token: number;
}

/** Marked tokens inside `range`, clipped to it. Leading white space of a token is not marked. */
export function markedTokens(
  range: TextRange,
  text: string,
  ends: Uint32Array,
  levels: Uint8Array,
): readonly MarkedRange[] {
  const marked: MarkedRange[] = [];
  for (let token = tokenAt(ends, range.start); token < ends.length; token += 1) {
    let start = ends[token - 1] ?? 0;
    if (start >= range.end) break;
    const level = levels[token] ?? 0;
    if (level === 0) continue;
    const end = Math.min(ends[token] ?? 0, range.end);
    start = Math.max(start, range.start);
    while (start < end && /\s/.test(text.charAt(start))) start += 1;
    if (start < end) marked.push({ start, end, level, token });
  }
  return marked;
}

/** Tokens inside `range` whose `flags` are 1, merged into as few ranges as possible. */
export function flaggedRanges(range: TextRange, ends: Uint32Array, flags: Uint8Array): readonly TextRange[] {
  const found: { start: number; end: number }[] = [];
  for (let token = tokenAt(ends, range.start); token < ends.length; token += 1) {
    const from = ends[token - 1] ?? 0;
    if (from >= range.end) break;
    if (flags[token] !== 1) continue;
    const start = Math.max(from, range.start);
    const end = Math.min(ends[token] ?? 0, range.end);
    const last = found.at(-1);
    if (last !== undefined && last.end === start) last.end = end;
    else if (start < end) found.push({ start, end });
  }
  return found;
}

/** Share of ascending `known` values below `value`, 0…1. */
export function shareBelow(known: Float32Array, value: number): number {
  return known.length === 0 ? 0 : 1 - countHigh(known, value) / known.length;
}
