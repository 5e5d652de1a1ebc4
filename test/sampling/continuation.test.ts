import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  type ContinuationPosition,
  type ContinuationStart,
  type ContinuedRollout,
  continuationFrom,
  continuationRequest,
  restOfSentence,
} from '../../shared/domain/continuation.ts';
import type { SegmentKind } from '../../shared/domain/model.ts';
import { readPrompt } from '../../shared/domain/prompt.ts';
import { segmentResponse } from '../../shared/domain/segment.ts';
import { toolReply } from '../../shared/domain/toolReply.ts';
import { endOfTurn } from '../../shared/domain/valueByTurn.ts';
import { promptOfMessages, responseOfMessages } from '../../shared/format/messages.ts';

const DEMO = new URL('../../fixtures/demo/demo.jsonl', import.meta.url);

function ofText(prompt: string, response: string, more: Partial<ContinuedRollout> = {}): ContinuedRollout {
  const read = readPrompt(prompt);
  const { segments } = segmentResponse(response, read);
  return { prompt, response, segments: [...read.segments, ...segments], ...more };
}

function ofMessages(
  prompt: readonly Record<string, unknown>[],
  messages: readonly Record<string, unknown>[],
): ContinuedRollout {
  const before = promptOfMessages(prompt);
  const { text, segments } = responseOfMessages(messages);
  return { prompt: before.text, response: text, segments: [...before.segments, ...segments] };
}

function startOf(
  rollout: ContinuedRollout,
  position: ContinuationPosition,
  edit?: string,
): ContinuationStart {
  const start = continuationFrom(rollout, position, edit);
  if (typeof start === 'string') throw new Error(start);
  return start;
}

const PROMPT =
  '<|im_start|>system\nUse the tool.<|im_end|>\n<|im_start|>user\n6*7?<|im_end|>\n<|im_start|>assistant\n<reason>';
const CALL = '<tool_call>\n{"name": "python", "arguments": {"code": "print(42)"}}\n</tool_call>';
const RAW = `I compute.</reason>\n${CALL}<|im_end|>\n<|im_start|>user\n<tool_response>\n42\n</tool_response><|im_end|>\n<|im_start|>assistant\n<reason>Fine. It is 42.</reason>\n<answer>42</answer><|im_end|>`;
const BARE = `I compute.</reason>\n${CALL}\nuser\n<tool_response>\n42\n</tool_response>\nassistant\n<reason>Fine.</reason>\n<answer>42</answer>`;

