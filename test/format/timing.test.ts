/** Logged times are read if complete and ignored otherwise. */
import { describe, expect, it } from 'vitest';
import { dateOf } from '../../shared/format/fields.ts';
import type { ParsedRollout } from '../../shared/format/format.ts';
import { layoutOf } from '../../shared/format/layout.ts';
import { durationOf, kvCacheOf, secondsOfDate, timingOf } from '../../shared/format/timing.ts';
import { turnwise } from '../../shared/format/turnwise.ts';

describe('timing', () => {
  it.each([
    [{}, {}],
    [{ worker: null, gpu: '', kvCache: 'full' }, {}],
    [{ worker: 3, gpu: 0 }, { timing: { worker: '3', gpu: '0' } }],
    [{ gpu: [0, 1] }, { timing: { gpu: '0+1' } }],
    [{ gpu: [0, {}] }, {}],
    [{ durationMs: -1 }, {}],
    [{ durationMs: 0, kvCache: 0.5 }, { timing: { durationMs: 0, kvCache: 0.5 } }],
  ])('%j is %j', (fields, read) => {
    expect(timingOf(fields)).toEqual(read);
  });

  it('KV cache use is a number, samples, or pairs; a mixture is ignored', () => {
    expect(kvCacheOf(0.7)).toBe(0.7);
    expect(kvCacheOf([0.1, 0.2])).toEqual([0.1, 0.2]);
    expect(
      kvCacheOf([
        [10, 0.1],
        [11, 0.2],
      ]),
    ).toEqual([
      [10, 0.1],
      [11, 0.2],
    ]);
    for (const odd of [[], [0.1, [1, 2]], [[1, 2, 3]], [[1, 'x']], 'x', null, Number.NaN])
      expect(kvCacheOf(odd)).toBeUndefined();
  });

  it('a number that no date can have is unknown', () => {
    for (const odd of [1e300, 8.64e21 + 1e7, -1, 0, Number.NaN]) expect(secondsOfDate(odd)).toBeUndefined();
    expect(secondsOfDate(8.64e21)).toBe(8.64e12);
    expect(secondsOfDate('275760-09-13T00:00:00Z')).toBeUndefined();
    expect([1e300, 8.64e12, -1].map(dateOf)).toEqual([undefined, 8.64e12, undefined]);
  });

  it('no duration is negative', () => {
    expect([0, 3.5, -1, '3', Number.POSITIVE_INFINITY].map(durationOf)).toEqual([
      0,
      3.5,
      ...Array(3).fill(undefined),
    ]);
  });
});

it('our own log: logged facts of a call are added to its text', () => {
  const call = '<tool_call>\n{"name": "python", "arguments": {"code": "1"}}\n</tool_call><|im_end|>\n';
  const answer =
    '<|im_start|>user\n<tool_response>\nTool call success\nstdout: 1\n\nexecution time: 0.02s\n</tool_response><|im_end|>\n<|im_start|>assistant\n';
  const reader = turnwise.open({ name: 'log', layout: layoutOf('log') } as never);
  const line = reader.read(
    {
      ...{ v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', problem: { prompt: 'p' }, reward: 1 },
      text: `${call}${answer}${call}${answer}done`,
      tool_calls: [{ turn: 2, latency_ms: 310, queue_ms: 4, worker: 7, start: 105.5 }],
      timing: { start: 100, end: 110, worker: 'w1', gpu: 2, kv_cache: [0.1, 0.4] },
    },
    1,
  ) as { readonly rollout: ParsedRollout };
  const { toolCalls, timing, startedAt, endedAt } = line.rollout;
  expect(toolCalls.map(({ latencyMs, latencySource }) => [latencyMs, latencySource])).toEqual([
    [20, undefined],
    [310, 'logged'],
  ]);
  expect(toolCalls[1]).toMatchObject({ queueMs: 4, worker: '7', startedAt: 105.5 });
  expect([startedAt, endedAt, timing]).toEqual([100, 110, { worker: 'w1', gpu: '2', kvCache: [0.1, 0.4] }]);
});
