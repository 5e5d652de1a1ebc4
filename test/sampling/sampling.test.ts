/** Continuations over the host's contract and the command line, at a server over a table model. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import type { Events, Method, ParamsOf, ResultOf, SampledContinuations } from '../../shared/api/contract.ts';
import { originFilter } from '../../shared/domain/origin.ts';
import { CLI, runHere } from '../support/commandLine.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';
import { serveTableModel, type TableModel, type TableModelServer } from '../support/tableModelServer.ts';

const CALL = '<tool_call>\n{"name": "python", "arguments": {"code": "print(6 * 7)"}}\n</tool_call>';
const OTHER_CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "6*7"}}\n</tool_call>';
const PROMPT = '<|im_start|>user\n6*7?<|im_end|>\n<|im_start|>assistant\n';
const OUTPUT = (printed: string) =>
  `<|im_end|>\n<|im_start|>user\n<tool_response>\n${printed}\n</tool_response><|im_end|>\n<|im_start|>assistant\n`;
const RESPONSE = `Let me compute. Or guess.\n${CALL}${OUTPUT('42')}I trust it. <answer>41</answer><|im_end|>`;

/** After "Or " it calls the tool and repeats what that printed; after "Wait" it is right with 3 of 4. */
const model: TableModel = (text) => {
  const response = text.slice(PROMPT.length);
  if (response.endsWith('</answer>')) return [];
  if (response.endsWith('Wait'))
    return [
      [' <answer>42</answer>', 0.75],
      [' <answer>7</answer>', 0.25],
    ];
  if (response.endsWith('Or ')) return [[`${CALL}`, 1]];
  if (response.endsWith('Search ')) return [[OTHER_CALL, 1]];
  if (response.endsWith(OTHER_CALL)) return [];
  if (response.endsWith(CALL)) return [];
  const printed = /<tool_response>\n(\d+)\n<\/tool_response><\|im_end\|>\n<\|im_start\|>assistant\n$/.exec(
    response,
  );
  if (printed !== null)
    return [
      [`It printed ${printed[1]}.`, 0.5],
      [`So ${printed[1]}!`, 0.5],
    ];
  if (/printed 42\.$|So 42!$/.test(response)) return [[' <answer>42</answer>', 1]];
  return [['hm ', 1]];
};

let place: Scratch;
let server: TableModelServer;
let host: Host;
let rolloutId = 0;
let runId = 0;

