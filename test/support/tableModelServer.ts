/**
 * An OpenAI-compatible server over a table model, whose probabilities are known. It answers in the shapes that vLLM,
 * SGLang and llama.cpp document (electron/sampling/answers.ts), and fails as it is told to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom } from '../../shared/domain/seededRandom.ts';

/** Tokens that may follow a text, with their probabilities. Empty: the message ends. */
export type TableModel = (text: string) => readonly (readonly [token: string, probability: number])[];

export type Dialect = 'vllm' | 'sglang' | 'llama.cpp';

/** What happens instead of an answer. `hang` answers nothing until the client is gone. */
export type Fault =
  | { readonly status: number; readonly retryAfter?: string; readonly body?: string }
  | 'redirect'
  | 'half'
  | 'wrong JSON'
  | 'not an answer'
  | 'error in the stream'
  | 'endless'
  | 'one endless line'
  | 'hang'
  | 'reset';

interface SeenRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TableModelServer {
  /** `http://127.0.0.1:PORT/v1` */
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Taken by requests in order. */
  readonly faults: Fault[];
  dialect: Dialect;
  /** UTF-16 units per chunk of the response. Small ones break lines and characters. */
  chunk: number;
  /** False: the whole answer at once, as JSON. */
  streams: boolean;
  /** Waits before each answer. */
  before: () => Promise<void>;
  /** Most requests that were open at a time. */
  mostOpen: number;
  close(): Promise<void>;
}

