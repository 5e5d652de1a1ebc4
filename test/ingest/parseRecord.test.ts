/** Every record has exactly one outcome, and an unreadable one exactly one refusal. */
import { expect, it } from 'vitest';
import { parseRecord } from '../../electron/ingest/parseRecord.ts';
import type { ParsedLine, RecordReader } from '../../shared/format/format.ts';

const refusal = (message: string): ParsedLine => ({
  kind: 'issue',
  issue: { severity: 'refused', code: 'no_text', message },
});
const metric: ParsedLine = { kind: 'metric', metric: { step: 1, metrics: { reward: 1 } } };
const readerOf = (...lines: readonly ParsedLine[]): RecordReader => ({ read: () => lines });
const outcomeOf = (reader: RecordReader, text = '{}') => {
  const outcome = parseRecord(reader, Buffer.from(text), 2);
  return outcome.kind === 'read' ? outcome.lines : outcome.kind;
};

it('refuses a record once, however many rollouts of it cannot be read', () => {
  expect(outcomeOf(readerOf(refusal('a has no text')))).toEqual([refusal('a has no text')]);
  expect(outcomeOf(readerOf(refusal('a has no text'), refusal('b')))).toEqual([
    refusal('a has no text; the same holds for another part of the record'),
  ]);
  expect(outcomeOf(readerOf(refusal('a has no text'), refusal('b'), refusal('c')))).toEqual([
    refusal('a has no text; the same holds for 2 other parts of the record'),
  ]);
});

it('keeps the run facts of such a record', () => {
  expect(outcomeOf(readerOf(refusal('a'), metric, refusal('b')))).toEqual([
    metric,
    refusal('a; the same holds for another part of the record'),
  ]);
});

it('names unread fields of a readable record', () => {
  const decision: ParsedLine = {
    kind: 'decision',
    decision: { address: { joinKey: 'k' }, decision: { kept: true } },
  };
  const lines = [refusal('a'), decision, refusal('b')];
  expect(outcomeOf(readerOf(...lines))).toEqual(lines);
});

it('refuses a record on which its reader throws, with the reason', () => {
  const deep = (depth: number): number => deep(depth + 1) + 1;
  const overflow: RecordReader = { read: () => [refusal(String(deep(0)))] };
  expect(outcomeOf(overflow)).toMatchObject([
    { issue: { code: 'unreadable_record', message: 'the record cannot be read: it is nested too deeply' } },
  ]);
  const broken: RecordReader = {
    read() {
      throw new Error('no such thing');
    },
  };
  expect(outcomeOf(broken)).toMatchObject([
    {
      issue: {
        severity: 'refused',
        code: 'unreadable_record',
        message: 'the record cannot be read: no such thing',
      },
    },
  ]);
});

it('skips only blank records', () => {
  expect(outcomeOf(readerOf(metric), ' \t\r')).toBe('blank');
  expect(outcomeOf(readerOf(metric), '7')).toMatchObject([{ issue: { code: 'not_an_object' } }]);
});