beforeAll(async () => {
  server = await serveTableModel(model);
  place = scratch();
  const path = place.file(
    'run.jsonl',
    [
      { v: 1, type: 'run', run: 'r', name: 'The run', limits: { max_turns: 3 } },
      {
        ...{ v: 1, type: 'rollout', run: 'r', step: 5, group: 'g', index: 0, text: RESPONSE },
        problem: { id: 'p', prompt: PROMPT, ground_truth: '42' },
      },
      {
        ...{ v: 1, type: 'rollout', run: 'r', step: 5, group: 'g', index: 1, text: 'One Or two' },
        problem: { id: 'p', prompt: PROMPT, ground_truth: '42' },
        tokens: { ends: [4, 7, 10], logprob: [-0.25, -0.5, -1], mask: [1, 1, 1] },
      },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  await ingestHere(place.library, [path]);
  process.env['TURNWISE_ENDPOINT'] = server.url;
  process.env['TURNWISE_ENDPOINT_MODEL'] = 'table';
  process.env['TURNWISE_ENDPOINT_KEY'] = 'secret-key';
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
  ({ runId } = await ask('run.get', { runKey: 'r' }));
  rolloutId = (await ask('rollout.order', { runId })).ids[0] ?? 0;
});
afterAll(async () => {
  await host?.close();
  await server?.close();
  place?.remove();
  for (const name of ['', '_MODEL', '_KEY']) delete process.env[`TURNWISE_ENDPOINT${name}`];
});
beforeEach(() => {
  server.seen.length = 0;
  server.faults.length = 0;
  server.mostOpen = 0;
});

async function ask<M extends Method>(
  method: M,
  params: ParamsOf<M>,
  signal?: AbortSignal,
): Promise<ResultOf<M>> {
  const result = await host.dispatch(method, params, signal);
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value as ResultOf<M>;
}

const AFTER_OR = RESPONSE.indexOf('Or ') + 'Or '.length;
const files = (): readonly string[] => {
  const directory = join(dirname(place.library), 'counterfactual');
  return readdirSync(directory)
    .sort()
    .map((name) => join(directory, name));
};
const correctOf = ({ continuations }: SampledContinuations): readonly (boolean | undefined)[] =>
  continuations.map(({ isCorrect }) => isCorrect);

test('names the endpoint to pages by host and model only', async () => {
  const info = await ask('host.info', {});
  expect(info.endpoint).toEqual({ host: new URL(server.url).host, model: 'table' });
  expect(JSON.stringify(info)).not.toContain('secret-key');
});

test('shows what would be sent, and sends nothing', async () => {
  const preview = await ask('sampling.preview', {
    rolloutId,
    position: { kind: 'character', at: AFTER_OR },
    edit: 'Wait',
    settings: { n: 3, maxTokens: 50 },
  });
  expect(preview).toMatchObject({
    form: 'text',
    path: '/v1/completions',
    mostTokens: 150,
    sentence: 'guess.',
    hasGroundTruth: true,
  });
  expect(preview.before.endsWith('Or ')).toBe(true);
  expect(server.seen).toEqual([]);
  await ask('sampling.start', {
    rolloutId,
    position: { kind: 'character', at: AFTER_OR },
    edit: 'Wait',
    settings: { n: 1, maxTokens: 50 },
  });
  // Word for word what is sent.
  expect(server.seen[0]?.body).toEqual(JSON.parse(preview.body));
});

test('samples from an edit, grades, and stores the continuations with their origin', async () => {
  const events: Events['sampling.progress'][] = [];
  const stop = host.subscribe(({ event, payload }) => {
    if (event === 'sampling.progress') events.push(payload);
  });
  // The first four are answered when all of them are there.
  const waiting: (() => void)[] = [];
  server.before = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length >= 4) for (const go of waiting) go();
    });
  const sampled = await ask('sampling.start', {
    rolloutId,
    position: { kind: 'character', at: AFTER_OR },
    edit: 'Wait',
    settings: { n: 12, maxTokens: 50, seed: 3 },
    progressKey: 'k',
  });
  stop();
  server.before = () => Promise.resolve();
  expect(sampled.runKey).toBe('r~counterfactual');
  for (const { isCorrect, gradedBy } of sampled.continuations)
    expect(gradedBy).toBe(isCorrect === true ? 'exact' : 'numeric');
  expect(new Set(correctOf(sampled))).toEqual(new Set([true, false]));
  const { runId: ownId, kind, name } = await ask('run.get', { runKey: sampled.runKey });
  expect({ kind, name }).toEqual({ kind: 'counterfactual', name: 'Continuations of The run' });
  const filter = `${originFilter({ runKey: 'r', step: 5, groupKey: 'g', ordinal: 0 })} group_key:${sampled.id}`;
  const { ids } = await ask('rollout.order', { runId: ownId, filter });
  expect([...ids].sort()).toEqual(sampled.continuations.map((row) => row.rolloutId).sort());
  const { row, response, extra, tokens } = await ask('rollout.get', {
    rolloutId: sampled.continuations[0]?.rolloutId ?? 0,
  });
  expect(response).toBe(`${RESPONSE.slice(0, AFTER_OR)}Wait <answer>${row.answer}</answer>`);
  expect(row).toMatchObject({ origin: 'r/5/g/0', step: 5, groundTruth: '42', policyTokens: 1 });
  expect(extra['origin']).toMatchObject({
    ...{ run: 'r', step: 5, group: 'g', index: 0, edit: 'Wait', model: 'table', character: AFTER_OR },
    settings: { n: 12, seed: 3 },
  });
  expect(tokens).toMatchObject({ count: 3, isAligned: true, hasLogprob: true, hasMask: true });
  const { logprob, mask } = await ask('rollout.tokens', { rolloutId: row.rolloutId });
  expect([...(mask ?? [])]).toEqual([0, 0, 1]);
  expect(logprob?.[2]).toBeCloseTo(Math.log(row.answer === '42' ? 0.75 : 0.25), 6);
  // Every continuation has streamed its text, and has ended once.
  for (const { index, answer } of sampled.continuations) {
    const own = events.filter((event) => event.index === index);
    expect(own.map(({ text = '' }) => text).join('')).toBe(` <answer>${answer}</answer>`);
    expect(own.filter(({ ended }) => ended !== undefined)).toHaveLength(1);
  }
  expect(server.mostOpen).toBe(4);
});

