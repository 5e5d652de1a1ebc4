/**
 * JSON as Python writes it: strict first, and only on failure a slow pass that turns
 * `NaN`, `Infinity` and `-Infinity` outside strings into null. Neither pass ever guesses
 * at anything else: a line that is still no JSON is refused with V8's own message.
 */
import type { LineIssue } from './format.ts';

export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly warnings: readonly LineIssue[] }
  | { readonly ok: false; readonly message: string };

const NONE: readonly LineIssue[] = [];

export function readJson(text: string): JsonReading {
  let strictMessage: string;
  try {
    return { ok: true, value: JSON.parse(text), warnings: NONE };
  } catch (error) {
    strictMessage = error instanceof Error ? error.message : String(error);
  }
  const { replaced, count } = withoutNonFiniteNumbers(text);
  if (count === 0) return { ok: false, message: strictMessage };
  try {
    const value: unknown = JSON.parse(replaced);
    const noun = count === 1 ? 'number' : 'numbers';
    const message = `${count} ${noun} written as NaN or Infinity, which JSON does not have; read as unknown`;
    return { ok: true, value, warnings: [{ severity: 'warning', code: 'non_finite_number', message }] };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Strings are skipped whole, so a NaN inside a text stays a text. */
const STRING_OR_NON_FINITE = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs;

function withoutNonFiniteNumbers(text: string): { replaced: string; count: number } {
  let count = 0;
  const replaced = text.replace(STRING_OR_NON_FINITE, (match) => {
    if (match.startsWith('"')) return match;
    count++;
    return 'null';
  });
  return { replaced, count };
}

/**
 * Whole numbers beyond 2^53 are rounded by every JSON parser. Reads the record again with
 * those kept as strings; called only when a parsed field turns out to be such a number.
 */
export function withExactIntegers(text: string): unknown {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs, (match) => {
    const isInteger = /^-?\d+$/.test(match);
    return isInteger && !Number.isSafeInteger(Number(match)) ? `"${match}"` : match;
  });
  return readJsonValue(quoted);
}

function readJsonValue(text: string): unknown {
  const reading = readJson(text);
  return reading.ok ? reading.value : undefined;
}

/** True when a number somewhere in the value can no longer be the one that was written. */
export function hasRoundedInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (Array.isArray(value)) return value.length <= 64 && value.some(hasRoundedInteger);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasRoundedInteger);
  return false;
}
