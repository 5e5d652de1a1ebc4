/** What readers say about a record: one refused issue, a warning, and what was found instead. */
import type { LineIssue, ParsedLine } from './format.ts';

export function refused(code: string, message: string): ParsedLine {
  return { kind: 'issue', issue: { severity: 'refused', code, message } };
}

export function warned(code: string, message: string): LineIssue {
  return { severity: 'warning', code, message };
}

/** For messages: what a value is, with no more of it than a reader needs to recognise it. */
export function found(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`;
}