test('runs a call that ends a turn, and goes on with its output in the form of the log', async () => {
  const sampled = await ask('sampling.start', {
    rolloutId,
    position: { kind: 'character', at: AFTER_OR },
    settings: { n: 1, maxTokens: 50 },
  });
  expect(correctOf(sampled)).toEqual([true]);
  const { response, toolCalls, tokens } = await ask('rollout.get', {
    rolloutId: sampled.continuations[0]?.rolloutId ?? 0,
  });
  expect(response.startsWith(`${RESPONSE.slice(0, AFTER_OR)}${CALL}${OUTPUT('42')}`)).toBe(true);
  expect(toolCalls).toMatchObject([{ outcome: 'ok', code: 'print(6 * 7)' }]);
  expect(tokens?.count).toBe(5);
  // The second request has what is left of the tokens.
  expect(server.seen.map(({ body }) => body['max_tokens'])).toEqual([50, 49]);
});

test('does not grade a continuation that ends with a call that nothing here can answer', async () => {
  const position = { kind: 'character', at: AFTER_OR } as const;
  const settings = { n: 1, maxTokens: 50 };
  const sampled = await ask('sampling.start', { rolloutId, position, edit: 'Search ', settings });
  expect(correctOf(sampled)).toEqual([undefined]);
  const [stored] = await ask('sampling.stored', { rolloutIds: [rolloutId] });
  expect(stored?.positions.find(({ edit }) => edit === 'Search ')).toMatchObject({ seeds: [1], graded: 0 });
});

test('keeps the tokens of the original up to the token', async () => {
  const second = (await ask('rollout.order', { runId })).ids[1] ?? 0;
  const sampled = await ask('sampling.start', {
    rolloutId: second,
    position: { kind: 'token', token: 2 },
    edit: 'Wait',
    settings: { n: 1, maxTokens: 50 },
  });
  const { ends, logprob, mask } = await ask('rollout.tokens', {
    rolloutId: sampled.continuations[0]?.rolloutId ?? 0,
  });
  expect([...(ends ?? [])].slice(0, 3)).toEqual([4, 7, 11]);
  expect([...(mask ?? [])]).toEqual([1, 1, 0, 1]);
  expect([...(logprob ?? [])].slice(0, 3)).toEqual([-0.25, -0.5, Number.NaN]);
});

test('ends at the limits of turns and of tokens', async () => {
  const start = RESPONSE.indexOf('I trust');
  const sampled = await ask('sampling.start', {
    rolloutId,
    position: { kind: 'turn', turn: 2, at: 'start' },
    edit: `${CALL}${OUTPUT('1')}Or `,
    settings: { n: 1, maxTokens: 50 },
  });
  expect(start).toBeGreaterThan(0);
  const { row } = await ask('rollout.get', { rolloutId: sampled.continuations[0]?.rolloutId ?? 0 });
  expect(row).toMatchObject({ stopReason: 'turn-limit', turns: 3 });
  const cut = await ask('sampling.start', {
    rolloutId,
    position: { kind: 'turn', turn: 1, at: 'start' },
    settings: { n: 1, maxTokens: 7 },
  });
  const { row: other } = await ask('rollout.get', { rolloutId: cut.continuations[0]?.rolloutId ?? 0 });
  expect(other).toMatchObject({ stopReason: 'length', policyTokens: 7, isCorrect: false });
});

