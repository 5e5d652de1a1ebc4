/** Traces of tracers: which model calls are the conversation, odd trees, and records of the wrong shape. */
import { describe, expect, it } from 'vitest';
import type { ParsedRollout, RecordReader } from '../../shared/format/format.ts';
import { PARTS_KEY } from '../../shared/format/format.ts';
import { formatNamed } from '../../shared/format/index.ts';
import { layoutOf } from '../../shared/format/layout.ts';

type Json = Record<string, unknown>;

const NAMES = ['openinference', 'langfuse', 'langsmith', 'openai-agents', 'openai-stream', 'atif'];

function readerOf(name: string): RecordReader {
  const format = formatNamed(name);
  if (format === undefined) throw new Error(`no format ${name}`);
  return format.open({ name: 'unknown', layout: layoutOf('unknown') });
}

function rolloutOf(name: string, parts: readonly Json[]): ParsedRollout {
  const lines = [readerOf(name).read({ [PARTS_KEY]: parts }, 1)].flat();
  const [line] = lines;
  if (line?.kind !== 'rollout') throw new Error(JSON.stringify(line));
  return line.rollout;
}

const message = (role: string, content: string, more: Json = {}): Json => ({ role, content, ...more });
const call = (id: string, name: string): Json => ({ id, function: { name, arguments: '{}' } });

function observation(id: string, type: string, start: number, more: Json = {}): Json {
  const at = (seconds: number): string => new Date(1_772_359_200_000 + 1000 * seconds).toISOString();
  return { id, traceId: 't', type, name: id, startTime: at(start), endTime: at(start + 0.5), ...more };
}

const textsOf = ({ response, segments }: ParsedRollout): readonly string[] =>
  segments.map(({ inner }) => response.slice(inner.start, inner.end));

