/**
 * Maps the code of a tool call to offsets in the response. Most templates write it as a JSON string, in which a line
 * break is two characters. Only the stretches between escapes are identical, so only these can have heat and search
 * hits.
 */
import type { Utf16Offset } from '../../shared/domain/model.ts';

const NONE: readonly PlacedStretch[] = [];
/** Each stretch becomes an element. No code has as many lines; text of many escapes may have. */
const MOST_STRETCHES = 4_000;

/**
 * @param inner the call as written, which begins at `base` in the response
 * @returns no stretches if the code was not found, or has more than `MOST_STRETCHES`
 */
export function codePlaces(code: string, inner: string, base: Utf16Offset): readonly PlacedStretch[] {
  if (code === '') return NONE;
  const literal = inner.indexOf(code);
  if (literal >= 0) return [{ start: 0, end: code.length, source: base + literal }];
  for (const match of inner.matchAll(/:\s*"/g)) {
    const places = jsonPlaces(code, inner, match.index + match[0].length, base);
    if (places !== undefined) return places.length > MOST_STRETCHES ? NONE : places;
  }
  return NONE;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '\\': '\\',
  '/': '/',
};

/** Compares the JSON string at `from` with the code. Undefined as soon as they differ. */
function jsonPlaces(
  code: string,
  inner: string,
  from: number,
  base: Utf16Offset,
): readonly PlacedStretch[] | undefined {
  const places: PlacedStretch[] = [];
  let at = from;
  let start = 0;
  let i = 0;
  const close = () => {
    if (i > start) places.push({ start, end: i, source: base + at - (i - start) });
  };
  while (i < code.length) {
    const character = inner.charAt(at);
    if (character !== '\\') {
      if (character !== code.charAt(i)) return undefined;
      at += 1;
      i += 1;
      continue;
    }
    close();
    const sign = inner.charAt(at + 1);
    const decoded =
      sign === 'u' ? String.fromCharCode(Number.parseInt(inner.slice(at + 2, at + 6), 16)) : ESCAPES[sign];
    if (decoded !== code.charAt(i)) return undefined;
    at += sign === 'u' ? 6 : 2;
    i += 1;
    start = i;
  }
  close();
  return inner.charAt(at) === '"' ? places : undefined;
}

/** A stretch of code that is literally part of a source. */
export interface PlacedStretch {
  readonly start: number;
  readonly end: number;
  readonly source: number;
}

export interface PlacedPiece {
  readonly text: string;
  /** Absent if the source writes it differently (an escape). */
  readonly source?: number;
}

/** Cuts `text`, which begins at `at` in the code, at the ends of stretches. Stretches are ascending. */
export function placedPieces(
  text: string,
  at: number,
  stretches: readonly PlacedStretch[],
): readonly PlacedPiece[] {
  const pieces: PlacedPiece[] = [];
  const end = at + text.length;
  let from = at;
  const cut = (to: number, source?: number) => {
    if (to > from) pieces.push({ text: text.slice(from - at, to - at), source });
    from = Math.max(from, to);
  };
  for (let i = firstEndingAfter(stretches, at); i < stretches.length; i += 1) {
    const stretch = stretches[i];
    if (stretch === undefined || stretch.start >= end) break;
    cut(Math.min(stretch.start, end));
    cut(Math.min(stretch.end, end), stretch.source + from - stretch.start);
  }
  cut(end);
  return pieces;
}

function firstEndingAfter(stretches: readonly PlacedStretch[], at: number): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
