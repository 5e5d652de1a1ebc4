/**
 * Anchors of annotations in text. An anchor is made from offsets and located again in a text that may have
 * changed: at the same offsets, else elsewhere, else with different white space. Every search is linear in
 * the text.
 */
import { firstFrom } from '../ascending.ts';
import { eachMatch } from '../linearSearch.ts';
import type { TextRange, Utf16Offset } from '../model.ts';
import {
  type Anchor,
  type AnchorState,
  CONTEXT_CHARS,
  type ContentHash,
  LONGEST_QUOTE,
} from './annotation.ts';

/** Characters quoted from either end of a range that is too long to quote whole. */
const END_CHARS = LONGEST_QUOTE / 2;
/**
 * Characters of context that are compared, of the nearest matches first. Most differ in their first characters. A text of
 * one letter has a match at each of its places, and all of its context.
 */
const MOST_COMPARED = 100_000;
/** UTF-16 units. In a longer text, only an anchor at its own place is found: a pack may have one for each of thousands. */
const LONGEST_SEARCHED = 1 << 20;
/** Minimum letters of a quote before it is searched without white space: "no w" is not "now". */
const ENOUGH_LETTERS = 12;

/** Moves offsets out of surrogate pairs and clips them to the text. */
export function makeAnchor(
  which: Anchor['text'],
  text: string,
  range: { readonly start: Utf16Offset; readonly end: Utf16Offset },
  contentHash: ContentHash,
): Anchor {
  const start = before(text, Math.min(range.start, text.length));
  const end = after(text, Math.max(start, Math.min(range.end, text.length)));
  const context = {
    before: text.slice(after(text, Math.max(0, start - CONTEXT_CHARS)), start),
    after: text.slice(end, before(text, Math.min(text.length, end + CONTEXT_CHARS))),
  };
  if (end - start <= LONGEST_QUOTE)
    return { text: which, start, end, quote: text.slice(start, end), ...context };
  return {
    text: which,
    start,
    end,
    quote: text.slice(start, before(text, start + END_CHARS)),
    quoteEnd: text.slice(after(text, end - END_CHARS), end),
    hash: contentHash(text.slice(start, end)),
    ...context,
  };
}

export type Placed =
  | ({ readonly state: Exclude<AnchorState, 'orphaned'> } & TextRange)
  | { readonly state: 'orphaned' };

/**
 * @param text the current version of the text that the anchor names
 * @param mayMove false: only looks at the anchor's own place
 */
export function locateAnchor(anchor: Anchor, text: string, contentHash: ContentHash, mayMove = true): Placed {
  if (standsAt(anchor, text, contentHash)) return { state: 'exact', start: anchor.start, end: anchor.end };
  // Without a quote, nothing can be found elsewhere.
  if (!mayMove || anchor.quote === '' || text.length > LONGEST_SEARCHED) return { state: 'orphaned' };
  const found = nearest(anchor, text) ?? inOtherSpacing(anchor, text);
  return found === undefined ? { state: 'orphaned' } : { state: 'moved', ...found };
}

function standsAt(anchor: Anchor, text: string, contentHash: ContentHash): boolean {
  const { start, end } = anchor;
  if (end > text.length || !text.startsWith(anchor.quote, start)) return false;
  if (anchor.quoteEnd === undefined) return true;
  if (!text.startsWith(anchor.quoteEnd, end - anchor.quoteEnd.length)) return false;
  return anchor.hash === undefined || contentHash(text.slice(start, end)) === anchor.hash;
}

/** The quote to find in a text or in its normalized forms. */
type Wanted = Pick<Anchor, 'start' | 'end' | 'quote' | 'quoteEnd' | 'before' | 'after'>;

/**
 * Of several matches, returns the one whose context fits best, then the nearest. For a long range, both ends
 * must match in order; the text between may have changed.
 */
function nearest(wanted: Wanted, text: string): TextRange | undefined {
  const starts = occurrences(text, wanted.quote);
  const ends = wanted.quoteEnd === undefined ? undefined : occurrences(text, wanted.quoteEnd);
  const length = wanted.end - wanted.start;
  const most = wanted.before.length + wanted.after.length;
  let best: TextRange | undefined;
  let bestFit = -1;
  let compared = 0;
  for (const start of outward(starts, wanted.start)) {
    if (compared > MOST_COMPARED) break;
    const end = endOf(start);
    if (end === undefined) continue;
    const fit = fitBefore(wanted.before, text, start) + fitAfter(wanted.after, text, end);
    // To find a match and its end takes about as long as ten characters.
    compared += fit + 10;
    if (fit <= bestFit) continue;
    best = { start, end };
    bestFit = fit;
    if (fit === most) break;
  }
  return best;

  function endOf(start: Utf16Offset): Utf16Offset | undefined {
    const tail = wanted.quoteEnd;
    if (ends === undefined || tail === undefined) return start + wanted.quote.length;
    // The end that comes closest to the original length. It never starts before the end of the quote.
    const least = firstFrom(ends, start + wanted.quote.length);
    const at = firstFrom(ends, Math.max(start + wanted.quote.length, start + length - tail.length));
    const right = ends[at];
    const left = at > least ? ends[at - 1] : undefined;
    const expected = start + length - tail.length;
    const isLeft = left !== undefined && (right === undefined || expected - left < right - expected);
    const found = isLeft ? left : right;
    return found === undefined ? undefined : found + tail.length;
  }
}