describe('a trace', () => {
  it('leaves out model calls of subagents, which run below a tool', () => {
    const asked = [message('user', 'q')];
    const answer = message('assistant', '', { tool_calls: [call('c1', 'ask')] });
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, { input: asked, output: answer }),
      observation('ask', 'TOOL', 1, { output: 'done' }),
      observation('chain', 'CHAIN', 1.1, { parentObservationId: 'ask' }),
      ...[1.2, 1.3].map((start) =>
        observation(`sub${start}`, 'GENERATION', start, {
          parentObservationId: 'chain',
          input: [message('system', 's'), ...asked, message('assistant', 'x'), message('user', 'y')],
          output: 'a long conversation of its own',
        }),
      ),
      observation('g2', 'GENERATION', 2, {
        input: [...asked, answer, message('tool', 'done', { tool_call_id: 'c1' })],
        output: message('assistant', 'end'),
      }),
    ]);
    expect(rollout.problem.prompt).toBe('q');
    expect(textsOf(rollout)).toEqual(['{"name": "ask", "arguments": {}}', 'done', 'end']);
    expect(rollout.toolCalls.map(({ outcome, latencyMs }) => [outcome, latencyMs])).toEqual([['ok', 500]]);
  });

  it('takes reasoning from the call that gave the answer', () => {
    const answer = message('assistant', 'a1');
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, {
        input: [message('user', 'q')],
        output: { ...answer, reasoning_content: 'why' },
        usageDetails: { output: 3 },
      }),
      observation('g2', 'GENERATION', 1, {
        input: [message('user', 'q'), answer, message('user', 'more')],
        output: 'a2',
        usageDetails: { output: 5 },
      }),
    ]);
    expect(textsOf(rollout)).toEqual(['why', 'a1', 'more', 'a2']);
    expect(rollout.turns.map(({ policyTokens }) => policyTokens)).toEqual([3, 5]);
  });

  it('reads a long message once, however many calls are compared with it', () => {
    let reads = 0;
    const part = {
      type: 'text',
      get text() {
        reads++;
        return 'q';
      },
    };
    const long = { role: 'user', content: [part] };
    const others = Array.from({ length: 500 }, (_, i) =>
      observation(`g${i}`, 'GENERATION', i, { input: [message('user', 'other')], output: 'a' }),
    );
    rolloutOf('langfuse', [
      ...others,
      observation('g', 'GENERATION', 500, { input: [long, message('user', 'z')], output: 'a' }),
    ]);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(50);
  });

  it('takes earlier answers in the first call as context', () => {
    const before = [message('user', 'q1'), message('assistant', 'a1'), message('user', 'q2')];
    const rollout = rolloutOf('langfuse', [
      observation('g', 'GENERATION', 0, { input: before, output: 'a2' }),
    ]);
    expect(rollout.problem.prompt).toBe('q1\n\na1\n\nq2');
    expect(textsOf(rollout)).toEqual(['a2']);
  });

  it('keeps the turns of an agent whose system message changes from call to call', () => {
    const answer = message('assistant', '', { tool_calls: [call('c1', 'f')] });
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, {
        input: [message('system', 'It is 10:01.'), message('user', 'q')],
        output: answer,
        usageDetails: { output: 3 },
      }),
      observation('f', 'TOOL', 1, { output: 'x' }),
      observation('g2', 'GENERATION', 2, {
        input: [
          message('system', 'It is 10:02.'),
          ...[message('user', 'q'), answer, message('tool', 'x', { tool_call_id: 'c1' })],
        ],
        output: 'end',
        usageDetails: { output: 1 },
      }),
    ]);
    expect(rollout.problem.prompt).toBe('It is 10:02.\n\nq');
    expect(textsOf(rollout)).toEqual(['{"name": "f", "arguments": {}}', 'x', 'end']);
    expect(rollout.toolCalls.map(({ latencyMs }) => latencyMs)).toEqual([500]);
    expect(rollout.turns.map(({ policyTokens }) => policyTokens)).toEqual([3, 1]);
  });

  it('leaves examples in the prompt that have the text of an answer', () => {
    const examples = [message('user', 'good'), message('assistant', 'positive')];
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, { input: [...examples, message('user', 'a')], output: 'positive' }),
      observation('g2', 'GENERATION', 1, { input: [...examples, message('user', 'b')], output: 'negative' }),
    ]);
    expect(rollout.problem.prompt).toBe('good\n\npositive\n\nb');
    expect(textsOf(rollout)).toEqual(['negative']);
  });

  it('has no error if only a side call failed', () => {
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, { input: [message('user', 'q')], output: 'a' }),
      observation('title', 'GENERATION', 1, {
        ...{ input: 'Name this chat.', level: 'ERROR', statusMessage: 'rate limit' },
      }),
    ]);
    expect(rollout.stopReason).toBeUndefined();
    expect(textsOf(rollout)).toEqual(['a']);
  });

  it('reads calls and results of the AI SDK', () => {
    const asked = [message('user', '6·7?')];
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, {
        input: JSON.stringify(asked),
        output:
          '[{"toolCallType": "function", "toolCallId": "c1", "toolName": "calc", "args": "{\\"e\\": 1}"}]',
        usageDetails: { output: 4, output_reasoning_tokens: 6, total: 15 },
      }),
      observation('ai.toolCall', 'TOOL', 1, {
        ...{ input: { e: 1 }, output: 42 },
        metadata: { attributes: { 'ai.toolCall.id': 'c1', 'ai.toolCall.name': 'calc' } },
      }),
      observation('g2', 'GENERATION', 2, {
        input: [
          ...asked,
          {
            role: 'assistant',
            content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'calc', input: { e: 1 } }],
          },
          {
            role: 'tool',
            content: [{ type: 'tool-result', toolCallId: 'c1', output: { type: 'json', value: 42 } }],
          },
        ],
        output: { text: 'end', toolCalls: [{ toolCallId: 'c2', toolName: 'calc', input: '{}' }] },
        usageDetails: { output: 1 },
      }),
    ]);
    expect(textsOf(rollout)).toEqual([
      ...['{"name": "calc", "arguments": {"e": 1}}', '42', 'end', '{"name": "calc", "arguments": {}}'],
    ]);
    expect(rollout.toolCalls.map(({ callId, latencyMs }) => [callId, latencyMs])).toEqual([
      ['c1', 500],
      ['c2', undefined],
    ]);
    expect(rollout.turns.map(({ policyTokens }) => policyTokens)).toEqual([10, 1]);
  });

  it('reads answers and calls of Gemini', () => {
    const asked = [{ role: 'user', parts: [{ text: '6·7?' }] }];
    const answer = {
      role: 'model',
      parts: [
        { text: 'hm', thought: true },
        { text: 'I calc.' },
        { functionCall: { name: 'calc', args: {} } },
      ],
    };
    const result = { functionResponse: { name: 'calc', response: { result: 42 } } };
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, {
        input: { contents: asked },
        output: { candidates: [{ content: answer, finishReason: 'STOP' }] },
      }),
      observation('g2', 'GENERATION', 1, {
        input: { contents: [...asked, answer, { role: 'function', parts: [result] }] },
        output: {
          candidates: [{ content: { role: 'model', parts: [{ text: '4' }] }, finishReason: 'MAX_TOKENS' }],
        },
      }),
    ]);
    expect(textsOf(rollout)).toEqual([
      ...['hm', 'I calc.', '{"name": "calc", "arguments": {}}', '{"result":42}', '4'],
    ]);
    expect(rollout.toolCalls.map(({ outcome }) => outcome)).toEqual(['ok']);
    expect(rollout.stopReason).toBe('length');
  });

  it('stops where a Response is incomplete', () => {
    const rollout = rolloutOf('langfuse', [
      observation('g', 'GENERATION', 0, {
        input: 'q',
        output: { output: [], incomplete_details: { reason: 'max_output_tokens' } },
      }),
    ]);
    expect(rollout.stopReason).toBe('length');
  });

  it('has a system message that Anthropic got in parts', () => {
    const system = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
    const rollout = rolloutOf('langfuse', [
      observation('g', 'GENERATION', 0, { input: { system, messages: [message('user', 'q')] }, output: 'r' }),
    ]);
    expect(rollout.problem.prompt).toBe('Be brief.\n\nq');
  });

  it('finds the calls of functions that the Python SDK of Langfuse observes', () => {
    const calls = [1, 2].map((e) => ({ id: `c${e}`, function: { name: 'f', arguments: `{"e": ${e}}` } }));
    const rollout = rolloutOf('langfuse', [
      observation('g', 'GENERATION', 0, {
        input: 'q',
        output: message('assistant', '', { tool_calls: calls }),
      }),
      ...[2, 1, 3].map((e) =>
        observation('f', 'TOOL', e, { id: `f${e}`, input: { args: [], kwargs: { e } }, output: `r${e}` }),
      ),
    ]);
    expect(textsOf(rollout).slice(2)).toEqual(['r1', 'r2']);
    expect(rollout.toolCalls.map(({ startedAt }) => startedAt)).toEqual([1_772_359_201, 1_772_359_202]);
  });

  it.each([
    ['Max turns exceeded', 'turn-limit'],
    ["GraphRecursionError('Recursion limit of 25 reached')", 'turn-limit'],
    ['asyncio.exceptions.CancelledError()', 'aborted'],
    ['ValueError: CancelledError', 'error'],
  ])('ends with %s as %s', (statusMessage, stopReason) => {
    const rollout = rolloutOf('langfuse', [
      observation('run', 'AGENT', 0, { level: 'ERROR', statusMessage }),
      observation('g', 'GENERATION', 1, { parentObservationId: 'run', input: 'q', output: 'r' }),
    ]);
    expect(rollout.stopReason).toBe(stopReason);
    expect(rollout.stopReasonLogged).toBe('ERROR');
  });

  it('adds the last result if every answer has calls with the same ids', () => {
    const answer = message('assistant', '', { tool_calls: [call('call_0', 'f')] });
    const asked = [message('user', 'q'), answer, message('tool', 'one', { tool_call_id: 'call_0' })];
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, { input: asked.slice(0, 1), output: answer }),
      observation('f', 'TOOL', 1, { id: 'f1', input: {}, output: 'one' }),
      observation('g2', 'GENERATION', 2, { input: asked, output: answer }),
      observation('f', 'TOOL', 3, { id: 'f2', input: {}, output: 'two' }),
    ]);
    const text = '{"name": "f", "arguments": {}}';
    expect(textsOf(rollout)).toEqual([text, 'one', text, 'two']);
  });

  it('has no error if another attempt succeeded', () => {
    const attempt = { input: [message('user', 'q')] };
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, { ...attempt, level: 'ERROR', statusMessage: 'rate limit' }),
      observation('g2', 'GENERATION', 1, { ...attempt, output: 'a' }),
    ]);
    expect(rollout.stopReason).toBeUndefined();
    expect(textsOf(rollout)).toEqual(['a']);
  });

  it('ends as the last of several agents', () => {
    const error = { level: 'ERROR', statusMessage: 'Max turns exceeded' };
    const rollout = rolloutOf('langfuse', [
      ...[observation('first', 'AGENT', 0), observation('second', 'AGENT', 2, error)],
      observation('g', 'GENERATION', 1, { parentObservationId: 'first', input: 'q', output: 'r' }),
    ]);
    expect(rollout.stopReason).toBe('turn-limit');
  });

  it('has results as the next call got them, not as later calls shortened them', () => {
    const asked = [message('user', 'q'), message('assistant', 'a1')];
    const rollout = rolloutOf('langfuse', [
      observation('g1', 'GENERATION', 0, { input: asked.slice(0, 1), output: 'a1' }),
      observation('g2', 'GENERATION', 1, { input: [...asked, message('user', 'long')], output: 'a2' }),
      observation('g3', 'GENERATION', 2, {
        input: [...asked, message('user', '…'), message('assistant', 'a2'), message('user', 'last')],
        output: 'a3',
      }),
    ]);
    expect(textsOf(rollout)).toEqual(['a1', 'long', 'a2', 'last', 'a3']);
  });

  it('measures latencies below a millisecond', () => {
    const rollout = rolloutOf('langfuse', [
      observation('g', 'GENERATION', 0, {
        input: 'q',
        output: message('assistant', '', { tool_calls: [call('c1', 'f')] }),
      }),
      observation('f', 'TOOL', 1, {
        ...{ startTime: '2026-03-01T10:00:01.000100Z', endTime: '2026-03-01 10:00:01.000450', output: 'x' },
      }),
    ]);
    expect(rollout.toolCalls.map(({ latencyMs }) => latencyMs)).toEqual([0.35]);
  });

  it('gives no call a latency that several tools of one name could have', () => {
    const answer = message('assistant', '', { tool_calls: [call('c1', 'f'), call('c2', 'f')] });
    const rollout = rolloutOf('langfuse', [
      observation('g', 'GENERATION', 0, { input: 'q', output: answer }),
      ...[1, 2, 3].map((start) =>
        observation('f', 'TOOL', start, { id: `f${start}`, input: { start }, output: 'x' }),
      ),
    ]);
    expect(rollout.toolCalls.map(({ latencyMs }) => latencyMs)).toEqual([undefined, undefined]);
  });

  it('takes the last version of a span that is logged again', () => {
    const rollout = rolloutOf('langfuse', [
      observation('g', 'GENERATION', 0, { input: 'q' }),
      observation('g', 'GENERATION', 0, { input: 'q', output: 'r' }),
    ]);
    expect(textsOf(rollout)).toEqual(['r']);
    expect(rollout.extra['spans']).toHaveLength(1);
  });

  it('survives parents that are missing, in a circle, or repeated', () => {
    const rollout = rolloutOf('langfuse', [
      observation('a', 'CHAIN', 0, { parentObservationId: 'b' }),
      observation('b', 'TOOL', 0, { parentObservationId: 'a' }),
      observation('c', 'TOOL', 0, { parentObservationId: 'c' }),
      observation('c', 'CHAIN', 0, { parentObservationId: 'gone' }),
      observation('g', 'GENERATION', 1, { parentObservationId: 'nowhere', input: 'q', output: 'r' }),
    ]);
    expect(textsOf(rollout)).toEqual(['r']);
  });

  it('reads a hundred thousand spans of one trace', () => {
    const spans = (count: number): readonly Json[] => {
      const list: Json[] = [];
      for (let i = 0; i < count; i++) {
        list.push(
          observation(`o${i}`, i % 3 === 0 ? 'TOOL' : 'CHAIN', i / 1e4, { parentObservationId: `o${i - 1}` }),
        );
      }
      for (let i = 0; i < count; i++) {
        const output = message('assistant', `a${i}`, { tool_calls: [call(`c${i}`, `f${i % 7}`)] });
        list.push(observation(`g${i}`, 'GENERATION', i / 1e4, { input: 'q', output }));
        list.push(observation(`f${i % 7}`, 'TOOL', i / 1e4, { id: `t${i}`, input: {}, output: 'x' }));
      }
      return list;
    };
    // Quadratic work on 105,000 spans outlasts the test's time limit.
    const rollout = rolloutOf('langfuse', spans(35_000));
    expect(rollout.turns.length).toBeGreaterThan(0);
  });
});

