/** Requests and answers as files, in OpenAI's batch form: for endpoints that this computer cannot reach. */
import { continuationRequest } from '../../shared/domain/continuation.ts';
import { readJson } from '../../shared/format/lenientJson.ts';
import { AnswerReader, type Completion, errorMessage } from './answers.ts';
import { requestBody } from './client.ts';
import { type ContinuationTask, type OpenContinuation, settingsOf } from './sampler.ts';

/** @param model as the server names it @param open those whose next requests are written */
export function batchLines(
  id: string,
  model: string,
  task: ContinuationTask,
  open: readonly OpenContinuation[],
): string {
  const { start, settings } = task;
  return open
    .map((one) => {
      const { index, answers, response } = one;
      const request = continuationRequest(start, response);
      const { path, body } = requestBody(model, request, settingsOf(task, one), settings.seed + index);
      const customId = `${id}:${index}:${answers}`;
      return `${JSON.stringify({ custom_id: customId, method: 'POST', url: `/v1${path}`, body })}\n`;
    })
    .join('');
}

export interface BatchAnswer {
  /** Lines of the file are counted from 1. */
  readonly line: number;
  readonly id: string;
  readonly index: number;
  /** Answers of this continuation that came before. */
  readonly before: number;
  /** It is a sentence if the request failed. */
  readonly outcome: Completion | string;
}

/** A line that gave no continuation. */
export interface BatchFailure {
  /** Lines of the file are counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** @returns the answers, and the lines that answer no request of ours */
export function readBatch(lines: string): {
  readonly answers: readonly BatchAnswer[];
  readonly failures: readonly BatchFailure[];
} {
  const answers: BatchAnswer[] = [];
  const failures: BatchFailure[] = [];
  for (const [at, text] of lines.split('\n').entries()) {
    if (text.trim() === '') continue;
    const line = at + 1;
    const read = readJson(text);
    if (!read.ok) {
      failures.push({ line, message: 'this is no JSON' });
      continue;
    }
    const { value } = read;
    const answer = (value ?? {}) as {
      readonly custom_id?: unknown;
      readonly response?: { readonly status_code?: unknown; readonly body?: unknown } | null;
    };
    const customId = typeof answer.custom_id === 'string' ? answer.custom_id : '';
    const [, id, index, before] = /^([\w-]{1,80}):(\d{1,6}):(\d{1,6})$/.exec(customId) ?? [];
    if (id === undefined) failures.push({ line, message: 'its custom_id names no request of Turnwise' });
    else {
      const outcome = outcomeOf(value, answer.response);
      answers.push({ line, id, index: Number(index), before: Number(before), outcome });
    }
  }
  return { answers, failures };
}

function outcomeOf(
  line: unknown,
  response: { readonly status_code?: unknown; readonly body?: unknown } | null | undefined,
): Completion | string {
  if (typeof response?.body !== 'object' || response.body === null) return errorMessage(line);
  if (typeof response.status_code === 'number' && response.status_code >= 400)
    return errorMessage(response.body);
  const reader = new AnswerReader();
  try {
    reader.takeValue(response.body);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return reader.isFinished ? reader.finish() : 'the answer broke off: it has no finish_reason';
}
