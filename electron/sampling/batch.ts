/** Requests and answers as files, in OpenAI's batch form: for endpoints that this computer cannot reach. */
import { continuationRequest } from '../../shared/domain/continuation.ts';
import { AnswerReader, type Completion, errorMessage } from './answers.ts';
import { requestBody } from './client.ts';
import type { ContinuationTask } from './sampler.ts';

/** @param model as the server names it */
export function batchLines(
  id: string,
  model: string,
  { start, settings }: Pick<ContinuationTask, 'start' | 'settings'>,
): string {
  const request = continuationRequest(start);
  return Array.from({ length: settings.n }, (_, index) => {
    const { path, body } = requestBody(model, request, settings, settings.seed + index);
    return `${JSON.stringify({ custom_id: `${id}:${index}`, method: 'POST', url: `/v1${path}`, body })}\n`;
  }).join('');
}

export interface BatchAnswer {
  readonly id: string;
  readonly index: number;
  /** A sentence if the request failed. */
  readonly outcome: Completion | string;
}

/** Lines that answer no request of ours are skipped. */
export function readBatch(lines: string): readonly BatchAnswer[] {
  return lines.split('\n').flatMap((line): readonly BatchAnswer[] => {
    if (line.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return [];
    }
    const answer = (value ?? {}) as {
      readonly custom_id?: unknown;
      readonly response?: { readonly status_code?: unknown; readonly body?: unknown } | null;
    };
    const [, id, index] = /^([\w-]{1,80}):(\d{1,6})$/.exec(String(answer.custom_id)) ?? [];
    if (id === undefined || index === undefined) return [];
    return [{ id, index: Number(index), outcome: outcomeOf(value, answer.response) }];
  });
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
    reader.take(JSON.stringify(response.body));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return reader.finish();
}
