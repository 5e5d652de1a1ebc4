import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AnswerReader } from '../../electron/sampling/answers.ts';
import { type CompletionOptions, complete } from '../../electron/sampling/client.ts';
import { namedEndpoint } from '../../electron/sampling/endpoint.ts';
import { eventData } from '../../electron/sampling/eventStream.ts';
import type { ContinuationRequest } from '../../shared/domain/continuation.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import {
  type Dialect,
  type Fault,
  sampleTable,
  serveTableModel,
  type TableModel,
  type TableModelServer,
} from '../support/tableModelServer.ts';

/** Says how many of ten words it has said; characters of several bytes and units are among them. */
const model: TableModel = (text) => {
  const words = text.split('|').length - 1;
  return words >= 10
    ? []
    : [
        ['yes|', 0.5],
        ['né 𝒳|', 0.3],
        ['\n\n|', 0.2],
      ];
};
const SETTINGS = { n: 1, temperature: 1, topP: 0.9, maxTokens: 64, stop: ['END'], seed: 1 };
const RAW: ContinuationRequest = { form: 'text', prompt: 'Q: ' };
const MESSAGES: ContinuationRequest = {
  form: 'messages',
  messages: [
    { role: 'user', content: 'Q' },
    { role: 'assistant', content: 'A: ' },
  ],
  continuesLast: true,
};

let server: TableModelServer;
beforeAll(async () => {
  server = await serveTableModel(model);
});
afterAll(() => server.close());
beforeEach(() => {
  server.seen.length = 0;
  server.faults.length = 0;
  Object.assign(server, { dialect: 'vllm', chunk: 1000, streams: true });
});

const waits: number[] = [];
const options: CompletionOptions = {
  random: seededRandom(7),
  wait: (milliseconds) => {
    waits.push(milliseconds);
    return Promise.resolve();
  },
};
const ask = (request: ContinuationRequest = RAW, seed = 1, more: Partial<CompletionOptions> = {}) => {
  waits.length = 0;
  return complete({ url: server.url, model: 'table', key: 'secret-key' }, request, SETTINGS, seed, {
    ...options,
    ...more,
  });
};

describe.each<Dialect>(['vllm', 'sglang', 'llama.cpp'])('%s', (dialect) => {
  test.each([
    ['raw text', RAW],
    ['messages', MESSAGES],
  ] as const)('streams tokens with the probabilities of the model from %s', async (_, request) => {
    server.dialect = dialect;
    for (const [chunk, seed] of [
      [1000, 1],
      [7, 2],
      [1, 3],
    ] as const) {
      server.chunk = chunk;
      const written: string[] = [];
      const before = request.form === 'text' ? request.prompt : 'A: ';
      const truth = sampleTable(model, before, seed, SETTINGS.maxTokens);
      const completion = await ask(request, seed, { onText: (text) => written.push(text) });
      expect(completion.text).toBe(truth.tokens.map(({ token }) => token).join(''));
      expect(written.join('')).toBe(completion.text);
      expect(completion).toMatchObject({ finish: 'stop', tokensUsed: 10 });
      expect(completion.tokens?.map(({ text, logprob }) => [text, logprob])).toEqual(
        truth.tokens.map(({ token, logprob }) => [token, logprob]),
      );
      expect(completion.tokens?.[0]?.top).toHaveLength(3);
    }
  });

  test('takes an answer that is not streamed', async () => {
    Object.assign(server, { dialect, streams: false });
    expect(await ask(MESSAGES)).toMatchObject({ finish: 'stop', tokensUsed: 10 });
  });
});

test('sends what it says, and the key in the header only', async () => {
  await ask(RAW, 5);
  await ask(MESSAGES);
  await ask({ ...MESSAGES, continuesLast: false });
  const [raw, messages, fresh] = server.seen;
  expect(raw).toMatchObject({ path: '/v1/completions', authorization: 'Bearer secret-key' });
  expect(raw?.body).toEqual({
    ...{ model: 'table', prompt: 'Q: ', max_tokens: 64, temperature: 1, top_p: 0.9, stop: ['END'], seed: 5 },
    ...{ logprobs: 5, stream: true, stream_options: { include_usage: true } },
  });
  // vllm-project/vllm, PR 8942; sgl-project/sglang, PR 4226; ggml-org/llama.cpp, PR 23012: not both at once.
  expect(messages?.path).toBe('/v1/chat/completions');
  expect(messages?.body).toMatchObject({ continue_final_message: true, add_generation_prompt: false });
  expect(fresh?.body).not.toHaveProperty('continue_final_message');
});

