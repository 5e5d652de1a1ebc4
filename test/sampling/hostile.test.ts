/** Files beside the library and answers of a batch that somebody made to do harm. Nothing here asks an endpoint. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { LONGEST_RECORD } from '../../electron/ingest/containers/bytes.ts';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const PROMPT = '<|im_start|>user\n6*7?<|im_end|>\n<|im_start|>assistant\n';
const CALL = '<tool_call>\n{"name": "python", "arguments": {"code": "print(6 * 7)"}}\n</tool_call>';

let place: Scratch;
let host: Host;
let rolloutId = 0;

beforeAll(async () => {
  place = scratch();
  const rollout = {
    ...{ v: 1, type: 'rollout', run: 'r', step: 5, group: 'g', index: 0, text: 'Or <answer>41</answer>' },
    problem: { id: 'p', prompt: PROMPT, ground_truth: '42' },
  };
  await ingestHere(place.library, [place.file('run.jsonl', `${JSON.stringify(rollout)}\n`)]);
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
  const { runId } = await ask('run.get', { runKey: 'r' });
  rolloutId = (await ask('rollout.order', { runId })).ids[0] ?? 0;
  mkdirSync(dirname(at('any')), { recursive: true });
});
afterAll(async () => {
  await host?.close();
  place?.remove();
});

async function ask<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
  const result = await host.dispatch(method, params);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value as ResultOf<M>;
}

/** Path of a file of continuations. */
const at = (name: string): string => join(dirname(place.library), 'counterfactual', `${name}.jsonl`);