describe('a span of OpenInference', () => {
  const span = (id: string, input: readonly Json[], output: readonly Json[], n = 1): Json => ({
    ...{
      name: id,
      context: { trace_id: 't', span_id: id },
      span_kind: 'LLM',
      start_time: `2026-03-01T10:00:0${id}Z`,
    },
    attributes: {
      ...{ 'llm.input_messages': input, 'llm.output_messages': output, 'llm.token_count.completion': 9 },
      'llm.invocation_parameters': JSON.stringify({ n }),
    },
  });
  const items: readonly Json[] = [
    ...[message('assistant', 'I see.'), message('assistant', '', { tool_calls: [call('c1', 'f')] })],
    message('assistant', '', { tool_calls: [call('c2', 'f')] }),
  ];

  it('has one turn of several items of the Responses API', () => {
    const asked = [message('user', 'q')];
    const results = ['c1', 'c2'].map((id) => message('tool', id, { tool_call_id: id }));
    const rollout = rolloutOf('openinference', [
      span('1', asked, items),
      span('2', [...asked, ...items, ...results], [message('assistant', 'end')]),
    ]);
    const calls = Array.from({ length: 2 }, () => '{"name": "f", "arguments": {}}');
    expect(textsOf(rollout)).toEqual(['I see.', ...calls, 'c1', 'c2', 'end']);
    expect(rollout.turns.map(({ policyTokens }) => policyTokens)).toEqual([9, 9]);
  });

  it('has the first of several choices', () => {
    const choices = [message('assistant', '42'), message('assistant', '43')];
    const rollout = rolloutOf('openinference', [span('1', [message('user', 'q')], choices, 2)]);
    expect(textsOf(rollout)).toEqual(['42']);
    expect(JSON.stringify(rollout.extra)).toContain('43');
  });
});

