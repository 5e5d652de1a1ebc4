/**
 * One record to what it says. Whatever it does to its reader, the answer is never an error and
 * never silence: it yields rollouts, joins one, is something its format documents, or is exactly
 * one refusal.
 */
import type { LineIssue, ParsedLine, RecordReader } from '../../shared/format/format.ts';
import type { RecordUnit } from './containers/container.ts';
import { readRecord } from './readRecord.ts';

export type RecordOutcome =
  | { readonly kind: 'blank' }
  | {
      readonly kind: 'read';
      readonly lines: readonly ParsedLine[];
      /** What was tolerated on the way from bytes to values. */
      readonly warnings: readonly LineIssue[];
    };

/** @param number of the record in its file, from 1 */
export function parseRecord(
  reader: RecordReader,
  bytes: Uint8Array,
  number: number,
  unit: RecordUnit = 'line',
): RecordOutcome {
  try {
    const reading = readRecord(bytes, number === 1, unit);
    if (reading.kind === 'blank') return reading;
    if (reading.kind === 'issue') return refused(reading.issue);
    const parsed = reader.read(reading.record, number);
    const lines = 'kind' in parsed ? [parsed] : parsed;
    return { kind: 'read', lines: asOneRefusal(lines), warnings: reading.warnings };
  } catch (error) {
    return refused(unreadable(error));
  }
}

export function unreadable(error: unknown): LineIssue {
  const reason = error instanceof Error ? error.message : String(error);
  // The stack is what nesting exhausts; what it says of itself explains nothing.
  const isTooDeep = error instanceof RangeError && reason.includes('call stack');
  const message = `the record cannot be read: ${isTooDeep ? 'it nests too deeply' : reason}`;
  return { severity: 'refused', code: 'unreadable_record', message };
}

function refused(issue: LineIssue): RecordOutcome {
  return { kind: 'read', lines: [{ kind: 'issue', issue }], warnings: [] };
}

/** A record of several rollouts none of which could be read is one refusal, as any other record, whatever it says of its run. */
function asOneRefusal(lines: readonly ParsedLine[]): readonly ParsedLine[] {
  const isRead = lines.some(({ kind }) => kind === 'rollout' || kind === 'signal' || kind === 'decision');
  const refusals = isRead ? [] : lines.filter((line) => line.kind === 'issue');
  const [first, ...others] = refusals;
  if (first === undefined || others.length === 0) return lines;
  const rest = others.length === 1 ? 'another one of it' : `${others.length} others of it`;
  const message = `${first.issue.message}; so it is with ${rest}`;
  const merged: ParsedLine = { kind: 'issue', issue: { ...first.issue, message } };
  return [...lines.filter((line) => line.kind !== 'issue'), merged];
}
