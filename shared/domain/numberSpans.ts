/** Finds numbers in text, so that differing ones can be marked as numbers. */
import { ADDED, EDIT_SIZE, type Edits, REMOVED } from './alignText.ts';
import type { TextRange, Utf16Offset } from './model.ts';
import { isDigit, isWordChar } from './textUnits.ts';

/** A number in a text, including its sign. */
export interface NumberSpan extends TextRange {
  /** Double precision. Integers beyond 2⁵³ are compared by their text. */
  readonly value: number;
}

/**
 * Sign, then 0x…, or digits (with `_` or `,` between groups), point, exponent: `-1 234,567.8e-9`. Sticky:
 * tried only at a digit, a point or a sign.
 */
const NUMBER =
  /[+\-−]?(?:0[xX][0-9a-fA-F]+|(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:_\d+)*)(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)/y;
const SIGNS = '+-−';
/** A sign after one of these is a sign rather than an operator: `(-5`, `= -5`, `$-5`. */
const BEFORE_SIGN = /[\s([{,;:=<>$€£¥*/^|&!?"'`\\]/;
/** A comma after these separates thousands. Directly after a bracket it may separate list items. */
const BEFORE_GROUPS = /[\s+\-−$€£¥]/;

/**
 * All numbers in a range of a text, in order. Skips digits within a name (`x1`, `utf8`) or a version
 * (`1.2.3`).
 */
export function numberSpans(
  text: string,
  range: TextRange = { start: 0, end: text.length },
): readonly NumberSpan[] {
  const spans: NumberSpan[] = [];
  let at = range.start;
  while (at < range.end) {
    const found = numberAt(text, at, range.end);
    if (found === undefined) at++;
    else if ('skipTo' in found) at = found.skipTo;
    else {
      spans.push(found);
      at = found.end;
    }
  }
  return spans;
}

function numberAt(
  text: string,
  at: Utf16Offset,
  limit: Utf16Offset,
): NumberSpan | { readonly skipTo: number } | undefined {
  const first = text.charCodeAt(at);
  const hasSign = SIGNS.includes(text.charAt(at));
  if (!isDigit(first) && first !== 0x2e && !hasSign) {
    // Letters followed by digits are a name, not a number.
    if (!isWordChar(first)) return undefined;
    let end = at + 1;
    while (end < limit && isWordChar(text.charCodeAt(end))) end++;
    return { skipTo: end };
  }
  const before = text.charAt(at - 1);
  if (hasSign && before !== '' && !BEFORE_SIGN.test(before)) return undefined;
  if (first === 0x2e && before !== '' && (isWordChar(before.charCodeAt(0)) || /[.)\]]/.test(before)))
    return undefined;
  NUMBER.lastIndex = at;
  let matched = NUMBER.exec(text)?.[0];
  if (matched === undefined) return undefined;
  if (matched.includes(',') && !isGrouped(text, at, at + matched.length))
    matched = matched.slice(0, matched.indexOf(','));
  const end = Math.min(limit, at + matched.length);
  if (text.charAt(end) === '.' && isDigit(text.charCodeAt(end + 1))) return { skipTo: versionEnd(text, end) };
  return { start: at, end, value: numericValue(text.slice(at, end)) };
}

/** `12,345 items` is one number; `(12,345)` and `12,345,6` may be several. */
function isGrouped(text: string, start: Utf16Offset, end: Utf16Offset): boolean {
  const before = text.charAt(start - 1);
  const isFree = before === '' || BEFORE_GROUPS.test(before);
  const isZero = text.charAt(start) === '0';
  const after = text.charAt(end);
  return isFree && !isZero && !/[)\]}]/.test(after) && !isWordChar(after.charCodeAt(0) || 0);
}

function versionEnd(text: string, from: Utf16Offset): Utf16Offset {
  let end = from;
  while (text.charAt(end) === '.' && isDigit(text.charCodeAt(end + 1))) {
    end++;
    while (isDigit(text.charCodeAt(end))) end++;
  }
  return end;
}

