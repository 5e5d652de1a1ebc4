/** Expected actions of a task, and which of them the policy took. */
import { expect, it } from 'vitest';
import { expectedActions } from '../../shared/domain/expectedActions.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';

type Call = readonly [name: string, args: object];
const rollout = (...calls: readonly Call[]) => {
  const response = calls
    .map(([name, args]) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`)
    .join('\n');
  return { response, ...segmentResponse(response, { startsInReasoning: false }) };
};
const done = (truth: string, ...calls: readonly Call[]) =>
  expectedActions(truth, rollout(...calls))?.map(({ tool, call }) => [tool, call !== undefined]);

it('finds calls of the same tool and arguments, in any order', () => {
  const truth = 'cancel {"id": "#7", "why": {"a": 1, "b": 2}}\nbook {"id": "#8"}\nrefund {"id": "#9"}';
  expect(
    done(
      truth,
      ['book', { id: '#8' }],
      ['refund', { id: '9' }],
      ['cancel', { why: { b: 2, a: 1 }, id: '#7' }],
    ),
  ).toEqual([
    ['cancel', true],
    ['book', true],
    ['refund', false],
  ]);
});

it('names the other calls of a tool whose expected call is missing', () => {
  const truth = 'book {"id": 8}\nbook {"id": 9}';
  const found = expectedActions(truth, rollout(['book', { id: 7 }], ['book', { id: 9 }], ['cancel', {}]));
  expect(found?.map(({ others }) => others.map(({ text }) => text))).toEqual([['{"id":7}'], []]);
});

it('lets a call answer one expected action only', () => {
  const twice = 'book {"id": 8}\nbook {"id": 8}';
  expect(done(twice, ['book', { id: 8 }])).toEqual([
    ['book', true],
    ['book', false],
  ]);
  expect(done(twice, ['book', { id: 8 }], ['book', { id: 8 }])?.every(([, isDone]) => isDone)).toBe(true);
});

it('prefers the call that succeeded when the policy tried again', () => {
  const twice = rollout(['book', { id: 8 }], ['book', { id: 8 }]);
  const outcomes = ['timeout', 'ok'] as const;
  const toolCalls = twice.toolCalls.map((call, i) => ({
    ...call,
    outcome: outcomes[i] ?? ('missing' as const),
  }));
  const [found] = expectedActions('book {"id": 8}', { ...twice, toolCalls }) ?? [];
  expect(found?.call?.outcome).toBe('ok');
});

it('does not look up what the simulated user should do', () => {
  const found = expectedActions(
    'user: toggle_data {}\ncheck {}',
    rollout(['toggle_data', {}], ['check', {}]),
  );
  expect(found).toMatchObject([
    { tool: 'toggle_data', isOfUser: true },
    { tool: 'check', isOfUser: false, call: { turn: 1 } },
  ]);
  expect(found?.[0]).not.toHaveProperty('call');
});

it('reads no other ground truth as actions', () => {
  for (const truth of ['', '42', 'book {"id": 8}\n42', 'def f(x): {x}\n', 'a {}\n'.repeat(201)])
    expect(expectedActions(truth, rollout())).toBeUndefined();
});
