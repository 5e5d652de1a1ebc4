/**
 * Reads single fields of an untyped record. `undefined` means absent or of another type; callers decide
 * whether that is an issue. Never throws.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** A text that is not empty: tracers write '' for unknown ids and messages. */
export function textField(record: JsonObject, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The largest size of a number that is read. Sums, squares and variances of a hundred million smaller ones are finite, so
 * no mean and no chart has to do without them.
 */
const LARGEST = 1e150;

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) <= LARGEST ? value : undefined;

/** Says why a value is no reward. */
export const whyUnread = (value: unknown): string =>
  typeof value === 'number' && Math.abs(value) > LARGEST
    ? `beyond ±${LARGEST}, where sums overflow; the reward is unknown`
    : 'not a number; the reward is unknown';

/** Seconds since 1970. ECMAScript has no later dates. */
const LAST_DATE = 8.64e12;

/** Seconds since 1970. Undefined for 0, which producers write for an unknown date, and for numbers beyond the range of dates. */
export function dateOf(value: unknown): number | undefined {
  const seconds = numberOf(value);
  return seconds === undefined || seconds <= 0 || seconds > LAST_DATE ? undefined : seconds;
}

export const booleanOf = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

/** A count or position: 0, 1, 2 … */
export function indexOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Describes a value that is not the expected whole number, to append to a message; '' if absent.
 *
 * @param value as parsed: digits beyond 2^53 are text, so that none is lost
 */
export function insteadOfIndex(value: unknown): string {
  if (value === undefined || value === null) return '';
  const digits = typeof value === 'string' && /^\d{16,}$/.test(value);
  const isBeyond = digits
    ? !Number.isSafeInteger(Number(value))
    : typeof value === 'number' && value > Number.MAX_SAFE_INTEGER;
  // JSON allows 1e400, which exceeds every number.
  const found = value === Number.POSITIVE_INFINITY ? 'a number above 1.8e308' : jsonText(value);
  const shown = found.length > 60 ? `${found.slice(0, 60)}… (${found.length} characters)` : found;
  return isBeyond
    ? `; it is ${digits ? shown.replaceAll('"', '') : shown}, and whole numbers are read up to 9007199254740991 (2^53 − 1)`
    : `; it is ${shown}`;
}

/** Ids are strings or whole numbers; both are names rather than quantities. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** A ground truth or answer of any JSON type, as text. null and absent are unknown. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : jsonText(value);
}

/** Nesting near the stack limit can be parsed but not serialized again. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '[nested too deeply]';
  }
}

/** The record without the fields that have their own column. */
export function without(record: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(record)) if (!keys.has(key)) rest[key] = record[key];
  return rest;
}

/** The JSON parser returns whole numbers from 2^53 on as text, so that ids lose no digit. */
const WHOLE_DIGITS = /^-?\d{16,400}$/;

/**
 * A reward: a number, or a boolean (a recorder was given `reward == 1`). Whole numbers from 2^53 on become the nearest
 * double, as every other number.
 */
export function rewardOf(value: unknown): number | undefined {
  if (typeof value === 'string' && WHOLE_DIGITS.test(value)) return numberOf(Number(value));
  return typeof value === 'boolean' ? Number(value) : numberOf(value);
}

/** Present but unreadable: callers warn instead of dropping it silently. */
export function isUnread(value: unknown, read: unknown): boolean {
  return value !== undefined && value !== null && read === undefined;
}
