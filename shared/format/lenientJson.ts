/**
 * Parses JSON as Python writes it. The first pass is strict. Only on failure, a slower pass turns `NaN`,
 * `Infinity` and `-Infinity` outside strings into null. Nothing else is repaired: other invalid lines are
 * refused with V8's own message.
 */
import { endOfString, parseJson } from '../domain/parseJson.ts';
import type { LineIssue } from './format.ts';

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown; readonly warnings: readonly LineIssue[] }
  | { readonly ok: false; readonly message: string };

const NONE: readonly LineIssue[] = [];

export function readJson(text: string): ParsedJson {
  let strictMessage: string;
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