function numericValue(number: string): number {
  const plain = number.replace(/[,_]/g, '').replace('−', '-');
  const isSigned = SIGNS.includes(plain.charAt(0));
  const size = Number(isSigned ? plain.slice(1) : plain);
  return plain.startsWith('-') ? -size : size;
}

/** Two numbers that replace one another in a change. */
export interface NumberChange {
  readonly a: NumberSpan;
  readonly b: NumberSpan;
}

/** A change with more other text than this is not just a change of numbers. */
const MAX_TEXT_AROUND = 24;

/**
 * Differing numbers, if a change replaces one range by another with as many numbers and little other text.
 * Numbers are paired in order. A number that a change only touches (an added sign, a changed group of digits)
 * counts whole. Numbers of equal value written differently (1.0 and 1) are not reported.
 */
export function changedNumbers(edits: Edits, aText: string, bText: string): readonly NumberChange[] {
  const changes: NumberChange[] = [];
  for (let i = 0; i < edits.length; i += EDIT_SIZE) {
    const [kind, aStart = 0, aEnd = 0, bStart = 0, bEnd = 0] = edits.subarray(i, i + EDIT_SIZE);
    if (kind !== REMOVED && kind !== ADDED) continue;
    let [toA, toB] = [aEnd, bEnd];
    if (kind === REMOVED && edits[i + EDIT_SIZE] === ADDED) {
      toA = edits[i + EDIT_SIZE + 2] ?? toA;
      toB = edits[i + EDIT_SIZE + 4] ?? toB;
      i += EDIT_SIZE;
    }
    const [rangeA, rangeB] = [
      { start: aStart, end: toA },
      { start: bStart, end: toB },
    ];
    let [inA, inB] = [numbersTouching(aText, rangeA), numbersTouching(bText, rangeB)];
    // An insertion changes a number only if it becomes part of it.
    if (aStart === toA) inB = inB.filter(reachesBeyond(rangeB));
    if (bStart === toB) inA = inA.filter(reachesBeyond(rangeA));
    const around = Math.max(textAround(inA, rangeA), textAround(inB, rangeB));
    if (inA.length !== inB.length || around > MAX_TEXT_AROUND) continue;
    inA.forEach((a, place) => {
      const b = inB[place];
      if (b !== undefined && !isSameNumber(a, b, aText, bText)) changes.push({ a, b });
    });
  }
  // Two changes may touch the same number: 1,234,567 against 2,234,568.
  return changes.filter((change, i) => changes[i - 1]?.a.start !== change.a.start || i === 0);
}

/** Digits that a double always distinguishes. */
const EXACT_DIGITS = 15;

function isSameNumber(a: NumberSpan, b: NumberSpan, aText: string, bText: string): boolean {
  if (a.value !== b.value) return false;
  const digits = (text: string, { start, end }: TextRange): string =>
    text.slice(start, end).replace(/[,_+]/g, '');
  const [inA, inB] = [digits(aText, a), digits(bText, b)];
  return inA === inB || Math.max(inA.length, inB.length) <= EXACT_DIGITS;
}

/** Characters of a range outside all numbers. */
function textAround(numbers: readonly NumberSpan[], range: TextRange): number {
  let around = range.end - range.start;
  for (const { start, end } of numbers) around -= Math.min(end, range.end) - Math.max(start, range.start);
  return around;
}

const reachesBeyond =
  (range: TextRange) =>
  ({ start, end }: TextRange): boolean =>
    start < range.start || end > range.end;

/** How far a number may extend beyond a change. Numbers in readable text are shorter. */
const MAX_REACH = 64;
const NUMERIC = /[0-9a-zA-Z_.,+\-−]/;

function numbersTouching(text: string, { start, end }: TextRange): readonly NumberSpan[] {
  let from = start;
  while (from > 0 && start - from < MAX_REACH && NUMERIC.test(text.charAt(from - 1))) from--;
  let to = end;
  while (to < text.length && to - end < MAX_REACH && NUMERIC.test(text.charAt(to))) to++;
  return numberSpans(text, { start: from, end: to }).filter((span) =>
    start === end ? span.start <= start && span.end >= start : span.start < end && span.end > start,
  );
}
