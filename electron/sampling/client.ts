/**
 * Asks an OpenAI-compatible endpoint for one completion. Repeats a request that was limited (429), failed (5xx) or
 * broke off, with exponential backoff and jitter.
 */
import { ApiError, refused } from '../../shared/api/errors.ts';
import { type AbortSignal, CANCELLED } from '../../shared/api/transport.ts';
import type { ContinuationRequest } from '../../shared/domain/continuation.ts';
import { withGlyphs } from '../../shared/domain/hiddenCharacters.ts';
import type { SamplingSettings } from '../../shared/domain/samplingSettings.ts';
import { AnswerReader, type Completion, errorMessage } from './answers.ts';
import { type Endpoint, hostOf } from './endpoint.ts';
import { eventData } from './eventStream.ts';

/** Alternatives per token. OpenAI's completions have at most 5. */
const ALTERNATIVES = 5;
const ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** Bytes of an answer: a token with its alternatives, as JSON, takes about 1 kB. */
const BYTES_PER_TOKEN = 8 << 10;
const BYTES_OF_ANSWER = 1 << 20;
/** Bytes of an answer, however many tokens are asked for: a log has no longer record. */
const MOST_BYTES = 64 << 20;
/** Why there is no answer. Other codes of Node are shown as they are. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name is not known',
  EHOSTUNREACH: 'no network leads there',
  ENETUNREACH: 'no network leads there',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'it does not answer',
  UND_ERR_BODY_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
};
/** A server may close an idle connection just when a request is sent. */
const BROKEN_CONNECTION: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const LONGEST_ERROR_BYTES = 16 << 10;
/** Without a token. A server may hold a request in its queue, with a comment now and then, but not for ever. */
const LONGEST_SILENCE_MS = 15 * 60_000;

export interface CompletionOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onText?: (text: string) => void;
  /** The text before the answer is inside reasoning that is not closed. */
  readonly isInReasoning?: boolean;
  /** Uniform in [0, 1). For the jitter. */
  readonly random: () => number;
  /** Ends an answer that brings no token for so long. */
  readonly longestSilenceMs?: number;
  /** Rejects when the signal is aborted. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** The path and the body of a request, without what makes it a stream. */
export function requestBody(
  model: string,
  request: ContinuationRequest,
  { maxTokens, temperature, topP, stop }: SamplingSettings,
  seed: number,
): { readonly path: '/completions' | '/chat/completions'; readonly body: Readonly<Record<string, unknown>> } {
  const sampling = {
    max_tokens: maxTokens,
    temperature,
    top_p: topP,
    ...(stop.length === 0 ? {} : { stop }),
    seed,
  };
  if (request.form === 'text')
    return {
      path: '/completions',
      body: { model, prompt: request.prompt, ...sampling, logprobs: ALTERNATIVES },
    };
  return {
    path: '/chat/completions',
    body: {
      model,
      messages: request.messages,
      ...(request.continuesLast ? { continue_final_message: true, add_generation_prompt: false } : {}),
      ...sampling,
      logprobs: true,
      top_logprobs: ALTERNATIVES,
    },
  };
}

/** A request as it is sent: a stream. */
export function sentRequest(...of: Parameters<typeof requestBody>): ReturnType<typeof requestBody> {
  const { path, body } = requestBody(...of);
  return { path, body: { ...body, stream: true, stream_options: { include_usage: true } } };
}

/** @throws ApiError with what the endpoint answered, never with its key */
export async function complete(
  endpoint: Endpoint,
  request: ContinuationRequest,
  settings: SamplingSettings,
  seed: number,
  options: CompletionOptions,
): Promise<Completion> {
  const { signal, random, wait } = options;
  const { path, body } = sentRequest(endpoint.model, request, settings, seed);
  const sent = JSON.stringify(body);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(endpoint, path, sent, settings.maxTokens, options);
    if ('text' in outcome) return outcome;
    if (signal?.aborted === true) throw new ApiError(CANCELLED);
    const backoff = FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + random());
    const pause = Math.max(outcome.retryAfterMs ?? 0, Math.min(backoff, LONGEST_WAIT_MS));
    if (!outcome.isRetried || attempt >= ATTEMPTS || pause > LONGEST_WAIT_MS)
      throw refused(withoutKey(`${hostOf(endpoint)}: ${outcome.message}`, endpoint));
    await wait(pause, signal);
  }
}

interface Failed {
  readonly message: string;
  readonly isRetried: boolean;
  readonly retryAfterMs?: number;
}

