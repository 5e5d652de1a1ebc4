/** Common prefix of two responses, by characters and by tokens, and where they diverge. */
import type { Segment, SegmentKind, TextRange, TurnNumber, Utf16Offset } from './model.ts';
import { isInsidePair } from './textUnits.ts';

/** The parts of a rollout that alignment needs. */
export interface Sampled {
  readonly response: string;
  /** Turn 0 is the prompt and is excluded. */
  readonly segments: readonly Segment[];
  /** UTF-16 end of each token in `response`. Absent: tokens have no offsets. */
  readonly tokenEnds?: Uint32Array;
}

/** Where one side begins to differ. */
export interface ForkPosition {
  /** Never inside a surrogate pair. */
  readonly offset: Utf16Offset;
  /**
   * Index of the first token that differs. Absent if a side has no tokens, or this side has no more of them.
   */
  readonly token?: number;
  /** Turn of the segment at the offset; at the end of the text, of the last segment. */
  readonly turn?: TurnNumber;
  readonly segment?: number;
}

export interface Divergence {
  readonly a: ForkPosition;
  readonly b: ForkPosition;
}

export interface CommonPrefix {
  /** Number of equal UTF-16 units. Maximal, except that it never splits a surrogate pair. */
  readonly chars: number;
  /** Number of tokens with equal offsets and text. Present if both sides have tokens. */
  readonly tokens?: number;
}

/** Engines compare whole strings several times faster than single characters. */
const CHUNK = 512;

/** Number of UTF-16 units that two texts share from an offset on. May end inside a surrogate pair. */
export function sharedLength(a: string, b: string, from: Utf16Offset = 0): number {
  const most = Math.min(a.length, b.length);
  let at = from;
  while (at + CHUNK <= most && a.slice(at, at + CHUNK) === b.slice(at, at + CHUNK)) at += CHUNK;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at - from;
}

export function commonPrefix(a: Sampled, b: Sampled): CommonPrefix {
  const shared = sharedLength(a.response, b.response);
  const [endsA, endsB] = [usableEnds(a), usableEnds(b)];
  const tokens = endsA === undefined || endsB === undefined ? undefined : sharedTokens(endsA, endsB, shared);
  const isTorn = isInsidePair(a.response, shared) || isInsidePair(b.response, shared);
  return { chars: isTorn ? shared - 1 : shared, ...(tokens === undefined ? {} : { tokens }) };
}

/**
 * The first difference of two responses: the first token that differs in text or offsets if both have tokens,
 * else the first character. Undefined if the responses are equal, whatever their tokens.
 */
export function divergenceOf(a: Sampled, b: Sampled, prefix: CommonPrefix): Divergence | undefined {
  if (a.response === b.response) return undefined;
  const place = (side: Sampled): ForkPosition => {
    const { tokens } = prefix;
    const ends = side.tokenEnds;
    const isKnown = tokens !== undefined && ends !== undefined;
    const start = isKnown ? (tokens === 0 ? 0 : (ends[tokens - 1] ?? 0)) : prefix.chars;
    const offset = isInsidePair(side.response, start) ? start - 1 : start;
    const segment = segmentAt(side.segments, offset);
    return {
      offset,
      ...(isKnown && tokens < ends.length ? { token: tokens } : {}),
      ...(segment === undefined ? {} : { turn: side.segments[segment]?.turn ?? 1, segment }),
    };
  };
  return { a: place(a), b: place(b) };
}

/** Kinds that a tool or a user wrote, about which the policy was not uncertain. */
const ENVIRONMENT: ReadonlySet<SegmentKind> = new Set(['tool-response', 'user', 'system']);

export const isEnvironment = (kind: SegmentKind | undefined): boolean =>
  kind !== undefined && ENVIRONMENT.has(kind);

/** Who wrote a part of a response. */
export type Writer = 'policy' | 'tool' | 'user' | 'system';

function writerOf(kind: SegmentKind | undefined): Writer {
  if (kind === 'tool-response') return 'tool';
  return kind === 'user' || kind === 'system' ? kind : 'policy';
}

export interface Passage extends TextRange {
  readonly writer: Writer;
}

/** Cuts a range of a response wherever the writer changes. Text between two segments counts as the former's. */
export function passagesOf(segments: readonly Segment[], { start, end }: TextRange): readonly Passage[] {
  if (start >= end) return [];
  const first = segmentAt(segments, start) ?? -1;
  let last = { start, end, writer: writerOf(segments[first]?.kind) };
  const passages = [last];
  for (const { turn, kind, outer } of segments.slice(first + 1)) {
    if (outer.start >= end && turn > 0) break;
    const writer = writerOf(kind);
    if (turn === 0 || writer === last.writer) continue;
    last.end = outer.start;
    last = { start: outer.start, end, writer };
    passages.push(last);
  }
  return passages;
}

