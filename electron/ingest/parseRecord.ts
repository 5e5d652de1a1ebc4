/**
 * Parses one record. Never throws and never drops a record silently. The result is rollouts, a join, a record type
 * that the format documents, or exactly one refusal.
 */

import type { LineIssue, ParsedLine, RecordReader } from '../../shared/format/format.ts';
import { textLength } from '../../shared/format/textLength.ts';
import type { RecordUnit } from './containers/container.ts';
import { isNestedTooDeeply } from './discover.ts';
import { readRecord } from './readRecord.ts';

export type RecordOutcome =
  | { readonly kind: 'blank' }
  | {
      readonly kind: 'read';
      readonly lines: readonly ParsedLine[];
      /** Repairs that were made between bytes and values. */
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
    const length = lengthOfAll(lines);
    if (length > LONGEST_OF_ANY + MOST_COPIES * bytes.byteLength)
      return refused({
        ...{ severity: 'refused', code: 'too_long' },
        message: `its ${lines.length} rollouts have ${length} characters, in a record of ${bytes.byteLength} bytes`,
      });
    return { kind: 'read', lines: asOneRefusal(lines), warnings: reading.warnings };
  } catch (error) {
    return refused(unreadable(error));
  }
}

/** Limit in UTF-16 units of what the rollouts of one record have: a base, and this many times the record. */
const [LONGEST_OF_ANY, MOST_COPIES] = [64 << 20, 16];

/** UTF-16 units of the texts of a record's rollouts, if it has several. Each of them has the fields that they share. */
function lengthOfAll(lines: readonly ParsedLine[]): number {
  if (lines.length < 2) return 0;
  const known = new Map<object, number>();
  const texts = new Set<string>();
  let length = 0;
  for (const line of lines) {
    if (line.kind !== 'rollout') continue;
    const { response, problem, extra } = line.rollout;
    length += response.length + textLength(extra, known);
    // Problems are stored once.
    for (const text of [problem.prompt, problem.userScenario ?? '', problem.groundTruth ?? '']) {
      if (!texts.has(text)) length += text.length;
      texts.add(text);
    }
  }
  return length;
}

export function unreadable(error: unknown): LineIssue {
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the record cannot be read: ${isNestedTooDeeply(error) ? 'it is nested too deeply' : reason}`;
  return { severity: 'refused', code: 'unreadable_record', message };
}

function refused(issue: LineIssue): RecordOutcome {
  return { kind: 'read', lines: [{ kind: 'issue', issue }], warnings: [] };
}

/** Merges the refusals of a record none of whose rollouts could be read into one. */
function asOneRefusal(lines: readonly ParsedLine[]): readonly ParsedLine[] {
  const isRead = lines.some(({ kind }) => kind === 'rollout' || kind === 'signal' || kind === 'decision');
  const refusals = isRead ? [] : lines.filter((line) => line.kind === 'issue');
  const [first, ...others] = refusals;
  if (first === undefined || others.length === 0) return lines;
  const rest = others.length === 1 ? 'another part' : `${others.length} other parts`;
  const message = `${first.issue.message}; the same holds for ${rest} of the record`;
  const merged: ParsedLine = { kind: 'issue', issue: { ...first.issue, message } };
  return [...lines.filter((line) => line.kind !== 'issue'), merged];
}