test.each<[name: string, faults: readonly Fault[], waited: number]>([
  ['a limit', [{ status: 429 }], 1],
  ['a failed server', [{ status: 500 }, { status: 503 }, { status: 502 }], 3],
  ['half an answer', ['half', 'half'], 2],
  ['a broken connection', ['reset'], 1],
])('asks again after %s', async (_, faults, waited) => {
  server.faults.push(...faults);
  expect(await ask()).toMatchObject({ finish: 'stop', tokensUsed: 10 });
  expect(server.seen).toHaveLength(waited + 1);
  expect(waits).toHaveLength(waited);
  // Each wait is between its step and twice its step.
  waits.forEach((wait, i) => {
    expect(wait).toBeGreaterThanOrEqual(500 * 2 ** i);
    expect(wait).toBeLessThan(1000 * 2 ** i);
  });
});

test('waits as long as the server asks for', async () => {
  server.faults.push({ status: 429, retryAfter: '7' });
  await ask();
  expect(waits).toEqual([7000]);
});

test.each<[name: string, faults: readonly Fault[], message: RegExp]>([
  ['too long a wait', [{ status: 429, retryAfter: '3600' }], /status 429: fault 429$/],
  ['five failures', Array.from({ length: 5 }, () => ({ status: 500 })), /status 500: fault 500$/],
  [
    'a wrong request',
    [{ status: 400, body: '{"message": "no such\\n model secret-key"}' }],
    /status 400: no such model …$/,
  ],
  ['an error without JSON', [{ status: 404, body: '<html>' }], /status 404: Not Found$/],
  ['a redirection', ['redirect'], /redirects to another address \(307\), which is not followed$/],
  ['wrong JSON', ['wrong JSON'], /sent something that is no JSON$/],
  ['JSON of another kind', ['not an answer'], /sent JSON that is no answer$/],
  ['an error in the stream', ['error in the stream'], /the endpoint reported: out of memory/],
  ['an endless answer', ['endless'], /more than the 64 tokens that were asked for$/],
  ['an endless line', ['one endless line'], /far more than was asked for$/],
  [
    'five broken connections',
    Array.from({ length: 5 }, () => 'reset' as const),
    /not reached: it closed the connection$/,
  ],
])('gives up after %s, and says so', async (_, faults, message) => {
  server.faults.push(...faults);
  const error: unknown = await ask().catch((failure: unknown) => failure);
  expect(String(error)).toMatch(message);
  expect(String(error)).toContain(new URL(server.url).host);
  expect(String(error)).not.toContain('secret-key');
});

test('ends a request that is cancelled', async () => {
  server.faults.push('hang');
  const abort = new AbortController();
  const answer = ask(RAW, 1, { signal: abort.signal });
  await expect.poll(() => server.seen).toHaveLength(1);
  abort.abort();
  await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
});

test('takes tokens beyond the text away, and tokens that spell another text', () => {
  const piece = (text: string, tokens: readonly string[]): string =>
    JSON.stringify({
      choices: [{ text, logprobs: { tokens, token_logprobs: tokens.map(() => -1) }, finish_reason: 'stop' }],
    });
  // vLLM leaves a stop string out of the text, not out of the tokens (vllm-project/vllm, PR 2976).
  const stopped = new AnswerReader();
  stopped.take(piece('ab', ['a', 'b', 'END']));
  expect(stopped.finish().tokens?.map(({ text }) => text)).toEqual(['a', 'b']);
  const other = new AnswerReader();
  other.take(piece('é', ['\ufffd', '\ufffd']));
  expect(other.finish().tokens).toBeUndefined();
  // llama.cpp may answer null (ggml-org/llama.cpp, issue 11346).
  const none = new AnswerReader();
  none.take(JSON.stringify({ choices: [{ text: 'a', logprobs: null, finish_reason: 'length' }] }));
  expect(none.finish()).toEqual({ text: 'a', finish: 'length', tokensUsed: 1 });
});