it('keeps log-probabilities of ATIF that have no token ids', () => {
  const [line] = [
    readerOf('atif').read(
      {
        ...{ schema_version: 'ATIF-v1.7', session_id: 's' },
        steps: [{ source: 'agent', message: 'a', metrics: { completion_tokens: 1, logprobs: [-0.25] } }],
      },
      1,
    ),
  ].flat();
  expect(line?.kind === 'rollout' ? JSON.stringify(line.rollout.extra) : line).toContain('-0.25');
});

it('has no response of a tool for the summary of an ATIF trajectory', () => {
  const steps = [
    { source: 'agent', message: 'a' },
    {
      ...{ source: 'system', message: 'Summarized.' },
      observation: { results: [{ subagent_trajectory_ref: [{ session_id: 'x' }] }] },
    },
    { source: 'agent', message: 'b' },
  ];
  const [line] = [readerOf('atif').read({ schema_version: 'ATIF-v1.6', steps }, 1)].flat();
  if (line?.kind !== 'rollout') throw new Error(JSON.stringify(line));
  expect(textsOf(line.rollout)).toEqual(['a', 'Summarized.', 'b']);
});

describe('a streamed answer', () => {
  const chunk = (delta: Json, finish: string | null = null): Json => ({
    ...{ id: 'chatcmpl-7', object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const readLines = (chunks: readonly Json[]): readonly ParsedRollout[] =>
    [readerOf('openai-stream').read({ [PARTS_KEY]: chunks }, 1)].flat().map((line) => {
      if (line.kind !== 'rollout') throw new Error(JSON.stringify(line));
      return line.rollout;
    });

  it('ends where another answer with its id begins', () => {
    const answer = (text: string): readonly Json[] => [
      ...[chunk({ role: 'assistant', content: text }), chunk({ role: 'assistant', content: '!' })],
      chunk({ role: 'assistant', content: '' }, 'stop'),
    ];
    const rollouts = readLines([...answer('one'), ...answer('two')]);
    expect(rollouts.map(textsOf)).toEqual([['one!'], ['two!']]);
    expect(rollouts[0]?.groupKey).not.toBe(rollouts[1]?.groupKey);
  });

  it('has a call of the API before tools', () => {
    const [rollout] = readLines([
      chunk({ role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a"' } }),
      chunk({ function_call: { arguments: ': 1}' } }, 'function_call'),
    ]);
    expect(rollout?.toolCalls.map(({ name, arguments: args }) => [name, args])).toEqual([['f', '{"a":1}']]);
  });

  it.each([0, undefined])('has calls of several ids at index %s', (index) => {
    const part = (id: string | undefined, args: string): Json =>
      chunk({ tool_calls: [{ index, id, function: { name: id, arguments: args } }] });
    const [rollout] = readLines([
      ...[part('f', '{"a"'), part(undefined, ': 1}'), part('g', '{}'), chunk({}, 'tool_calls')],
    ]);
    expect(rollout?.toolCalls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ['f', '{"a":1}'],
      ['g', '{}'],
    ]);
  });
});

const ODD: readonly unknown[] = [
  ...[null, 0, -1, 1e308, '', 'x', '{"a":', '[[[[', true, [], {}, [null], [[]], [{}], { '0': { '0': {} } }],
  ...[{ role: 5, content: [[]] }, [{ role: 'assistant', content: null, tool_calls: 'x' }], { choices: [{}] }],
  ...[
    { generations: [[[[[{}]]]]] },
    { messages: { messages: { messages: [] } } },
    { lc: 1, id: [], kwargs: {} },
  ],
  ...[[{ type: 'function_call' }, { role: 'user', content: 1 }], { message: { message: { message: 1 } } }],
];

const SAMPLES: Readonly<Record<string, readonly Json[]>> = {
  openinference: ['LLM', 'TOOL', 'AGENT'].map((kind, i) => ({
    ...{
      name: 'n',
      context: { trace_id: 't', span_id: `s${i}` },
      span_kind: kind,
      parent_id: 's2',
      events: [],
    },
    ...{ start_time: '2026-03-01T10:00:00Z', end_time: '2026-03-01T10:00:01Z', status_code: 'ERROR' },
    attributes: {
      ...{ 'llm.input_messages': [{ message: { role: 'user', content: 'q' } }], 'input.value': 'q' },
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'n',
    },
  })),
  langfuse: ['GENERATION', 'TOOL', 'AGENT'].map((type, i) =>
    observation(`o${i}`, type, i, { input: 'q', output: 'r', level: 'ERROR', usageDetails: { output: 1 } }),
  ),
  langsmith: ['llm', 'tool', 'chain'].map((type, i) => ({
    ...{
      id: `r${i}`,
      trace_id: 't',
      parent_run_id: 'r2',
      run_type: type,
      name: 'n',
      inputs: { messages: [] },
    },
    ...{ outputs: { generations: [[{ text: 'r' }]] }, error: 'e', feedback_stats: { a: { n: 1, avg: 1 } } },
    ...{
      start_time: '2026-03-01T10:00:00',
      end_time: '2026-03-01T10:00:01',
      child_runs: [],
      dotted_order: 'x',
    },
  })),
  'openai-agents': ['generation', 'function', 'agent'].map((type, i) => ({
    ...{ object: 'trace.span', id: `s${i}`, trace_id: 't', parent_id: 's2', error: { message: 'e' } },
    ...{ started_at: '2026-03-01T10:00:00Z', ended_at: '2026-03-01T10:00:01Z' },
    span_data: { type, name: 'n', input: [message('user', 'q')], output: 'r', usage: { output_tokens: 1 } },
  })),
  'openai-stream': [
    {
      ...{ id: 'c', object: 'chat.completion.chunk', usage: null },
      choices: [
        {
          ...{ index: 0, finish_reason: null, logprobs: { content: [] }, token_ids: [1] },
          delta: { role: 'assistant', content: 'x', tool_calls: [{ index: 0, function: { name: 'f' } }] },
        },
      ],
    },
  ],
  atif: [
    {
      ...{ schema_version: 'ATIF-v1.7', session_id: 's', agent: { name: 'a' }, subagent_trajectories: [] },
      steps: [
        { step_id: 1, source: 'user', message: 'q', timestamp: '2026-03-01T10:00:00Z' },
        {
          ...{ step_id: 2, source: 'agent', message: 'r', tool_calls: [{ tool_call_id: 'c' }] },
          ...{
            observation: { results: [{ content: 'x' }] },
            metrics: { completion_token_ids: [1], logprobs: [0] },
          },
        },
      ],
    },
  ],
};

/** Every record with one value, at any depth, replaced. */
function* replaced(value: unknown, by: unknown): Generator<unknown> {
  yield by;
  if (Array.isArray(value)) {
    for (const [i, inner] of value.entries())
      for (const odd of replaced(inner, by)) yield value.map((each, at) => (at === i ? odd : each));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      for (const odd of replaced(inner, by)) yield { ...value, [key]: odd };
  }
}

describe.each(NAMES)('a record of %s with a value of the wrong type', (name) => {
  it('is read or refused, never thrown', () => {
    const reader = readerOf(name);
    const samples = SAMPLES[name] ?? [];
    let read = 0;
    for (const odd of ODD) {
      for (const record of replaced(samples, odd)) {
        const parts = Array.isArray(record) ? record : [record];
        const isRecord = (part: unknown): part is Json =>
          typeof part === 'object' && part !== null && !Array.isArray(part);
        const inputs =
          name === 'atif' ? parts.filter(isRecord) : [{ [PARTS_KEY]: parts }, ...parts.filter(isRecord)];
        for (const input of inputs) {
          const lines = [reader.read(input, 1)].flat();
          expect(lines.length).toBeGreaterThan(0);
          read++;
        }
      }
    }
    expect(read).toBeGreaterThan(100);
  });

  it('is nested deeply', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 5000; i++)
      deep = i % 2 === 0 ? [deep] : { message: deep, messages: deep, content: deep };
    const reader = readerOf(name);
    for (const record of SAMPLES[name] ?? []) {
      for (const key of Object.keys(record)) {
        try {
          reader.read(
            name === 'atif' ? { ...record, [key]: deep } : { [PARTS_KEY]: [{ ...record, [key]: deep }] },
            1,
          );
        } catch (error) {
          // Ingest refuses a record that exhausts the stack.
          expect(error).toBeInstanceOf(RangeError);
        }
      }
    }
  });
});
