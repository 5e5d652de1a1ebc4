/** Fields that the rollouts of a record share are read once, because a short record may have thousands of rollouts. */
import { describe, expect, it } from 'vitest';
import { rememberLast } from '../../shared/domain/rememberLast.ts';
import type { LogFormat } from '../../shared/format/format.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { openaiLogprobs } from '../../shared/format/openaiLogprobs.ts';
import { tir } from '../../shared/format/tir.ts';
import { callsOf } from '../support/callsOf.ts';

const PARTS = 4000;

/** Calls of functions while a record of so many rollouts is read. */
function callsFor(format: LogFormat, record: Readonly<Record<string, unknown>>, rollouts: number): number {
  const reader = format.open({ name: 'a', layout: layoutOf('a') });
  let read: ReturnType<typeof reader.read> = [];
  const calls = callsOf(() => {
    read = reader.read(record, 1);
  });
  expect(read).toHaveLength(rollouts);
  return calls;
}

describe('fifty rollouts of a record take little more work than two', () => {
  const choice = (index: number) => ({ index, message: { role: 'assistant', content: 'b' } });
  const many = <Value>(value: (i: number) => Value, times: number) =>
    Array.from({ length: times }, (_, i) => value(i));

  it.each([
    [
      'that share their messages',
      openaiLogprobs,
      (rollouts: number) => ({
        messages: many(() => ({ role: 'user', content: 'a' }), PARTS),
        response: { id: 'x', object: 'chat.completion', choices: many(choice, rollouts) },
      }),
    ],
    [
      'that share their ground truth',
      tir,
      (rollouts: number) => ({
        ...{ idx: 1, question: 'q', gt: `${'\\frac{1}{2}3 '.repeat(PARTS)}${rollouts}` },
        ...{ code: many(() => 'It is \\boxed{1}.', rollouts), pred: many(() => '1', rollouts) },
      }),
    ],
  ])('%s', (_what, format, record) => {
    expect(callsFor(format, record(50), 50) / callsFor(format, record(2), 2)).toBeLessThan(3);
  });
});

it('remembers the last result alone', () => {
  const asked: string[] = [];
  const lengthOf = rememberLast((text: string) => {
    asked.push(text);
    return text.length;
  });
  expect(['ab', 'ab', 'abc', 'ab'].map(lengthOf)).toEqual([2, 2, 3, 2]);
  expect(asked).toEqual(['ab', 'abc', 'ab']);
});
