/** Checks values from untrusted files by a zod schema. Messages begin with the path to the fault. */
import { z } from 'zod';
import { wellFormed } from '../domain/annotate/draft.ts';
import { indexOf, jsonText } from './fields.ts';

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

/**
 * Unknown fields are left out.
 *
 * @param name of the value, the start of the path in the message
 */
export function checked<T>(schema: z.ZodType<T>, value: unknown, name: string): Checked<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, message: issue === undefined ? `${name}: invalid` : messageOf(issue, value, name) };
}

export const LABEL_ID_EXPECTED = 'expected an id of a-z, 0-9 and -, at most 64 characters';

/** Lone surrogates are replaced, as UTF-8 would. */
export const textUpTo = (longest: number) => z.string().max(longest).overwrite(wellFormed);

/** As `textUpTo`, and not blank. */
export const nameUpTo = (longest: number) =>
  textUpTo(longest).refine((text) => text.trim() !== '', 'expected a text that is not blank');

/** A count or position. */
export const whole = wholeNumber('expected a whole number from 0');

/** The last moment that a date can be, in the year 275,760. */
const LAST_MOMENT = 8.64e15;
/** Milliseconds since 1970. */
export const time = wholeNumber('expected milliseconds since 1970', LAST_MOMENT);

function wholeNumber(error: string, most = Number.MAX_SAFE_INTEGER) {
  return z.custom<number>((value) => (indexOf(value) ?? Number.POSITIVE_INFINITY) <= most, { error });
}

/** The input type of `T`. Null and an absent field mean the same. */
export type Nullish<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | null : T[K] };

/** Leaves out fields that are null or undefined. */
export function present<T extends object>(fields: Nullish<T>): T {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as T;
}

function messageOf(issue: z.core.$ZodIssue, root: unknown, name: string): string {
  let value = root;
  let at = name;
  for (const step of issue.path) {
    at += typeof step === 'number' ? `[${step}]` : `.${String(step)}`;
    value = (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[step];
  }
  // The message of a check over several fields already names the values.
  if (issue.code === 'custom' && typeof value === 'object' && value !== null)
    return `${at}: ${issue.message}`;
  return `${at}: ${expectedBy(issue)}; found ${foundIn(issue, value)}`;
}

const KINDS: Readonly<Record<string, string>> = { object: 'an object', array: 'a list', string: 'a text' };

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}`;
    case 'too_big':
      return `expected at most ${issue.maximum} ${issue.origin === 'array' ? 'entries' : 'characters'}`;
    default:
      return issue.message;
  }
}

function foundIn(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'nothing';
  if (issue.code === 'too_big') return String((value as { readonly length: number }).length);
  const text = jsonText(value);
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}