/**
 * The first difference in the policy's own text, ignoring tool responses and user messages. Two rollouts
 * often differ in a tool's output, such as an address or a time, long before the policy acts differently.
 * Each side begins at the token that contains its first differing character; without tokens, at the word.
 * Undefined if the policy's texts are equal.
 */
export function policyDivergence(a: Sampled, b: Sampled): Divergence | undefined {
  const [ownA, ownB] = [policyText(a), policyText(b)];
  if (ownA.text === ownB.text) return undefined;
  const shared = sharedLength(ownA.text, ownB.text);
  const at = isInsidePair(ownA.text, shared) || isInsidePair(ownB.text, shared) ? shared - 1 : shared;
  // Two words that ended alike ("you want", "you'd") are equal, so neither side begins with them.
  const isInWord = [ownA, ownB].some(({ text }) => WORD_CHARACTER.test(characterAt(text, at)));
  return { a: placeIn(a, ownA, at, isInWord), b: placeIn(b, ownB, at, isInWord) };
}

interface PolicyText {
  readonly text: string;
  /** Start of each piece in `text` and in the response, and its segment. */
  readonly pieces: readonly { readonly at: number; readonly start: Utf16Offset; readonly segment: number }[];
}

function policyText({ response, segments }: Sampled): PolicyText {
  const pieces: { at: number; start: Utf16Offset; segment: number }[] = [];
  const texts: string[] = [];
  let at = 0;
  segments.forEach(({ kind, turn, outer }, segment) => {
    if (turn < 1 || isEnvironment(kind)) return;
    const text = response.slice(outer.start, outer.end);
    pieces.push({ at, start: outer.start, segment });
    texts.push(text);
    at += text.length;
  });
  return { text: texts.join(''), pieces };
}

function placeIn(side: Sampled, { text, pieces }: PolicyText, at: number, isInWord: boolean): ForkPosition {
  if (at >= text.length) return { offset: side.response.length };
  const piece = pieces.findLast((one) => one.at <= at);
  if (piece === undefined) return { offset: side.response.length };
  const offset = piece.start + at - piece.at;
  const turn = side.segments[piece.segment]?.turn ?? 1;
  const ends = usableEnds(side);
  const token = ends?.findIndex((end) => end > offset) ?? -1;
  const word = isInWord ? wordStart(side.response, offset, piece.start) : offset;
  const start = token < 0 ? word : (ends?.[token - 1] ?? 0);
  return {
    offset: Math.max(piece.start, start),
    ...(token < 0 ? {} : { token }),
    turn,
    segment: piece.segment,
  };
}

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}_]/u;
/** A longer run of letters is not treated as a word, which bounds the search for its beginning. */
const LONGEST_WORD = 80;

/** Start of the word that ends at the offset or contains it. */
function wordStart(text: string, offset: Utf16Offset, least: Utf16Offset): Utf16Offset {
  let start = offset;
  while (start > least && offset - start < LONGEST_WORD) {
    const before = characterBefore(text, start);
    if (!WORD_CHARACTER.test(before)) break;
    start -= before.length;
  }
  return start;
}

const characterAt = (text: string, at: Utf16Offset): string =>
  String.fromCodePoint(text.codePointAt(at) ?? 32);

function characterBefore(text: string, at: Utf16Offset): string {
  return isInsidePair(text, at - 1) ? text.slice(at - 2, at) : text.slice(at - 1, at);
}

/** Decreasing ends, or ends beyond the text, belong to another text. Such tokens count as not aligned. */
function usableEnds({ tokenEnds, response }: Sampled): Uint32Array | undefined {
  if (tokenEnds === undefined) return undefined;
  let last = 0;
  for (const end of tokenEnds) {
    if (end < last || end > response.length) return undefined;
    last = end;
  }
  return tokenEnds;
}

function sharedTokens(a: Uint32Array, b: Uint32Array, chars: number): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count] && (a[count] ?? 0) <= chars) count++;
  return count;
}

/** Index of the response segment that contains an offset: the last that begins at or before it. */
function segmentAt(segments: readonly Segment[], offset: Utf16Offset): number | undefined {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const segment = segments[middle];
    if (segment !== undefined && (segment.turn === 0 || segment.outer.start <= offset)) low = middle + 1;
    else high = middle;
  }
  return low > 0 && segments[low - 1]?.turn !== 0 ? low - 1 : undefined;
}
