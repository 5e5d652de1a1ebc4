/** The length of the texts in a value, and what a record of many copies of one text is. */
import { expect, it } from 'vitest';
import { parseRecord } from '../../electron/ingest/parseRecord.ts';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { textLength } from '../../shared/format/textLength.ts';

it('counts texts, names and other values at any depth', () => {
  let deep: unknown = 'four';
  for (let depth = 0; depth < 100_000; depth++) deep = depth % 2 ? [deep, null, 1] : { a: deep };
  expect(textLength(deep)).toBe(4 + 50_000 + 2 * 100_000 + 2 * 100_000);
  expect(textLength({ one: ['two', { three: true }], four: undefined })).toBe(3 + 3 + 5 + 2 + 4 + 3 * 2);
});

it('measures a value once that many others share', () => {
  const shared = { texts: Array.from({ length: 100_000 }, () => 'ab') };
  const known = new Map<object, number>();
  for (let i = 0; i < 2_000; i++) expect(textLength({ shared }, known)).toBe(200_000 + 5 + 6 + 3 * 2);
});

it('a record whose rollouts each have a copy of a long field is refused', () => {
  const answer = (choices: number) =>
    Buffer.from(
      JSON.stringify({
        ...{
          id: 'a',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          system_fingerprint: 'f'.repeat(700_000),
        },
        choices: Array.from({ length: choices }, (_, index) => ({
          ...{ index, finish_reason: 'stop', message: { role: 'assistant', content: 'x' } },
          logprobs: { content: [{ token: 'x', logprob: -1, bytes: [120], top_logprobs: [] }] },
        })),
      }),
    );
  const format = formatNamed('openai-logprobs');
  const reader = format?.open({ name: 'a', layout: layoutOf('a') });
  if (reader === undefined) throw new Error('no such format');
  const linesOf = (choices: number) => {
    const outcome = parseRecord(reader, answer(choices), 1);
    return outcome.kind === 'read' ? outcome.lines : [];
  };
  expect(linesOf(8).map(({ kind }) => kind)).toEqual(Array.from({ length: 8 }, () => 'rollout'));
  expect(linesOf(3_000)).toMatchObject([{ kind: 'issue', issue: { severity: 'refused', code: 'too_long' } }]);
});