test('keeps what has ended when it is cancelled, and samples the rest when it is resumed', async () => {
  const abort = new AbortController();
  server.faults.push({ status: 400 }, 'hang', 'hang', 'hang', 'hang');
  let ended = 0;
  const stop = host.subscribe(({ event, payload }) => {
    if (event === 'sampling.progress' && payload.ended !== undefined) ended += 1;
  });
  // One fails, and four hang after it; none ends before the cancellation.
  const sampling = ask(
    'sampling.start',
    {
      rolloutId,
      position: { kind: 'character', at: AFTER_OR },
      edit: 'Wait',
      settings: { n: 6, seed: 9 },
      progressKey: 'c',
    },
    abort.signal,
  );
  sampling.catch(() => undefined);
  await expect.poll(() => server.seen).toHaveLength(5);
  abort.abort();
  await expect(sampling).rejects.toThrow('cancelled');
  stop();
  expect(ended).toBe(0);
  const path = files().at(-1) ?? '';
  const [first = ''] = readFileSync(path, 'utf8').split('\n');
  // As if it had been killed in the middle of the second line.
  const half = JSON.stringify({ v: 1, type: 'rollout', index: 0 }).slice(0, 20);
  writeFileSync(path, `${first}\n${half}`);
  const [interrupted] = await ask('sampling.interrupted', {});
  expect(interrupted).toMatchObject({
    origin: { runKey: 'r', step: 5, groupKey: 'g', ordinal: 0 },
    ...{ position: { kind: 'character', at: AFTER_OR }, edit: 'Wait', model: 'table', asked: 6 },
    missing: [0, 1, 2, 3, 4, 5],
  });
  // Looking leaves the file as it is.
  expect(readFileSync(path, 'utf8')).toBe(`${first}\n${half}`);
  const resumed = await ask('sampling.resume', {});
  expect(resumed.continuations).toHaveLength(6);
  expect(resumed.continuations.every(({ rolloutId: id }) => id !== undefined)).toBe(true);
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(7);
  expect(await ask('sampling.interrupted', {})).toEqual([]);
  // Nothing is left to sample, and what is stored keeps its grade.
  server.seen.length = 0;
  expect(await ask('sampling.resume', { id: resumed.id })).toEqual(resumed);
  expect(resumed.continuations.every(({ gradedBy }) => gradedBy !== undefined)).toBe(true);
  expect(server.seen).toEqual([]);
});

test('does not resume what is being sampled', async () => {
  const abort = new AbortController();
  server.faults.push('hang');
  const position = { kind: 'character', at: AFTER_OR } as const;
  const params = { rolloutId, position, edit: 'Wait', settings: { n: 1 } };
  const sampling = ask('sampling.start', params, abort.signal);
  sampling.catch(() => undefined);
  await expect.poll(() => server.seen).toHaveLength(1);
  expect(await ask('sampling.interrupted', {})).toEqual([]);
  await expect(ask('sampling.resume', {})).rejects.toThrow('are being sampled');
  abort.abort();
  // A page asks at once.
  const [interrupted] = await ask('sampling.interrupted', {});
  expect(interrupted).toMatchObject({ asked: 1, missing: [0] });
  await ask('sampling.resume', { id: interrupted?.id ?? '' });
});

test('reports the continuations that failed beside the others', async () => {
  server.faults.push({ status: 400 });
  const sampled = await ask('sampling.start', {
    rolloutId,
    position: { kind: 'character', at: AFTER_OR },
    edit: 'Wait',
    settings: { n: 2 },
  });
  expect(sampled.continuations.filter(({ failure }) => failure?.includes('status 400'))).toHaveLength(1);
  expect(sampled.continuations.filter(({ rolloutId: id }) => id !== undefined)).toHaveLength(1);
});

test('writes files for their user only, without the key', async () => {
  for (const path of files()) {
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('secret-key');
    expect(text.endsWith('\n')).toBe(true);
  }
  expect(files().length).toBeGreaterThan(3);
});

test('refuses positions, patterns and ids that cannot be', async () => {
  const position = { kind: 'turn', turn: 9, at: 'start' } as const;
  await expect(ask('sampling.preview', { rolloutId, position })).rejects.toThrow(
    'refused: This rollout has no turn 9.',
  );
  await expect(
    ask('sampling.preview', { rolloutId, position: { ...position, turn: 1 }, pattern: '(' }),
  ).rejects.toThrow('bad_request');
  await expect(ask('sampling.resume', { id: '../../etc/passwd' })).rejects.toThrow('bad_request');
  await expect(ask('sampling.resume', { id: 'no-such-request' })).rejects.toThrow('not_found');
  await expect(ask('sampling.read', { lines: '{"custom_id": "other:1"}' })).rejects.toThrow(
    /not_found|refused/,
  );
});

test('takes no address from a request', async () => {
  // Params with other fields are parsed without them.
  const params = {
    rolloutId,
    position: { kind: 'character', at: AFTER_OR },
    edit: 'Wait',
    settings: { n: 1 },
  } as const;
  const away = { endpoint: 'http://192.0.2.1/v1', url: 'http://192.0.2.1/v1', model: 'other', key: 'k' };
  await ask('sampling.start', {
    ...params,
    ...away,
    settings: { ...params.settings, ...away },
  } as typeof params);
  expect(server.seen).toMatchObject([{ authorization: 'Bearer secret-key', body: { model: 'table' } }]);
});

