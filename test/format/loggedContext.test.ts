/** Facts that logs state about contexts: requests, cut tool responses, withheld reasoning, tool definitions. */
import { describe, expect, it } from 'vitest';
import { inspect } from '../../shared/format/inspect.ts';
import { contextIn } from '../../shared/format/loggedContext.ts';
import { readMessage } from '../../shared/format/messageShape.ts';
import { responseOfItems } from '../../shared/format/responseItems.ts';

describe('reasoning that a provider withheld', () => {
  it.each([
    [{ type: 'redacted_thinking', data: 'EoAB' }],
    [{ type: 'thinking', thinking: '', signature: 'EoAB' }],
    [{ type: 'reasoning', reasoning: 'gAAAA', redacted: true }],
  ])('is no text of the policy: %j', (part) => {
    expect(readMessage({ role: 'assistant', content: [part] }).pieces).toEqual([{ kind: 'redacted' }]);
  });

  it('of the Responses API keeps the summary apart, and without a cipher the summary is the reasoning', () => {
    const summary = [{ type: 'summary_text', text: 'I add.' }];
    const hidden = responseOfItems([
      { type: 'reasoning', summary, encrypted_content: 'gAAAA' },
      { type: 'message', content: '4' },
    ]);
    expect(hidden.redacted).toEqual([{ turn: 1, summary: 'I add.' }]);
    expect(hidden.text).toBe('4');
    const open = responseOfItems([{ type: 'reasoning', summary, encrypted_content: null }]);
    expect(open.redacted).toBeUndefined();
    expect(open.segments.map(({ kind }) => kind)).toEqual(['reasoning']);
  });
});

it('an Inspect log has requests, dropped messages, compactions, cut responses and tools', () => {
  const answer = (id: string, calls: readonly object[] = []) => ({
    id,
    role: 'assistant',
    source: 'generate',
    content: id,
    tool_calls: calls,
  });
  const call = { id: 'c1', function: 'f', arguments: {} };
  const messages = [
    { id: 'u', role: 'user', content: '?' },
    answer('a1', [call]),
    { id: 't', role: 'tool', tool_call_id: 'c1', content: 'x' },
    answer('a2'),
    { id: 'u2', role: 'user', content: '?' },
    answer('a3'),
  ];
  const model = (id: string, input: readonly object[], total: number) => ({
    event: 'model',
    input,
    tools: [{ name: 'f' }],
    output: {
      choices: [{ message: answer(id) }],
      usage: { input_tokens: total - 2, output_tokens: 2, total_tokens: total },
    },
  });
  const events = [
    model('a1', messages.slice(0, 1), 12),
    { event: 'tool', id: 'c1', truncated: [0, 5] },
    model('a2', messages.slice(1, 3), 11),
    { event: 'compaction', tokens_before: 40, tokens_after: 9 },
    model('a3', messages.slice(4, 5), 9),
  ];
  const sample = { id: 1, epoch: 1, input: '?', target: '', messages, events };
  const read = inspect.open({ name: 's', layout: { stem: 's', depth: 0 } }).read(sample, 1);
  const line = Array.isArray(read) ? read[0] : read;
  const context = line?.kind === 'rollout' ? line.rollout.context : undefined;
  const field = 'events[].output.usage';
  expect(context).toEqual({
    requests: [
      { field, tokens: 10 },
      { field, tokens: 9, droppedMessages: 1 },
      { field, tokens: 7, droppedMessages: 4, compactedBy: 'events[], a compaction event' },
    ],
    truncated: [{ call: 0, field: 'events[].truncated' }],
    tools: { field: 'events[].tools', text: '[\n{"name":"f"}\n]' },
  });
});

it('is read back without what has another shape', () => {
  const { requests, truncated, redacted, tools } = contextIn({
    logged_context: {
      requests: [{ tokens: 3 }, { field: 'f', tokens: -1 }],
      truncated: [{}],
      redacted: [{ turn: 'x' }],
      tools: 3,
    },
  });
  expect([...requests]).toEqual([[2, { field: 'f' }]]);
  expect([truncated, redacted, tools]).toEqual([[], [], undefined]);
  expect(contextIn({ info: { oai_tools: [{ function: {} }] } }).tools?.field).toBe('info.oai_tools');
});

it('tool definitions are no longer for being nested deeply', () => {
  const nested = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
  const { tools } = contextIn({ tools: [{ name: 'f', parameters: JSON.parse(nested) as unknown }] });
  expect(tools?.text.length).toBeLessThan(2 * nested.length);
});
