/**
 * Parses the bytes of one record to a value, or returns the reason for failure. Tolerates what Python
 * writes, with a warning.
 */
import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject } from '../../shared/format/fields.ts';
import { type LineIssue, TEXT_KEY } from '../../shared/format/format.ts';
import { hasRoundedInteger, readJson, withExactIntegers } from '../../shared/format/lenientJson.ts';
import type { RecordUnit } from './containers/container.ts';
import { objectOf, textOfRecord } from './readHead.ts';

export type RecordReading =
  | { readonly kind: 'record'; readonly record: JsonObject; readonly warnings: readonly LineIssue[] }
  | { readonly kind: 'blank' }
  | { readonly kind: 'issue'; readonly issue: LineIssue };

export function readRecord(
  bytes: Uint8Array,
  isFirstLine: boolean,
  unit: RecordUnit = 'line',
): RecordReading {
  const text = textOfRecord(bytes, isFirstLine);
  if (unit === 'text') {
    if (text.trim() === '') return { kind: 'blank' };
    return { kind: 'record', record: { [TEXT_KEY]: text }, warnings: [] };
  }
  const reading = readJson(text);
  if (!reading.ok) {
    if (text.trim() === '') return { kind: 'blank' };
    return {
      kind: 'issue',
      issue: { severity: 'refused', code: 'bad_json', message: `not JSON: ${reading.message}` },
    };
  }
  let value: unknown = objectOf(reading.value);
  if (value === undefined) {
    const message = 'the record is JSON, but neither an object nor a list of objects';
    return { kind: 'issue', issue: { severity: 'refused', code: 'not_an_object', message } };
  }
  const warnings = [...reading.warnings];
  if (hasRoundedInteger(value)) value = objectOf(withExactIntegers(text)) ?? value;
  // The decoder replaces invalid bytes by U+FFFD, so only texts with U+FFFD need a check.
  if (text.includes('\ufffd') && !isUtf8(bytes)) {
    const message = 'the record is not valid UTF-8; invalid bytes were replaced by U+FFFD';
    warnings.push({ severity: 'warning', code: 'invalid_utf8', message });
  }
  if (hasLoneSurrogate(value)) {
    const repaired = withoutLoneSurrogates(value);
    if (repaired.count > 0) {
      const noun = repaired.count === 1 ? 'text contains' : 'texts contain';
      const message = `${repaired.count} ${noun} half of a surrogate pair; it was replaced by U+FFFD`;
      warnings.push({ severity: 'warning', code: 'lone_surrogate', message });
      value = repaired.value;
    }
  }
  return isObject(value)
    ? { kind: 'record', record: value, warnings }
    : { kind: 'issue', issue: { severity: 'refused', code: 'bad_json', message: 'not JSON' } };
}

/** Limit of nesting levels that are repaired. Logs are less deep. */
const DEEPEST = 32;

/** Checks the parsed strings for lone surrogates. Searching the line for escapes costs far more. */
function hasLoneSurrogate(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return false;
  if (Array.isArray(value)) {
    // Columns of numbers are long and contain no strings.
    if (typeof value[0] === 'number') return false;
    return value.some((inner) => hasLoneSurrogate(inner, depth + 1));
  }
  for (const key in value) if (hasLoneSurrogate((value as JsonObject)[key], depth + 1)) return true;
  return false;
}

/** The replacement has the same length, so offsets stay valid. */
function withoutLoneSurrogates(value: unknown, depth = 0): { value: unknown; count: number } {
  if (typeof value === 'string') {
    return value.isWellFormed() ? { value, count: 0 } : { value: value.toWellFormed(), count: 1 };
  }
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return { value, count: 0 };
  let count = 0;
  const repair = (inner: unknown): unknown => {
    const repaired = withoutLoneSurrogates(inner, depth + 1);
    count += repaired.count;
    return repaired.value;
  };
  const result = Array.isArray(value)
    ? value.map(repair)
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), repair(inner)]));
  return { value: result, count };
}