const sample = (...args: readonly string[]) =>
  runHere(place.directory, ['sample', ...args, '--library', place.library]);

test('does the same on the command line, and resumes there', async () => {
  const { code, out, err } = await sample(
    `${rolloutId}`,
    '--at',
    `${AFTER_OR}`,
    '--edit',
    'Wait',
    '-n',
    '2',
    '--json',
  );
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(err).toMatch(
    /^sending [\d,]+ characters to 127\.0\.0\.1:\d+\/v1\/completions, model table; at most 8,192 tokens/,
  );
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows).toMatchObject([
    { run: 'r~counterfactual', step: 5, ordinal: 0, is_correct: rows[0]?.['answer'] === '42' },
    { run: 'r~counterfactual', step: 5, ordinal: 1 },
  ]);
  expect((await sample('resume')).out).toMatch(/2 continuations in run r~counterfactual/);
});

test('goes on after the command was killed', async () => {
  const before = files().length;
  // Two requests are answered, and the others never.
  server.before = () => (server.seen.length <= 2 ? Promise.resolve() : new Promise(() => undefined));
  const killed = spawn(
    process.execPath,
    [
      ...[CLI, 'sample', `${rolloutId}`, '--at', `${AFTER_OR}`, '--edit', 'Wait', '-n', '5'],
      ...['--library', place.library],
    ],
    { stdio: 'ignore' },
  );
  const lines = (): number =>
    files().length === before ? 0 : readFileSync(files().at(-1) ?? '', 'utf8').split('\n').length - 1;
  // What was asked, and two continuations.
  await expect.poll(lines).toBe(3);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  server.before = () => Promise.resolve();
  server.seen.length = 0;
  const { code, out } = await sample('resume', '--json');
  expect(code).toBe(0);
  expect(out.trimEnd().split('\n')).toHaveLength(5);
  expect(server.seen).toHaveLength(3);
});

test('writes a batch and takes its answers without a network', async () => {
  const { code } = await sample(
    'batch',
    `${rolloutId}`,
    '--at',
    `${AFTER_OR}`,
    '--edit',
    'Wait',
    '-n',
    '2',
    '--out',
    'requests.jsonl',
  );
  expect(code).toBe(0);
  const requests = readFileSync(join(place.directory, 'requests.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as { custom_id: string; method: string; url: string; body: { prompt: string } },
    );
  expect(requests).toMatchObject([
    { method: 'POST', url: '/v1/completions', body: { model: 'table', seed: 1 } },
    { method: 'POST', url: '/v1/completions', body: { seed: 2 } },
  ]);
  expect(server.seen).toEqual([]);
  const choice = { text: ' <answer>42</answer>', finish_reason: 'stop', logprobs: null };
  const answers = [
    // In another order than the requests, as OpenAI's batches may be.
    { custom_id: requests[1]?.custom_id, response: null, error: { message: 'expired' } },
    {
      custom_id: requests[0]?.custom_id,
      response: { status_code: 200, body: { choices: [choice] } },
      error: null,
    },
    { custom_id: 'somebody else', response: { status_code: 200, body: {} } },
    { custom_id: requests[0]?.custom_id?.replace(/:0:0$/, ':2:0'), response: { status_code: 200, body: {} } },
  ];
  const lines = `${answers.map((line) => `${JSON.stringify(line)}\n`).join('')}no JSON\n`;
  writeFileSync(join(place.directory, 'answers.jsonl'), lines);
  const interrupted = await ask('sampling.interrupted', {});
  // A batch waits for its answers, and is not interrupted.
  expect(interrupted.map(({ id }) => id)).not.toContain(requests[0]?.custom_id.split(':')[0]);
  const read = await sample('read', 'answers.jsonl', '--json');
  expect(read.code).toBe(3);
  const rows = read.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows).toMatchObject([
    { ordinal: 0, answer: '42', is_correct: true, graded_by: 'exact' },
    { ordinal: 1, failure: 'expired' },
  ]);
  expect(read.err.trimEnd().split('\n')).toEqual([
    'line 1: expired',
    'line 3: its custom_id names no request of Turnwise',
    expect.stringMatching(/^line 4: request .* has 2 continuations, and none 2$/),
    'line 5: this is no JSON',
    'continuations that need another answer: 1; --out FILE takes the requests for them',
  ]);
  // Read again, nothing is stored twice.
  const again = await sample('read', 'answers.jsonl', '--out', 'next.jsonl');
  expect(again.code).toBe(3);
  expect(again.err).toMatch(/\nfurther requests: 1, written to .*next\.jsonl\n$/);
  expect(JSON.parse(readFileSync(join(place.directory, 'next.jsonl'), 'utf8'))).toEqual(requests[1]);
  expect(await ask('sampling.read', { lines })).toMatchObject({
    continuations: [{ origin: { runKey: 'r', step: 5, groupKey: 'g', ordinal: 0 } }],
    answers: 1,
  });
});