test.each([1.5, -1_000_000, 2 ** 53, 2 ** 52, null, '3'])(
  'counts tokens itself if the usage says %j',
  (used) => {
    const reader = new AnswerReader();
    const logprobs = { tokens: ['a', 'b'], token_logprobs: [-1, -1] };
    const usage = { completion_tokens: used };
    reader.take(JSON.stringify({ choices: [{ text: 'ab', logprobs, finish_reason: 'stop' }], usage }));
    expect(reader.finish().tokensUsed).toBe(2);
  },
);

describe('a server that does harm', () => {
  let harm: Server;
  /** Writes an answer to a request. */
  let respond: (response: ServerResponse) => void = () => undefined;
  const harmed = (maxTokens = 4096): Promise<unknown> => {
    const { port } = harm.address() as AddressInfo;
    const endpoint = { url: `http://127.0.0.1:${port}/v1`, model: 'm' };
    return complete(endpoint, RAW, { ...SETTINGS, maxTokens }, 1, options).catch((error: unknown) =>
      String(error),
    );
  };
  beforeAll(async () => {
    harm = createServer((request, response) => {
      request.resume().on('end', () => respond(response));
      response.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => harm.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => harm.close());

  test('says in words that its headers are too long, or that it is no server', async () => {
    respond = ({ socket }) => socket?.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1 << 20)}\r\n\r\n`);
    expect(await harmed()).toMatch(/not reached: its headers are too long$/);
    respond = ({ socket }) => socket?.end('SSH-2.0-OpenSSH\r\n');
    expect(await harmed()).toMatch(/not reached: Response does not match the HTTP\/1.1 protocol/);
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1`;
    await new Promise((resolve) => closed.close(resolve));
    const failed = await complete({ url, model: 'm' }, RAW, SETTINGS, 1, options).catch(String);
    expect(failed).toMatch(/not reached: no server listens there$/);
  });

  test('gets its key nowhere, not even cut', async () => {
    const key = 'sk-0123456789abcdef';
    const { port } = harm.address() as AddressInfo;
    const endpoint = { url: `http://127.0.0.1:${port}/v1`, model: 'm', key };
    const asked = () => complete(endpoint, RAW, SETTINGS, 1, options).catch(String);
    respond = (response) =>
      response.writeHead(400).end(JSON.stringify({ error: `${'x'.repeat(290)}${key}` }));
    expect(await asked()).not.toContain('sk-');
    respond = (response) =>
      response.end(JSON.stringify({ choices: [{ text: `I know ${key}`, finish_reason: 'stop' }] }));
    expect(await asked()).toMatchObject({ text: 'I know …' });
    const pieces = [...key].map((letter) => ({ choices: [{ text: letter }] }));
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of [...pieces, { choices: [{ text: '', finish_reason: 'stop' }] }])
        response.write(`data: ${JSON.stringify(piece)}\n\n`);
      response.end('data: [DONE]\n\n');
    };
    expect(await asked()).toMatchObject({ text: '…' });
  });

  test('keeps a text that has a word which is the key of a local server', async () => {
    const { port } = harm.address() as AddressInfo;
    const endpoint = { url: `http://127.0.0.1:${port}/v1`, model: 'm', key: 'text' };
    respond = (response) =>
      response.end(JSON.stringify({ choices: [{ text: 'a text', finish_reason: 'stop' }] }));
    expect(await complete(endpoint, RAW, SETTINGS, 1, options)).toMatchObject({ text: 'a text' });
  });

  test('is not waited for without end, whatever comments it sends', async () => {
    let beats: NodeJS.Timeout | undefined;
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': wait\n\n');
      beats = setInterval(() => response.write(': wait\n\n'), 5);
    };
    const { port } = harm.address() as AddressInfo;
    const endpoint = { url: `http://127.0.0.1:${port}/v1`, model: 'm' };
    const ended = complete(endpoint, RAW, SETTINGS, 1, { ...options, longestSilenceMs: 100 });
    await expect(ended).rejects.toThrow('no token came for 1 minutes');
    clearInterval(beats);
  });

  test('draws hidden characters of its messages', async () => {
    respond = (response) => response.writeHead(400).end(JSON.stringify({ error: 'a\u202eb\u001b[31m' }));
    expect(await harmed()).toMatch(/status 400: a⟨RLO⟩b␛\[31m$/);
  });

  test('reads no answer that unpacks without end, or has millions of values', async () => {
    const json = (response: ServerResponse, body: string) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    const bomb = gzipSync(Buffer.alloc(80 << 20, ' '));
    respond = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    expect(await harmed(200_000)).toMatch(/far more than was asked for$/);
    respond = (response) => json(response, `{"x":[${'{},'.repeat(9_000_000)}{}],"choices":[]}`);
    expect(await harmed()).toMatch(/sent something that is no JSON$/);
    const empty = '"",'.repeat(1_200_000);
    respond = (response) =>
      json(response, `{"choices":[{"text":"a","finish_reason":"stop","logprobs":{"tokens":[${empty}"a"]}}]}`);
    expect(await harmed()).toMatchObject({ text: 'a', tokensUsed: 1_000_000 });
  });

  test('joins a line of many chunks once', async () => {
    const chunks = 200_000;
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < chunks; i++) yield Buffer.from(i === 0 ? 'data: ' : 'xxxxxxxxxx');
      yield Buffer.from('\ndata: b\n\nda');
      yield Buffer.from('ta: c');
    }
    const events: string[] = [];
    for await (const event of eventData(body(), 1e9)) events.push(event);
    expect(events.map(({ length }) => length)).toEqual([(chunks - 1) * 10, 1, 1]);
  });
});

