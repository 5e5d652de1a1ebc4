/**
 * Parses JSON as Python writes it. The first pass is strict. Only on failure, a slower pass turns `NaN`,
 * `Infinity` and `-Infinity` outside strings into null. Nothing else is repaired: other invalid lines are
 * refused with V8's own message.
 */
import { parseJson } from '../domain/parseJson.ts';
import type { LineIssue } from './format.ts';

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown; readonly warnings: readonly LineIssue[] }
  | { readonly ok: false; readonly message: string };

const NONE: readonly LineIssue[] = [];

/** Longer texts are counted before they are parsed. */
const UNCOUNTED_CHARS = 1 << 20;
/**
 * Objects, lists and fields of a value. A rollout with 350,000 tool calls has 7 million. A value takes up to 100
 * bytes of memory, and V8 ends the whole process when it runs out.
 */
const MOST_VALUES = 8 << 20;
/** An entry that is a number has eight bytes. */
const MOST_COMMAS = 16 << 20;

export function readJson(text: string): ParsedJson {
  let strictMessage: string;
  const excess = text.length > UNCOUNTED_CHARS ? excessOf(text) : undefined;
  if (excess !== undefined) return { ok: false, message: `it has more than ${excess}` };
  try {
    return { ok: true, value: parseJson(text), warnings: NONE };
  } catch (error) {
    strictMessage = error instanceof Error ? error.message : String(error);
  }
  const { replaced, count } = withoutNonFiniteNumbers(text);
  if (count === 0) return { ok: false, message: strictMessage };
  try {
    const value: unknown = parseJson(replaced);
    const noun = count === 1 ? 'number' : 'numbers';
    const message = `${count} ${noun} written as NaN or Infinity, which JSON does not have; read as unknown`;
    return { ok: true, value, warnings: [{ severity: 'warning', code: 'non_finite_number', message }] };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function excessOf(text: string): string | undefined {
  let values = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at) - 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
      case 0x3a: // :
        if (++values > MOST_VALUES) return `${MOST_VALUES} objects, lists and fields`;
        break;
      case 0x2c: // ,
        if (++commas > MOST_COMMAS) return `${MOST_COMMAS} entries`;
    }
  }
  return undefined;
}

/** Pieces of a repaired text that are joined at once. */
const PIECES = 1 << 16;
const NON_FINITE = /-?\bInfinity\b|\bNaN\b/g;

function withoutNonFiniteNumbers(text: string): { replaced: string; count: number } {
  let count = 0;
  const replaced = replaceOutsideStrings(text, NON_FINITE, () => {
    count++;
    return 'null';
  });
  return { replaced, count };
}

/**
 * Replaces only outside strings, so that a NaN inside a text is kept. Finds the end of a string by search,
 * because a pattern over 18 MB would exhaust the stack.
 */
function replaceOutsideStrings(
  text: string,
  pattern: RegExp,
  replacement: (match: string) => string,
): string {
  // Only what changes is cut out: a piece per string would take many times the text's memory.
  let result = '';
  let pieces: string[] = [];
  let kept = 0;
  for (let position = 0; position < text.length; ) {
    const quote = text.indexOf('"', position);
    const end = quote < 0 ? text.length : quote;
    for (const { 0: match, index } of text.slice(position, end).matchAll(pattern)) {
      const replaced = replacement(match);
      if (replaced === match) continue;
      pieces.push(text.slice(kept, position + index), replaced);
      kept = position + index + match.length;
      if (pieces.length < PIECES) continue;
      result += pieces.join('');
      pieces = [];
    }
    if (quote < 0) break;
    position = endOfString(text, quote);
  }
  pieces.push(text.slice(kept));
  return result + pieces.join('');
}

/** Position after the closing quote, or the end of the text if none exists. */
function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/**
 * Parses again, keeping whole numbers beyond 2^53 as strings, because JSON parsers round them. Called only if
 * a parsed field is such a number.
 */
export function withExactIntegers(text: string): unknown {
  const quoted = replaceOutsideStrings(text, /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (match) =>
    /^-?\d+$/.test(match) && !Number.isSafeInteger(Number(match)) ? `"${match}"` : match,
  );
  return readJsonValue(quoted);
}

function readJsonValue(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}

/** Deeper than any log; values below are ignored. */
const DEEPEST = 32;

/** Whether a number somewhere in the value may have been rounded. */
export function hasRoundedInteger(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (depth > DEEPEST) return false;
  // Long arrays are per-token columns: ids and scores, never beyond 2^53.
  if (Array.isArray(value))
    return value.length <= 64 && value.some((inner) => hasRoundedInteger(inner, depth + 1));
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some((inner) => hasRoundedInteger(inner, depth + 1));
  }
  return false;
}