const linesOf = (name: string): readonly string[] =>
  readFileSync(at(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

async function newBatch(n: number, maxTokens = 50): Promise<string> {
  const position = { kind: 'character', at: 'Or '.length } as const;
  return (await ask('sampling.batch', { rolloutId, position, settings: { n, maxTokens } })).id;
}

const answer = (id: string, index: number, text: string, before = 0): string => {
  const body = { choices: [{ text, finish_reason: 'stop' }], usage: { completion_tokens: 7 } };
  return `${JSON.stringify({ custom_id: `${id}:${index}:${before}`, response: { status_code: 200, body } })}\n`;
};

test('a file of millions of lists beside the library is left out, and named as a request', async () => {
  const id = '29990101000000000-bbbbbbbb';
  await newBatch(1);
  writeFileSync(at(id), `{"v":1,"type":"run","continuation ${id}":[${'[],'.repeat(5_000_000)}[]]}\n`);
  try {
    expect(await ask('sampling.interrupted', {})).toEqual([]);
    await expect(ask('sampling.nextBatch', { ids: [id] })).rejects.toThrow(
      'has more than 4194304 objects, lists and fields',
    );
  } finally {
    rmSync(at(id));
  }
});

describe.skipIf(process.platform === 'win32')('a file beside the library that is none', () => {
  test.each(['pipe', 'link'])('is left out and named as a request (%s)', async (kind) => {
    const id = await newBatch(1);
    // The newest comes first.
    const path = at('29990101000000000-aaaaaaaa');
    if (kind === 'pipe') execFileSync('mkfifo', [path]);
    else symlinkSync(at(id), path);
    try {
      expect(await ask('sampling.interrupted', {})).toEqual([]);
      await expect(ask('sampling.nextBatch', { ids: ['29990101000000000-aaaaaaaa'] })).rejects.toThrow(
        kind === 'pipe'
          ? /^refused: .* it is not a regular file$/
          : /^refused: .* cannot be read: it is a link that cannot be followed$/,
      );
    } finally {
      rmSync(path);
    }
  });

  test.each(['pipe', 'link', 'long'])('is named where continuations wait (%s)', async (kind) => {
    const id = await newBatch(1);
    const path = at(`${id}.open`);
    if (kind === 'pipe') execFileSync('mkfifo', [path]);
    else if (kind === 'link') symlinkSync(at(id), path);
    else {
      writeFileSync(path, '');
      truncateSync(path, 1 << 30);
    }
    const sentence = /^refused: .*\.open\.jsonl cannot be read: /;
    await expect(ask('sampling.nextBatch', { ids: [id] })).rejects.toThrow(sentence);
    await expect(ask('sampling.read', { lines: answer(id, 0, CALL) })).rejects.toThrow(sentence);
    rmSync(path);
    expect((await ask('sampling.read', { lines: answer(id, 0, CALL) })).failures).toEqual([]);
  });
});

test('stores answers once that several pages read at once', async () => {
  const id = await newBatch(2);
  const lines = answer(id, 0, CALL) + answer(id, 1, 'x <answer>7</answer>');
  const reads = await Promise.all([1, 2, 3].map(() => ask('sampling.read', { lines })));
  for (const read of reads) expect(read).toMatchObject({ answers: 2, failures: [] });
  // The request and the second continuation; the first one waits.
  expect(linesOf(id)).toHaveLength(2);
  expect(linesOf(`${id}.open`)).toHaveLength(1);
});

test('reads answers after those of another library', async () => {
  const id = await newBatch(1);
  const foreign = ask('sampling.read', { lines: answer('no-such-request', 0, 'x') });
  const read = ask('sampling.read', { lines: answer(id, 0, '<answer>42</answer>') });
  expect(await foreign).toMatchObject({ answers: 0, continuations: [], failures: [{ line: 1 }] });
  expect(await read).toMatchObject({ continuations: [{ waiting: 0 }] });
});

test('names the lines that are nested deeply, and takes the others', async () => {
  const id = await newBatch(3);
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const bodyOf = (index: number, body: string): string =>
    `{"custom_id":"${id}:${index}:0","response":{"body":${body}}}\n`;
  const lines = [
    `{"custom_id":${deep}}\n`,
    bodyOf(1, deep),
    bodyOf(2, `{"choices":${deep}}`),
    answer(id, 0, '<answer>42</answer>'),
  ];
  const read = await ask('sampling.read', { lines: lines.join('') });
  expect(read).toMatchObject({ answers: 1, continuations: [{ waiting: 2 }] });
  expect(read.failures).toEqual([
    { line: 1, message: 'its custom_id names no request of Turnwise' },
    { line: 2, message: 'the endpoint sent JSON that is no answer' },
    { line: 3, message: 'the endpoint sent JSON that is no answer' },
  ]);
});

describe('continuations that wait for an answer', () => {
  const honest = { index: 0, answers: 1, response: 'Or so ', tokensUsed: 7 };
  const tokens = [{ text: 'so ', isSampled: true, logprob: -1 }];

  async function nextOf(id: string): Promise<readonly { custom_id: string; body: object }[]> {
    const { lines } = await ask('sampling.nextBatch', { ids: [id] });
    return lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { custom_id: string; body: object });
  }

  test('go on from what was stored', async () => {
    const id = await newBatch(1);
    writeFileSync(at(`${id}.open`), `${JSON.stringify({ ...honest, tokens })}\n`);
    expect(await nextOf(id)).toMatchObject([
      { custom_id: `${id}:0:1`, body: { prompt: `${PROMPT}Or so `, max_tokens: 43 } },
    ]);
  });

  test.each([
    ['that begin with another text', { response: 'Ignore all of that. ' }],
    ['with more answers than there are turns', { answers: 10_001 }],
    ['with more tokens than were asked for', { tokensUsed: 2 ** 40 }],
    ['with no token left', { tokensUsed: 50 }],
    ['with tokens of another form', { tokens: [{ text: 'so ', isSampled: 'yes' }] }],
  ])('are begun anew (%s)', async (_, fault) => {
    const id = await newBatch(1);
    writeFileSync(at(`${id}.open`), `${JSON.stringify({ ...honest, ...fault })}\n`);
    expect(await nextOf(id)).toMatchObject([
      { custom_id: `${id}:0:0`, body: { prompt: `${PROMPT}Or `, max_tokens: 50 } },
    ]);
  });

  test.each([
    ['so ', 4],
    ['no ', undefined],
  ])('keep tokens that spell what follows the start (%j)', async (text, count) => {
    const id = await newBatch(1);
    const stored = { ...honest, tokens: [{ text, isSampled: true, logprob: -1 }] };
    writeFileSync(at(`${id}.open`), `${JSON.stringify(stored)}\n`);
    const logprobs = { tokens: ['<answer>', '42</answer>'], token_logprobs: [-1, -2] };
    const choice = { text: '<answer>42</answer>', finish_reason: 'stop', logprobs };
    const response = { status_code: 200, body: { choices: [choice] } };
    const { failures } = await ask('sampling.read', {
      lines: JSON.stringify({ custom_id: `${id}:0:1`, response }),
    });
    expect(failures).toEqual([]);
    const record = JSON.parse(linesOf(id).at(-1) ?? '') as { text: string; tokens?: { ends: number[] } };
    expect(record.text).toBe('Or so <answer>42</answer>');
    expect(record.tokens?.ends.length).toBe(count);
  });
});

test('refuses a line that no log reader would take, and stores the others', async () => {
  const id = await newBatch(3);
  // Such a character has six bytes in JSON.
  const long = '\u0001'.repeat(LONGEST_RECORD / 6);
  const lines = answer(id, 0, long) + answer(id, 1, long + CALL) + answer(id, 2, '<answer>42</answer>');
  const read = await ask('sampling.read', { lines });
  const message = expect.stringMatching(
    new RegExp(`^the continuation has \\d+ bytes as a line of a log; the limit is ${LONGEST_RECORD}$`),
  );
  expect(read.failures).toEqual([
    { line: 1, message },
    { line: 2, message },
  ]);
  expect(read.continuations[0]?.continuations).toMatchObject([
    { index: 0, failure: message },
    { index: 1, failure: message },
    { index: 2, isCorrect: true },
  ]);
  expect(linesOf(id)).toHaveLength(2);
});

test('names answers that belong to no request here, or are not whole, and stores the others', async () => {
  const id = await newBatch(2);
  const open = JSON.stringify({
    custom_id: `${id}:0:0`,
    response: { status_code: 200, body: { choices: [{ text: '<answer>4' }] } },
  });
  const lines = `${answer('nope-id', 0, 'x')}${answer('__proto__', 0, 'x')}${open}\n${answer(id, 1, '<answer>42</answer>')}`;
  const read = await ask('sampling.read', { lines });
  expect(read.failures).toEqual([
    { line: 1, message: 'there is no request for continuations nope-id' },
    { line: 2, message: 'there is no request for continuations __proto__' },
    { line: 3, message: 'the answer broke off: it has no finish_reason' },
  ]);
  expect(read.continuations).toMatchObject([
    { continuations: [{ index: 0 }, { index: 1, isCorrect: true }], waiting: 1 },
  ]);
});

test('refuses an answer with thousands of tool calls, and stores the others', async () => {
  const id = await newBatch(3);
  const lines =
    answer(id, 0, '<tool_call>'.repeat(100_000)) +
    answer(id, 1, `${'<tool_call>'.repeat(2_000)}</tool_call><answer>42</answer>`) +
    answer(id, 2, '<answer>42</answer>');
  const read = await ask('sampling.read', { lines });
  const message = 'the response has 100000 tool calls; one with more than 2000 is not continued';
  expect(read.failures).toEqual([{ line: 1, message }]);
  expect(read.continuations[0]?.continuations).toMatchObject([{ failure: message }, {}, { isCorrect: true }]);
});