test('takes an answer of very many tokens', () => {
  const reader = new AnswerReader();
  const tokens = Array<string>(500_000).fill('a');
  const logprobs = { tokens, token_logprobs: tokens.map(() => -1) };
  reader.take(JSON.stringify({ choices: [{ text: tokens.join(''), logprobs, finish_reason: 'stop' }] }));
  expect(reader.finish().tokens).toHaveLength(500_000);
});

test('puts the tags of reasoning back that a server takes out', () => {
  const reader = new AnswerReader();
  const delta = (value: object) => JSON.stringify({ choices: [{ delta: value }] });
  const texts = [{ reasoning_content: 'I ' }, { reasoning_content: 'think' }, { content: '42' }].map(
    (value) => reader.take(delta(value)),
  );
  expect(texts.join('')).toBe('<think>\nI think\n</think>\n\n42');
  const inside = new AnswerReader(true);
  expect(inside.take(delta({ reasoning_content: 'on' })) + inside.take(delta({ content: '42' }))).toBe(
    'on\n</think>\n\n42',
  );
});

test.each([
  [{}, undefined],
  [{ TURNWISE_ENDPOINT: '' }, undefined],
  [
    { TURNWISE_ENDPOINT: 'http://host:8000/v1/', TURNWISE_ENDPOINT_MODEL: 'm', TURNWISE_ENDPOINT_KEY: 'k' },
    { url: 'http://host:8000/v1', model: 'm', key: 'k' },
  ],
])('takes the endpoint from the environment: %j', (environment, endpoint) => {
  expect(namedEndpoint(environment)).toEqual(endpoint);
});

test.each([
  ['ftp://host/v1', /must be http/],
  ['host:8000', /must be http/],
  ['http://me:pw-here@host/v1', /contains a user/],
  ['http://host/v1?key=pw-here', /contains a user/],
])('refuses the address %s without repeating it', (address, message) => {
  const take = () => namedEndpoint({ TURNWISE_ENDPOINT: address, TURNWISE_ENDPOINT_MODEL: 'm' });
  expect(take).toThrow(message);
  expect(take).not.toThrow(/pw-here/);
});

test('refuses an endpoint without a model', () => {
  expect(() => namedEndpoint({ TURNWISE_ENDPOINT: 'http://host/v1' })).toThrow(/TURNWISE_ENDPOINT_MODEL/);
});