async function attemptOnce(
  endpoint: Endpoint,
  path: string,
  body: string,
  maxTokens: number,
  { signal, onText, isInReasoning, longestSilenceMs = LONGEST_SILENCE_MS }: CompletionOptions,
): Promise<Completion | Failed> {
  const abort = new AbortController();
  let isSilent = false;
  const silence = setTimeout(() => {
    isSilent = true;
    abort.abort();
  }, longestSilenceMs);
  const onAbort = (): void => abort.abort();
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted === true) abort.abort();
  let isStarted = false;
  try {
    const response = await fetch(`${endpoint.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(endpoint.key === undefined ? {} : { authorization: `Bearer ${endpoint.key}` }),
      },
      body,
      redirect: 'manual',
      signal: abort.signal,
    });
    if (!response.ok) return await failureOf(response, endpoint);
    if (response.body === null) return { message: 'it sent no answer', isRetried: true };
    isStarted = true;
    const reader = new AnswerReader(isInReasoning);
    const mostBytes = Math.min(BYTES_OF_ANSWER + maxTokens * BYTES_PER_TOKEN, MOST_BYTES);
    const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
    const parts = isStream ? eventData(response.body, mostBytes) : wholeText(response.body, mostBytes);
    for await (const part of parts) {
      if (part === '[DONE]') break;
      const piece = reader.take(withoutKey(part, endpoint));
      if (piece !== '') {
        silence.refresh();
        onText?.(piece);
      }
      // A piece has at least one token.
      if (reader.piecesTaken > maxTokens + 1)
        return { message: `it sent more than the ${maxTokens} tokens that were asked for`, isRetried: false };
    }
    if (!reader.isFinished) return { message: 'the answer broke off', isRetried: true };
    return completionWithoutKey(reader.finish(), endpoint);
  } catch (error) {
    if (signal?.aborted === true) throw new ApiError(CANCELLED);
    if (error instanceof ApiError) return { message: error.message, isRetried: false };
    if (isSilent)
      return {
        message: `no token came for ${Math.ceil(longestSilenceMs / 60_000)} minutes`,
        isRetried: false,
      };
    const cause = causeOf(error);
    return {
      message: isStarted ? 'the answer broke off' : `not reached: ${CAUSES[cause] ?? cause}`,
      // Without a connection, the address is wrong or the server is down.
      isRetried: isStarted || BROKEN_CONNECTION.has(cause),
    };
  } finally {
    signal?.removeEventListener('abort', onAbort);
    clearTimeout(silence);
    // Ends a stream that goes on.
    abort.abort();
  }
}

async function failureOf(response: Response, endpoint: Endpoint): Promise<Failed> {
  const { status } = response;
  if (status >= 300 && status < 400)
    return {
      message: `it redirects to another address (${status}), which is not followed`,
      isRetried: false,
    };
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'));
  return {
    message: `status ${status}: ${await messageIn(response, endpoint)}`,
    isRetried: status === 429 || status >= 500,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Seconds, or a date. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

async function messageIn(response: Response, endpoint: Endpoint): Promise<string> {
  try {
    for await (const json of wholeText(response.body ?? new ReadableStream(), LONGEST_ERROR_BYTES))
      return errorMessage(JSON.parse(withoutKey(json, endpoint)));
  } catch {
    // No JSON, too long, or broken off: the status alone says what happened.
  }
  return withGlyphs(response.statusText.slice(0, 100)) || 'no message';
}

async function* wholeText(body: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw refused('the endpoint sent far more than was asked for');
    chunks.push(chunk);
  }
  yield new TextDecoder().decode(Buffer.concat(chunks));
}

function causeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return 'no connection';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** Shorter ones are words such as `test` or `none`, which local servers are given and answers have, too. */
const SHORTEST_KEY = 8;

/** A server may repeat the key in its message or its answer. It is removed before a message is cut. */
const withoutKey = (message: string, { key }: Endpoint): string =>
  key === undefined || key.length < SHORTEST_KEY ? message : message.replaceAll(key, '…');

/** Pieces of a stream, and escapes of JSON, can spell a key that none of them has. The tokens would spell it, too. */
function completionWithoutKey(completion: Completion, endpoint: Endpoint): Completion {
  const text = withoutKey(completion.text, endpoint);
  if (text === completion.text) return completion;
  const { tokens: _, ...rest } = completion;
  return { ...rest, text };
}