test('goes on with a batch after the calls of its answers were run', async () => {
  const position = { kind: 'character', at: AFTER_OR } as const;
  const batch = await ask('sampling.batch', { rolloutId, position, settings: { n: 3, maxTokens: 50 } });
  const answersTo = (lines: string, answer: (index: number) => object | undefined): string =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)
      .flatMap((id) => {
        const body = answer(Number(id.split(':')[1]));
        return body === undefined ? [] : [{ custom_id: id, response: { status_code: 200, body } }];
      })
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
  const saying = (text: string) => ({
    choices: [{ text, finish_reason: 'stop', logprobs: null }],
    usage: { completion_tokens: 7 },
  });
  // The first calls Python, the second answers, the third has no answer yet.
  const first = answersTo(batch.lines, (index) => [saying(CALL), saying(' <answer>42</answer>')][index]);
  const read = await ask('sampling.read', { lines: first });
  expect(read).toMatchObject({ answers: 2, failures: [], continuations: [{ waiting: 2 }] });
  expect(read.continuations[0]?.continuations).toMatchObject([{ index: 1, isCorrect: true }]);
  const next = await ask('sampling.nextBatch', { ids: [batch.id] });
  const bodies = next.lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { custom_id: string; body: { prompt: string; max_tokens: number } });
  expect(bodies.map(({ custom_id: id }) => id)).toEqual([`${batch.id}:0:1`, `${batch.id}:2:0`]);
  expect(bodies[0]?.body.prompt.endsWith(`${CALL}${OUTPUT('42')}`)).toBe(true);
  expect(bodies.map(({ body }) => body.max_tokens)).toEqual([43, 50]);
  // Read again, an answer is not taken twice; one to a later request waits for those before it.
  expect(await ask('sampling.read', { lines: first })).toMatchObject({ continuations: [{ waiting: 2 }] });
  expect((await ask('sampling.nextBatch', { ids: [batch.id] })).lines).toBe(next.lines);
  const early = answersTo(next.lines.replace(':0:1', ':0:2'), () => saying('x'));
  expect((await ask('sampling.read', { lines: early })).failures).toEqual([
    { line: 1, message: 'the answer before it has not been read' },
  ]);
  const last = answersTo(next.lines, (index) => (index === 0 ? saying(' <answer>42</answer>') : undefined));
  const done = await ask('sampling.read', { lines: last });
  // The third was answered with `x` above.
  expect(done).toMatchObject({ failures: [], continuations: [{ waiting: 0 }] });
  expect(correctOf(done.continuations[0] as SampledContinuations)).toEqual([true, true, false]);
  const { response, toolCalls } = await ask('rollout.get', {
    rolloutId: done.continuations[0]?.continuations[0]?.rolloutId ?? 0,
  });
  expect(response).toBe(`${RESPONSE.slice(0, AFTER_OR)}${CALL}${OUTPUT('42')} <answer>42</answer>`);
  expect(toolCalls).toMatchObject([{ outcome: 'ok' }]);
  expect(server.seen).toEqual([]);
});

test.each([
  [['1'], /give one of --turn, --at and --token/],
  [['1', '--turn', '1', '--at', '2'], /give one of/],
  [['x', '--turn', '1'], /must be an id/],
  [['1', '--turn', 'x'], /--turn must be a number/],
  [['1', '--turn', '1', '--temperature', '9'], /temperature/],
  [['batch', '1', '--turn', '1'], /--out/],
])('refuses the arguments %j', async (args, message) => {
  const { code, err } = await sample(...args);
  expect(code).toBe(2);
  expect(err).toMatch(message);
});
