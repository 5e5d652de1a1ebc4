/** Issues and warnings that readers report about a record, and how they describe an unexpected value. */
import { indexOf, insteadOfIndex, isUnread } from './fields.ts';
import type { FileContext, LineIssue, ParsedLine } from './format.ts';

export function refused(code: string, message: string): ParsedLine {
  return { kind: 'issue', issue: { severity: 'refused', code, message } };
}

export function warned(code: string, message: string): LineIssue {
  return { severity: 'warning', code, message };
}

/** Describes a value in a message, as briefly as recognition allows. */
export function found(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`;
}

/**
 * The step of a record, else that of its path. An invalid step is named in a warning. Otherwise the rollout
 * would silently get another step, or none.
 *
 * @param value of the field `name`, as parsed
 */
export function readStep(
  value: unknown,
  name: string,
  { layout }: Pick<FileContext, 'layout'>,
  warnings: LineIssue[],
): number | undefined {
  const step = indexOf(value);
  if (isUnread(value, step)) {
    const counts =
      layout.step === undefined ? 'the step is unknown' : `step ${layout.step} of the path is used`;
    const message = `a step is a whole number from 0 in "${name}"${insteadOfIndex(value)}; ${counts}`;
    warnings.push(warned('unread_value', message));
  }
  return step ?? layout.step;
}
