/**
 * Maps the code of a tool call, or its arguments, to offsets in the response. Most templates write code as a JSON
 * string, in which a line break is two characters. Only stretches that are written alike can have heat and search hits.
 */

import { indexIn } from '../../shared/domain/linearSearch.ts';
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
  const literal = indexIn(inner, code);
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

/**
 * @param shown the arguments as indented JSON, perhaps without those that are empty or shown elsewhere
 * @param inner the call as written, which begins at `base` in the response
 * @returns no stretches unless all of `shown` was found, in its order
 */
export function argumentPlaces(shown: string, inner: string, base: Utf16Offset): readonly PlacedStretch[] {
  return tokenPlaces(shown, inner, base, argumentTokens(inner));
}

/** @param shown all of `inner`, with other white space between its tokens of JSON */
export function indentedPlaces(shown: string, inner: string, base: Utf16Offset): readonly PlacedStretch[] {
  return tokenPlaces(shown, inner, base, inner.matchAll(JSON_TOKEN));
}

/** @param written tokens of `inner`, among which those of `shown` are found in order */
function tokenPlaces(
  shown: string,
  inner: string,
  base: Utf16Offset,
  written: Iterator<RegExpExecArray, unknown>,
): readonly PlacedStretch[] {
  const places: { start: number; end: number; source: number }[] = [];
  for (const { 0: token, index: start } of shown.matchAll(JSON_TOKEN)) {
    const wanted = decoded(token);
    let found = written.next();
    while (found.done !== true && decoded(found.value[0]) !== wanted) found = written.next();
    if (found.done === true) return NONE;
    const { 0: spelling, index: at } = found.value;
    if (spelling !== token) continue;
    const last = places.at(-1);
    const isJoined =
      last !== undefined &&
      last.source - base - last.start === at - start &&
      inner.slice(last.source - base + last.end - last.start, at) === shown.slice(last.end, start);
    if (isJoined) last.end = start + token.length;
    else places.push({ start, end: start + token.length, source: base + at });
  }
  return places.length > MOST_STRETCHES ? NONE : places;
}

/** A string, a sign, or a number or literal. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs;

/** Removes the escapes of a string, but keeps a quote, so that a string never equals a number. */
function decoded(token: string): string {
  if (!token.includes('\\')) return token;
  try {
    return `"${JSON.parse(token)}"`;
  } catch {
    // The host also reads JSON that is not strict.
    return token;
  }
}

/** The tokens behind `"arguments":` of the outermost object. */
function* argumentTokens(inner: string): Generator<RegExpExecArray, undefined> {
  let depth = 0;
  let isKey = false;
  let isInside = false;
  for (const match of inner.matchAll(JSON_TOKEN)) {
    const [token] = match;
    if (isInside) yield match;
    if (isKey && token === ':') isInside = true;
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    isKey = depth === 1 && token === '"arguments"';
  }
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