test('sends prompt and response as logged up to every position of the policy, over all rollouts of the demo', () => {
  const rollouts = readFileSync(DEMO, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"rollout"'))
    .map((line) => JSON.parse(line) as { problem: { prompt: string }; text?: string })
    .slice(0, 400);
  let positions = 0;
  for (const { problem, text } of rollouts) {
    if (text === undefined) continue;
    const rollout = ofText(problem.prompt, text);
    for (const { turn, kind, outer } of rollout.segments) {
      if (turn === 0 || kind === 'tool-response' || kind === 'user') continue;
      const at = Math.floor((outer.start + outer.end) / 2);
      const start = startOf(rollout, { kind: 'character', at }, 'Wait');
      expect(start.isRaw).toBe(true);
      expect(continuationRequest(start)).toEqual({
        form: 'text',
        prompt: `${problem.prompt}${text.slice(0, at)}Wait`,
      });
      positions += 1;
    }
  }
  expect(positions).toBeGreaterThan(1_000);
});

test('sends the same from the end of a turn as from the start of the next one', () => {
  const call = { id: 'c1', function: { name: 'python', arguments: '{"code": "print(42)"}' } };
  const messages = ofMessages(
    [{ role: 'user', content: '6*7?' }],
    [
      { role: 'assistant', content: 'I compute.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
      { role: 'assistant', content: 'It is 42.' },
      { role: 'user', content: 'Sure?' },
      { role: 'assistant', content: 'Yes.' },
    ],
  );
  for (const rollout of [ofText(PROMPT, RAW), ofText('What is 6*7?', BARE), messages])
    for (let turn = 1; turn < (rollout.segments.at(-1)?.turn ?? 0); turn += 1)
      expect(continuationRequest(startOf(rollout, endOfTurn(turn)))).toEqual(
        continuationRequest(startOf(rollout, { kind: 'turn', turn: turn + 1, at: 'start' })),
      );
  expect(messages.segments.at(-1)?.turn).toBe(3);
});

test('finds the start and the end of turns', () => {
  const rollout = ofText(PROMPT, RAW);
  const second = RAW.indexOf('<reason>Fine');
  expect(startOf(rollout, { kind: 'turn', turn: 1, at: 'start' }).response).toBe('');
  expect(startOf(rollout, { kind: 'turn', turn: 1, at: 'end' }).at).toBe(second);
  expect(startOf(rollout, { kind: 'turn', turn: 2, at: 'start' }).at).toBe(second);
  // Nothing follows the mark that ends a message.
  expect(startOf(rollout, { kind: 'turn', turn: 2, at: 'end' }).response).toBe(
    RAW.replace(/<\|im_end\|>$/, ''),
  );
  expect(continuationFrom(rollout, { kind: 'turn', turn: 3, at: 'start' })).toBe(
    'This rollout has no turn 3.',
  );
});

test('finds the start of a token, and says why it cannot', () => {
  const rollout = ofText(PROMPT, RAW, { tokenEnds: [1, 9, RAW.length] });
  expect(startOf(rollout, { kind: 'token', token: 0 }).response).toBe('');
  expect(startOf(rollout, { kind: 'token', token: 2 }, ' 7').response).toBe('I compute 7');
  expect(continuationFrom(rollout, { kind: 'token', token: 3 })).toMatch(/fewer tokens/);
  expect(continuationFrom(ofText(PROMPT, RAW), { kind: 'token', token: 0 })).toMatch(
    /does not say where tokens/,
  );
});

test('refuses a position in a text of the environment, but not at its edges', () => {
  const rollout = ofText(PROMPT, RAW);
  const output = rollout.segments.find(({ kind }) => kind === 'tool-response')?.outer ?? { start: 0, end: 0 };
  expect(continuationFrom(rollout, { kind: 'character', at: output.start + 1 })).toMatch(/environment/);
  expect(startOf(rollout, { kind: 'character', at: output.start }).response).toBe(RAW.slice(0, output.start));
  expect(startOf(rollout, { kind: 'character', at: output.end }).response).toBe(RAW.slice(0, output.end));
});

test('sends messages if the log has a response without special tokens', () => {
  const start = startOf(ofText(PROMPT, BARE), { kind: 'turn', turn: 2, at: 'start' }, '<reason>Hm');
  expect(start.isRaw).toBe(false);
  expect(start.notes[0]).toMatch(/without its special tokens/);
  expect(continuationRequest(start)).toEqual({
    form: 'messages',
    continuesLast: true,
    messages: [
      { role: 'system', content: 'Use the tool.' },
      { role: 'user', content: '6*7?' },
      { role: 'assistant', content: `<reason>I compute.</reason>\n${CALL}` },
      { role: 'user', content: '<tool_response>\n42\n</tool_response>' },
      { role: 'assistant', content: '<reason>Hm' },
    ],
  });
});

test('begins a new message where nothing of it is written yet', () => {
  const start = startOf(ofText('What is 6*7?', BARE), { kind: 'turn', turn: 2, at: 'start' });
  const request = continuationRequest(start);
  expect(request).toMatchObject({ form: 'messages', continuesLast: false });
  expect(request.form === 'messages' && request.messages.at(-1)?.role).toBe('user');
  expect(start.notes[0]).toMatch(/no chat template/);
});

test('continues a log of messages, written as a transcript that is read alike', () => {
  const call = { id: 'c1', function: { name: 'python', arguments: '{"code": "print(42)"}' } };
  const rollout = ofMessages(
    [
      { role: 'system', content: 'Use the tool.' },
      { role: 'user', content: '6*7?' },
    ],
    [
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'I compute.',
        tool_calls: [call, { ...call, id: 'c2' }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
      { role: 'tool', tool_call_id: 'c2', content: '43' },
      { role: 'assistant', content: 'It is \\boxed{42}.' },
      { role: 'user', content: 'Sure?' },
      { role: 'assistant', content: 'Yes.' },
    ],
  );
  const start = startOf(rollout, { kind: 'turn', turn: 3, at: 'start' }, 'No');
  const request = continuationRequest(start);
  expect(request).toMatchObject({ form: 'messages', continuesLast: true });
  expect(request.form === 'messages' && request.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  expect(request.form === 'messages' && request.messages[3]?.content).toBe(
    '<tool_response>\n42\n</tool_response>\n<tool_response>\n43\n</tool_response>',
  );
  // The record of a continuation has this text, so it must be read as what it was made from.
  const kinds = segmentResponse(start.response, start).segments.map(({ kind, turn }) => `${turn} ${kind}`);
  expect(kinds).toEqual([
    '1 reasoning',
    '1 tool-call',
    '1 tool-call',
    '1 tool-response',
    '1 tool-response',
    '2 text',
    '2 user',
    '3 text',
  ]);
});

test('says so if the log has calls in a form of its own, and answers none', () => {
  const response = 'I compute.\n```python\nprint(42)\n```\n```output\n42\n```\nIt is 42.';
  const at = (text: string) => response.indexOf(text);
  const part = (kind: SegmentKind, from: string, to: string) => {
    const range = { start: at(from), end: to === '' ? response.length : at(to) };
    return { kind, turn: 1, outer: range, inner: range };
  };
  const segments = [
    part('text', 'I compute', '```python'),
    part('tool-call', '```python', '```output'),
    part('tool-response', '```output', 'It is'),
    part('text', 'It is', ''),
  ];
  const prompt = readPrompt('6*7?');
  const start = startOf(
    { prompt: '6*7?', response, segments: [...prompt.segments, ...segments] },
    { kind: 'character', at: at('It is') },
  );
  expect(start.notes.at(-1)).toMatch(/in a form of their own/);
  expect(start.toolOutput).toBeUndefined();
});

test('opens the next turn after an output that nothing followed', () => {
  const cut = RAW.slice(0, RAW.indexOf('<|im_end|>\n<|im_start|>assistant\n<reason>Fine'));
  const start = startOf(ofText(PROMPT, cut), { kind: 'turn', turn: 1, at: 'end' });
  expect(start.response).toBe(`${cut}<|im_end|>\n<|im_start|>assistant\n`);
});

test('writes tool outputs in the form of the log', () => {
  const start = startOf(ofText(PROMPT, RAW), { kind: 'turn', turn: 1, at: 'start' });
  expect(start.toolOutput).toEqual({
    open: '<|im_end|>\n<|im_start|>user\n<tool_response>\n',
    between: '\n</tool_response>\n<tool_response>\n',
    close: '\n</tool_response><|im_end|>\n<|im_start|>assistant\n',
  });
  expect(startOf(ofText(PROMPT, BARE), { kind: 'turn', turn: 1, at: 'start' }).toolOutput?.open).toBe(
    '\nuser\n<tool_response>\n',
  );
});

test('sends raw text of another chat template, and answers no calls there', () => {
  const rollout = ofText('[INST] 6*7? [/INST]', 'It is 42.');
  const start = startOf(rollout, { kind: 'character', at: 6 });
  expect(continuationRequest(start)).toEqual({ form: 'text', prompt: '[INST] 6*7? [/INST]It is ' });
  expect(start.toolOutput).toBeUndefined();
});

test.each([
  ['It is 42. So', 0, 'It is 42.'],
  ['It is 4.2 now. So', 3, 'is 4.2 now.'],
  ['a\nb', 0, 'a'],
  ['\n\nFirst. Second.', 0, '\n\nFirst.'],
  ['no end', 3, 'end'],
])('finds the rest of a sentence in %j from %i', (text, at, rest) => {
  expect(restOfSentence(text, at)).toBe(rest);
});

test('answers a call like the earlier outputs of the run', () => {
  const done = {
    kind: 'done',
    stdout: '42\n',
    stderr: '',
    isCut: false,
    variables: [],
    milliseconds: 12,
  } as const;
  const failed = { ...done, stdout: '', error: { type: 'E', message: 'm', traceback: 'E: m\n' } };
  expect(toolReply(done, 'Tool call success\nstdout: 1\n\nexecution time: 0.01s')).toBe(
    'Tool call success\nstdout: 42\n\nexecution time: 0.01s',
  );
  expect(toolReply(failed, 'Tool call success')).toBe(
    'Tool call failure\nreason: \nstderr: E: m\n\nexecution time: 0.01s',
  );
  expect(JSON.parse(toolReply(done, '{"stdout": "", "stderr": "", "result": null}'))).toEqual({
    stdout: '42\n',
    stderr: '',
    result: null,
  });
  expect(toolReply({ ...done, stdout: '', lastValue: '7' }, 'any text')).toBe('7');
  expect(toolReply({ kind: 'timed_out', limitMs: 10_000 }, undefined)).toMatch(/10 s/);
});
