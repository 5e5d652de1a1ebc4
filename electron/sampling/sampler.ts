/**
 * Samples the continuations of a rollout: asks the endpoint, runs the Python calls that end a turn, and goes on with
 * their outputs, up to the limit of turns.
 */
import { refused } from '../../shared/api/errors.ts';
import type { AbortSignal } from '../../shared/api/transport.ts';
import { extractAnswer } from '../../shared/domain/answer.ts';
import { isPythonTool } from '../../shared/domain/codeCells.ts';
import {
  type ContinuationStart,
  continuationRequest,
  withoutEndOfMessage,
} from '../../shared/domain/continuation.ts';
import { type Grade, grade } from '../../shared/domain/grade.ts';
import type { ToolCall } from '../../shared/domain/model.ts';
import type { PythonAnswer, PythonCell } from '../../shared/domain/pythonAnswer.ts';
import type { RerunMode } from '../../shared/domain/rerun.ts';
import type { SamplingSettings } from '../../shared/domain/samplingSettings.ts';
import { type SegmentedResponse, segmentResponse } from '../../shared/domain/segment.ts';
import { toolReply } from '../../shared/domain/toolReply.ts';
import { type CodeCall, cellsOf, codeCalls } from '../../shared/domain/verifyCalls.ts';
import { withTimeLimit } from '../threads/timeLimit.ts';
import type { Completion, SampledToken } from './answers.ts';
import { type CompletionOptions, complete } from './client.ts';
import type { Endpoint } from './endpoint.ts';

/** The endpoint gets this many requests at a time. */
const AT_ONCE = 4;
/** Tool calls of a response. Reading one takes 20 µs, in which the host answers nobody, and each is run. */
const MOST_CALLS = 2_000;
const CALL = '<tool_call>';

/** @returns a sentence if the response has more tool calls than are read */
export function tooManyCalls(response: string): string | undefined {
  let calls = 0;
  for (let at = response.indexOf(CALL); at >= 0; at = response.indexOf(CALL, at + CALL.length)) calls += 1;
  return calls <= MOST_CALLS
    ? undefined
    : `the response has ${calls} tool calls; one with more than ${MOST_CALLS} is not continued`;
}

export interface ContinuationTask {
  readonly start: ContinuationStart;
  readonly settings: SamplingSettings;
  /** A regular expression that a correct answer matches. Absent: by the ground truth. */
  readonly pattern?: string | undefined;
  readonly groundTruth?: string | undefined;
  /** The run's limit of turns, or ten if it states none. */
  readonly turnLimit: number;
  /** How the calls of the original are run again. */
  readonly mode: RerunMode;
  /** An output of a tool in the original. */
  readonly toolOutput?: string | undefined;
}