export async function serveTableModel(model: TableModel): Promise<TableModelServer> {
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    // One per wait for the client.
    response.setMaxListeners(0);
    state.mostOpen = Math.max(state.mostOpen, open);
    response.on('close', () => {
      open -= 1;
    });
    void answer(state, model, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: TableModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen: [],
    faults: [],
    dialect: 'vllm',
    chunk: 1000,
    streams: true,
    before: () => Promise.resolve(),
    mostOpen: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return state;
}

const ONLY_ANSWERS: ReadonlyMap<Fault, string> = new Map<Fault, string>([
  ['wrong JSON', '{"choices": [{'],
  ['not an answer', '[1, 2]'],
  ['error in the stream', '{"error": {"message": "out of memory \\u001b[31mred"}}'],
]);

interface Sampled {
  readonly token: string;
  readonly logprob: number;
  readonly top: readonly (readonly [string, number])[];
}

/** Samples until the model or the limit ends the message. */
export function sampleTable(
  model: TableModel,
  text: string,
  seed: number,
  most: number,
): { readonly tokens: readonly Sampled[]; readonly finish: 'stop' | 'length' } {
  const random = seededRandom(seed);
  const tokens: Sampled[] = [];
  let so = text;
  while (tokens.length < most) {
    const choices = model(so);
    if (choices.length === 0) return { tokens, finish: 'stop' };
    let left = random();
    const chosen =
      choices.find(([, probability]) => {
        left -= probability;
        return left < 0;
      }) ?? choices.at(-1);
    if (chosen === undefined) break;
    tokens.push({
      token: chosen[0],
      logprob: Math.log(chosen[1]),
      top: choices.map(([token, probability]) => [token, Math.log(probability)]),
    });
    so += chosen[0];
  }
  return { tokens, finish: 'length' };
}

async function answer(
  state: TableModelServer,
  model: TableModel,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let json = '';
  for await (const part of request) json += String(part);
  const body = JSON.parse(json) as Record<string, unknown>;
  const path = request.url ?? '';
  state.seen.push({ path, authorization: request.headers.authorization, body });
  await state.before();
  const fault = state.faults.shift();
  if (typeof fault === 'object') {
    response.writeHead(fault.status, {
      'content-type': 'application/json',
      ...(fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }),
    });
    response.end(fault.body ?? JSON.stringify({ error: { message: `fault ${fault.status}` } }));
    return;
  }
  if (fault === 'hang') return;
  if (fault === 'reset') {
    response.destroy();
    return;
  }
  if (fault === 'redirect') {
    response.writeHead(307, { location: 'http://127.0.0.1:1/v1/completions' }).end();
    return;
  }
  const isChat = path.endsWith('/chat/completions');
  const { tokens, finish } = sampleTable(
    model,
    isChat ? lastContent(body['messages']) : String(body['prompt']),
    Number(body['seed']),
    Number(body['max_tokens']),
  );
  const usage = { prompt_tokens: 1, completion_tokens: tokens.length, total_tokens: tokens.length + 1 };
  if (!state.streams) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [wholeChoice(state.dialect, isChat, tokens, finish)], usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (value: unknown): Promise<void> =>
    writeIn(response, `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`, state.chunk);
  const only = fault === undefined ? undefined : ONLY_ANSWERS.get(fault);
  if (only !== undefined) {
    await write(only);
    response.end();
    return;
  }
  if (fault === 'one endless line') {
    while (!response.destroyed) await writeIn(response, 'x'.repeat(1 << 20), 1 << 20);
    return;
  }
  if (fault === 'endless') {
    while (!response.destroyed)
      await write({ choices: [pieceOf(state.dialect, isChat, [{ token: 'a', logprob: -1, top: [] }])] });
    return;
  }
  if (isChat)
    await write({
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
    });
  await writeIn(response, ': a comment\r\n', state.chunk);
  for (const [i, token] of tokens.entries()) {
    if (fault === 'half' && i >= tokens.length / 2) {
      response.end();
      return;
    }
    await write({ choices: [pieceOf(state.dialect, isChat, [token])] });
  }
  const end = isChat ? { delta: {} } : { text: '' };
  const stop = state.dialect === 'sglang' ? { matched_stop: 151645 } : { stop_reason: null };
  await write({ choices: [{ index: 0, ...end, finish_reason: finish, ...stop }] });
  // vLLM sends usage only if it was asked for, in a piece without choices (vllm-project/vllm, issue 7299).
  const asked = (body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage === true;
  if (asked && state.dialect !== 'llama.cpp') await write({ choices: [], usage });
  await write('[DONE]');
  response.end();
}

const lastContent = (messages: unknown): string =>
  Array.isArray(messages) ? String((messages.at(-1) as { content?: string }).content) : '';

async function writeIn(response: ServerResponse, text: string, chunk: number): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length && !response.destroyed; at += chunk) {
    const isFull = !response.write(bytes.subarray(at, at + chunk));
    if (isFull)
      await new Promise((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
  }
}

function pieceOf(dialect: Dialect, isChat: boolean, tokens: readonly Sampled[]): object {
  const text = tokens.map(({ token }) => token).join('');
  const content = isChat ? { delta: { content: text } } : { text };
  return { index: 0, ...content, logprobs: logprobsOf(dialect, isChat, tokens), finish_reason: null };
}

function wholeChoice(dialect: Dialect, isChat: boolean, tokens: readonly Sampled[], finish: string): object {
  const text = tokens.map(({ token }) => token).join('');
  const content = isChat ? { message: { role: 'assistant', content: text } } : { text };
  return { index: 0, ...content, logprobs: logprobsOf(dialect, isChat, tokens), finish_reason: finish };
}

/** llama.cpp has the form of chats on both paths (ggml-org/llama.cpp, PR 10783). */
function logprobsOf(dialect: Dialect, isChat: boolean, tokens: readonly Sampled[]): object {
  if (isChat || dialect === 'llama.cpp')
    return {
      content: tokens.map(({ token, logprob, top }) => ({
        token,
        logprob,
        bytes: [...Buffer.from(token)],
        top_logprobs: top.map(([other, value]) => ({ token: other, logprob: value })),
      })),
    };
  return {
    text_offset: tokens.map(() => 0),
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top }) => Object.fromEntries(top)),
  };
}