/** Second attempt: ignores line endings, template spacing and trailing blanks, then all white space. */
function inOtherSpacing(anchor: Anchor, text: string): TextRange | undefined {
  for (const keepsGaps of [true, false]) {
    const quote = folded(anchor.quote, keepsGaps).text;
    if (quote.trim() === '' || (!keepsGaps && quote.length < ENOUGH_LETTERS)) continue;
    const all = foldedText(text, keepsGaps);
    const start = firstFrom(all.starts, anchor.start);
    const wanted = {
      start,
      end: start + anchor.end - anchor.start,
      quote,
      before: folded(anchor.before, keepsGaps).text,
      after: folded(anchor.after, keepsGaps).text,
      ...(anchor.quoteEnd === undefined ? {} : { quoteEnd: folded(anchor.quoteEnd, keepsGaps).text }),
    };
    const found = nearest(wanted, all.text);
    if (found === undefined) continue;
    const from = all.starts[found.start] ?? 0;
    const last = all.starts[found.end - 1] ?? 0;
    return { start: from, end: last + 1 };
  }
  return undefined;
}

type Folded = ReturnType<typeof folded>;

interface FoldedText {
  readonly text: string;
  readonly by: Map<boolean, Folded>;
}

/** The two texts that were folded last: a log may have thousands of annotations of a rollout's prompt and response. */
let kept: readonly FoldedText[] = [];

function foldedText(text: string, keepsGaps: boolean): Folded {
  const own = kept.find((each) => each.text === text) ?? { text, by: new Map<boolean, Folded>() };
  if (!kept.includes(own)) kept = [own, ...kept.slice(0, 1)];
  const known = own.by.get(keepsGaps) ?? folded(text, keepsGaps);
  own.by.set(keepsGaps, known);
  return known;
}

/**
 * Collapses white space to single blanks and trims it, or removes all of it. Also returns the source offset
 * of each character.
 */
function folded(text: string, keepsGaps: boolean): { readonly text: string; readonly starts: Uint32Array } {
  const starts = new Uint32Array(text.length);
  const parts: string[] = [];
  const pattern = /\S+/g;
  let length = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [word] = match;
    if (keepsGaps && length > 0) starts[length++] = match.index - 1;
    for (let i = 0; i < word.length; i++) starts[length++] = match.index + i;
    parts.push(word);
  }
  return { text: parts.join(keepsGaps ? ' ' : ''), starts: starts.subarray(0, length) };
}

/** Offsets of all matches, overlapping ones too. */
function occurrences(text: string, pattern: string): Uint32Array {
  if (searched?.text !== text) searched = { text, by: new Map() };
  const { by } = searched;
  const found = by.get(pattern) ?? matchesIn(text, pattern);
  by.set(pattern, found);
  const [oldest] = by.keys();
  if (by.size > MOST_SEARCHES && oldest !== undefined) by.delete(oldest);
  return found;
}

/** The last searches: annotations of a rollout may have the same quote, or the same two ends of a long one. */
let searched: { readonly text: string; readonly by: Map<string, Uint32Array> } | undefined;
/** Each may have four megabytes. */
const MOST_SEARCHES = 4;

function matchesIn(text: string, pattern: string): Uint32Array {
  const size = pattern.length;
  if (size === 0 || size > text.length) return new Uint32Array(0);
  const found = new Uint32Array(text.length - size + 1);
  let count = 0;
  eachMatch(text, pattern, 0, (at) => {
    found[count++] = at;
    return false;
  });
  return found.slice(0, count);
}

/** Ordered by distance from an offset; of two equally distant ones, the earlier first. */
function* outward(places: ArrayLike<Utf16Offset>, from: Utf16Offset): Generator<Utf16Offset> {
  let right = firstFrom(places, from);
  let left = right - 1;
  while (left >= 0 || right < places.length) {
    const before = places[left];
    const behind = places[right];
    if (behind === undefined || (before !== undefined && from - before <= behind - from)) {
      yield before ?? 0;
      left--;
    } else {
      yield behind;
      right++;
    }
  }
}

function fitBefore(context: string, text: string, end: Utf16Offset): number {
  let fit = 0;
  while (
    fit < context.length &&
    fit < end &&
    context.charCodeAt(context.length - 1 - fit) === text.charCodeAt(end - 1 - fit)
  )
    fit++;
  return fit;
}

function fitAfter(context: string, text: string, start: Utf16Offset): number {
  let fit = 0;
  while (
    fit < context.length &&
    start + fit < text.length &&
    context.charCodeAt(fit) === text.charCodeAt(start + fit)
  )
    fit++;
  return fit;
}

/** The offset, moved back by one if it lies inside a surrogate pair. */
function before(text: string, at: Utf16Offset): Utf16Offset {
  return isWithinPair(text, at) ? at - 1 : at;
}

function after(text: string, at: Utf16Offset): Utf16Offset {
  return isWithinPair(text, at) ? at + 1 : at;
}

function isWithinPair(text: string, at: Utf16Offset): boolean {
  if (at <= 0 || at >= text.length) return false;
  const high = text.charCodeAt(at - 1);
  const low = text.charCodeAt(at);
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}