export interface Continuation {
  readonly index: number;
  /** The whole response: that of the original up to the position, the edit, and what was sampled. */
  readonly response: string;
  /** Tokens after the edit, in order. Absent: the endpoint gave no tokens that spell it. */
  readonly tokens?: readonly WrittenToken[];
  readonly answer?: string;
  readonly grade?: Grade;
  readonly stop?: 'length' | 'turn-limit';
  /** Tokens that the endpoint sampled, over all turns. */
  readonly tokensUsed: number;
  /** Seconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** `isSampled` is false for the output of a tool, which is one token. */
export type WrittenToken = SampledToken & { readonly isSampled: boolean };

export interface SamplerOptions extends Pick<CompletionOptions, 'signal' | 'random' | 'wait'> {
  readonly endpoint: Endpoint;
  readonly python: (cells: readonly PythonCell[], signal?: AbortSignal) => Promise<PythonAnswer>;
  readonly onText: (index: number, text: string) => void;
  /** Called once per continuation, when it is complete. */
  readonly onEnd: (continuation: Continuation) => Promise<void> | void;
  /** Continuations that are stored already are not sampled. */
  readonly done: ReadonlySet<number>;
}

export interface FailedContinuation {
  readonly index: number;
  readonly message: string;
}

/** @returns the continuations that failed; rejects with the first error if all of them did, and when cancelled */
export async function sampleAll(
  task: ContinuationTask,
  options: SamplerOptions,
): Promise<readonly FailedContinuation[]> {
  const left = Array.from({ length: task.settings.n }, (_, index) => index).filter(
    (index) => !options.done.has(index),
  );
  const asked = left.length;
  const failed: FailedContinuation[] = [];
  const errors: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      try {
        await options.onEnd(await continueOnce(task, index, options));
      } catch (error) {
        if (options.signal?.aborted === true) throw error;
        errors.push(error);
        failed.push({ index, message: error instanceof Error ? error.message : String(error) });
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  if (errors.length > 0 && errors.length === asked) throw errors[0];
  return failed.sort((a, b) => a.index - b.index);
}

async function continueOnce(
  task: ContinuationTask,
  index: number,
  options: SamplerOptions,
): Promise<Continuation> {
  const { start, settings } = task;
  const startedAt = Date.now() / 1000;
  let open = openedContinuation(task, index);
  for (;;) {
    const { response } = open;
    const completion = await complete(
      options.endpoint,
      continuationRequest(start, response),
      settingsOf(task, open),
      settings.seed + index,
      {
        signal: options.signal,
        random: options.random,
        wait: options.wait,
        onText: (text) => options.onText(index, text),
        isInReasoning: isInReasoning(start, response),
      },
    );
    const taken = await takeAnswer(task, open, completion, options);
    if (taken.refusal !== undefined) throw refused(taken.refusal);
    if (taken.ended !== undefined) return { ...taken.ended, startedAt, endedAt: Date.now() / 1000 };
    options.onText(index, taken.output);
    ({ open } = taken);
  }
}

/** A continuation that waits for an answer of the endpoint. */
export interface OpenContinuation {
  readonly index: number;
  /** The number of answers that it has taken. */
  readonly answers: number;
  /** Up to where the policy goes on. */
  readonly response: string;
  /** They have the meaning that `Continuation` gives them. */
  readonly tokens?: readonly WrittenToken[] | undefined;
  readonly tokensUsed: number;
}

export const openedContinuation = ({ start }: ContinuationTask, index: number): OpenContinuation => ({
  ...{ index, answers: 0, response: start.response, tokens: [], tokensUsed: 0 },
});

/**
 * Checks a continuation from a file that somebody else may have written, or before the log was read again.
 *
 * @returns without its tokens if they do not spell what follows the start; undefined if it cannot be one of the task
 */
export function continuationOf(
  { start, settings }: ContinuationTask,
  { tokens, ...open }: OpenContinuation,
): OpenContinuation | undefined {
  const { response, tokensUsed } = open;
  // One that has used all of its tokens would have ended.
  if (tokensUsed >= settings.maxTokens || !response.startsWith(start.response)) return undefined;
  const spelled = tokens?.map(({ text }) => text).join('');
  return spelled === response.slice(start.response.length) ? { ...open, tokens } : open;
}

/** Settings of the next request: `maxTokens` is for all turns together. */
export const settingsOf = (
  { settings }: ContinuationTask,
  { tokensUsed }: OpenContinuation,
): SamplingSettings => ({
  ...settings,
  maxTokens: settings.maxTokens - tokensUsed,
});

/**
 * Takes an answer: the continuation ends, or the Python calls of the turn are run, and it goes on after their output.
 *
 * @returns a refusal if the answer has too many calls
 */
export async function takeAnswer(
  task: ContinuationTask,
  before: OpenContinuation,
  completion: Completion,
  options: Pick<SamplerOptions, 'python' | 'signal'>,
): Promise<
  | { readonly refusal: string }
  | { readonly refusal?: undefined; readonly ended: Omit<Continuation, 'startedAt' | 'endedAt'> }
  | {
      readonly refusal?: undefined;
      readonly ended?: undefined;
      readonly open: OpenContinuation;
      readonly output: string;
    }
> {
  const { start, settings, turnLimit } = task;
  const { index, answers } = before;
  const sampled = withoutEndOfMessage(completion.text);
  const tokens = withSampled(before.tokens, completion, sampled);
  const response = before.response + sampled;
  const refusal = tooManyCalls(response);
  if (refusal !== undefined) return { refusal };
  const tokensUsed = before.tokensUsed + completion.tokensUsed;
  const end = (stop?: Continuation['stop']) => ({
    ended: {
      index,
      ...gradedResponse(task, response, stop),
      ...(tokens === undefined ? {} : { tokens }),
      ...(stop === undefined ? {} : { stop }),
      tokensUsed,
    },
  });
  if (completion.finish === 'length' || tokensUsed >= settings.maxTokens) return end('length');
  const read = segmentResponse(response, start);
  const calls = callsToAnswer(response, read);
  if (calls.length === 0 || start.toolOutput === undefined) return end();
  if (read.turns >= turnLimit) return end('turn-limit');
  const output = await outputOf(task, response, read, calls, options);
  return {
    open: {
      ...{ index, answers: answers + 1, response: response + output, tokensUsed },
      ...(tokens === undefined ? {} : { tokens: [...tokens, { text: output, isSampled: false }] }),
    },
    output,
  };
}

/**
 * The response with its answer, graded. Without an answer, one that ends with a call that nothing answered is not graded:
 * the environment of the trainer would have answered it.
 */
function gradedResponse(
  { start, groundTruth, pattern }: Pick<ContinuationTask, 'start' | 'groundTruth' | 'pattern'>,
  response: string,
  stop: Continuation['stop'],
): Pick<Continuation, 'response' | 'answer' | 'grade'> {
  const read = segmentResponse(response, start);
  const answer = extractAnswer(response, read.segments);
  if (answer === undefined && stop === undefined && openCalls(read).length > 0) return { response };
  const graded = grade(answer, groundTruth, {
    pattern,
    matches: (source, text) => withTimeLimit(() => ({ holds: new RegExp(source, 'u').test(text) }))?.holds,
  });
  return {
    response,
    ...(answer === undefined ? {} : { answer }),
    ...(graded === undefined ? {} : { grade: graded }),
  };
}

function isInReasoning(start: ContinuationStart, response: string): boolean {
  const text = `${start.startsInReasoning ? '<think>' : ''}${response}`;
  return text.lastIndexOf('<think>') > text.lastIndexOf('</think>');
}

/** @returns undefined if the tokens do not spell the text */
function withSampled(
  before: readonly WrittenToken[] | undefined,
  { tokens }: Completion,
  sampled: string,
): readonly WrittenToken[] | undefined {
  if (before === undefined || (tokens === undefined && sampled !== '')) return undefined;
  const written = [...before];
  let end = 0;
  for (const token of tokens ?? []) {
    if (end >= sampled.length) break;
    written.push({ ...token, text: token.text.slice(0, sampled.length - end), isSampled: true });
    end += token.text.length;
  }
  return written;
}

/** Calls of the last turn that nothing answered yet. */
const openCalls = ({ toolCalls, turns }: SegmentedResponse): readonly ToolCall[] =>
  toolCalls.filter(({ turn, responseSegment }) => turn === turns && responseSegment === undefined);

/** Python calls of the last turn that nothing answered yet. Empty if one of them cannot be run. */
function callsToAnswer(response: string, read: SegmentedResponse): readonly CodeCall[] {
  const { segments, toolCalls, turns } = read;
  const open = openCalls(read);
  const runnable = codeCalls({ response, segments, toolCalls }).filter(
    ({ turn, tool, outcome }) => turn === turns && outcome === 'missing' && isPythonTool(tool),
  );
  return runnable.length === open.length ? runnable : [];
}

async function outputOf(
  { start, mode, toolOutput }: ContinuationTask,
  response: string,
  read: SegmentedResponse,
  calls: readonly CodeCall[],
  { python, signal }: Pick<SamplerOptions, 'python' | 'signal'>,
): Promise<string> {
  const all = codeCalls({ response, ...read });
  const replies: string[] = [];
  for (const call of calls)
    replies.push(toolReply(await python(cellsOf(all, call, mode), signal), toolOutput));
  const { open = '', between = '', close = '' } = start.toolOutput ?? {};
  return `${open}${replies.join(between)}${close}`;
}
