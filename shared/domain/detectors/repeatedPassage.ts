/** Finds a passage that follows itself many times, and texts that repeat their own lines. */
import type { TextRange } from '../model.ts';

/** A loop that is at least this long has a sample in it. */
const SAMPLE_EVERY = 128;
const SAMPLE = 32;
/** Longer passages than this are not found. */
const LONGEST_PERIOD = 1000;

export interface RepeatedPassage extends TextRange {
  /** Length of the passage. */
  readonly period: number;
  readonly times: number;
}

/** Work is linear in the range: every sample searches a bounded stretch, and a found loop is passed over. */
export function repeatedPassage(
  text: string,
  { start, end }: TextRange,
  least: { readonly times: number; readonly chars: number },
): RepeatedPassage | undefined {
  for (let at = start; at + SAMPLE < end; ) {
    const sample = text.slice(at, at + SAMPLE);
    const next = text.slice(at + 1, Math.min(end, at + LONGEST_PERIOD + SAMPLE)).indexOf(sample);
    if (next < 0) {
      at += SAMPLE_EVERY;
      continue;
    }
    const period = next + 1;
    let from = at;
    while (from > start && text[from - 1] === text[from - 1 + period]) from--;
    let to = at + period;
    while (to < end && text[to] === text[to - period]) to++;
    const times = Math.floor((to - from) / period);
    if (to - from >= least.chars && times >= least.times) {
      const passage = text.slice(from, from + period);
      // Rules and padding are drawn on purpose.
      if (/[\p{L}\p{N}]/u.test(passage)) return { start: from, end: to, period, times };
    }
    at = Math.max(at + SAMPLE_EVERY, to);
  }
  return undefined;
}

/** Shorter texts and lines repeat for good reasons. */
const LONG_CHARS = 2000;
const LINE_CHARS = 20;

/** @returns the first line that repeats, if more than `share` of the characters are in lines that do */
export function repeatedLines(text: string, { start, end }: TextRange, share: number): TextRange | undefined {
  if (end - start < LONG_CHARS) return undefined;
  const seen = new Set<string>();
  let repeated = 0;
  let first: TextRange | undefined;
  let from = start;
  // Only the range is split: a search for its line feeds in the whole text is quadratic where there are few.
  for (const line of text.slice(start, end).split('\n')) {
    if (line.length >= LINE_CHARS && seen.has(line)) {
      repeated += line.length;
      first ??= { start: from, end: from + line.length };
    } else if (line.length >= LINE_CHARS) seen.add(line);
    from += line.length + 1;
  }
  return repeated > share * (end - start) ? first : undefined;
}
