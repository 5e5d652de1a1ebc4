/** A continuation as a line of the Turnwise log. */
import type { RolloutDetail, RolloutTokens } from '../../shared/api/contract.ts';
import type { ContinuationStart } from '../../shared/domain/continuation.ts';
import { readPrompt } from '../../shared/domain/prompt.ts';
import { type ContinuationFile, runOfContinuations } from './continuationFile.ts';
import type { Continuation } from './sampler.ts';

export interface RecordedRollout {
  readonly detail: RolloutDetail;
  readonly start: ContinuationStart;
  /** Tokens of the original. Absent: the log has none, or they are not aligned. */
  readonly tokens?: RolloutTokens | undefined;
}

type RecordedContinuation = Pick<
  Continuation,
  'index' | 'response' | 'tokens' | 'answer' | 'grade' | 'stop'
> &
  Partial<Pick<Continuation, 'startedAt' | 'endedAt'>>;

export function recordOf(
  { request, id }: ContinuationFile,
  rollout: RecordedRollout,
  continuation: RecordedContinuation,
): Readonly<Record<string, unknown>> & { readonly index: number } {
  const { detail, start } = rollout;
  const { index, response, answer, grade, stop, startedAt, endedAt } = continuation;
  const { origin, position, edit, settings, pattern, model, endpoint, at } = request;
  const { groundTruth, problemId } = detail.row;
  return {
    v: 1,
    type: 'rollout',
    run: runOfContinuations(origin.run),
    split: 'counterfactual',
    step: origin.step,
    group: id,
    index,
    problem: {
      id: problemId,
      prompt: promptOf(start),
      ...(groundTruth === undefined ? {} : { ground_truth: groundTruth }),
    },
    text: response,
    ...(answer === undefined ? {} : { answer }),
    ...(grade?.isCorrect === undefined ? {} : { is_correct: grade.isCorrect }),
    ...(stop === undefined ? {} : { stop_reason: stop }),
    ...tokensOf(rollout, continuation),
    ...(startedAt === undefined ? {} : { timing: { start: startedAt, end: endedAt } }),
    origin: {
      ...origin,
      position,
      character: start.at,
      edit,
      model,
      ...(endpoint === undefined ? {} : { endpoint }),
      settings,
      ...(pattern === undefined ? {} : { pattern }),
      at,
      ...(grade === undefined ? {} : { graded_by: grade.way }),
    },
  };
}

/** The prompt as a text if that is read alike, else as messages. */
function promptOf({ prompt, promptSegments }: ContinuationStart): unknown {
  const read = readPrompt(prompt).segments;
  const isAlike =
    read.length === promptSegments.length &&
    read.every(
      ({ kind, inner }, i) =>
        kind === promptSegments[i]?.kind && inner.start === promptSegments[i]?.inner.start,
    );
  if (isAlike) return prompt;
  const roles = { system: 'system', user: 'user', 'tool-response': 'tool' } as const;
  return promptSegments.map(({ kind, inner }) => ({
    role: kind in roles ? roles[kind as keyof typeof roles] : 'assistant',
    content: prompt.slice(inner.start, inner.end),
  }));
}

/**
 * The tokens of the original up to the position, the edit as a token that was not sampled, and those of the endpoint.
 * Without tokens of the original, its text is one token that was not sampled.
 */
function tokensOf(
  { detail, start, tokens: logged }: RecordedRollout,
  { response, tokens: written }: RecordedContinuation,
): object {
  if (written === undefined) return {};
  const ends: number[] = [];
  const mask: number[] = [];
  const logprob: (number | null)[] = [];
  const top: (readonly (readonly [string, number])[] | null)[] = [];
  const add = (
    end: number,
    isSampled: boolean,
    value?: number,
    alternatives?: (typeof top)[number],
  ): void => {
    ends.push(end);
    mask.push(Number(isSampled));
    logprob.push(value === undefined || Number.isNaN(value) ? null : value);
    top.push(alternatives ?? null);
  };
  let end = 0;
  const isSameText =
    logged?.ends !== undefined && start.response.startsWith(detail.response.slice(0, start.at));
  for (let i = 0; isSameText && i < logged.count; i++) {
    const next = logged.ends?.[i] ?? 0;
    if (next > start.at) break;
    end = next;
    add(end, logged.mask?.[i] !== 0, logged.logprob?.[i]);
  }
  for (const edge of [start.editStart, start.response.length]) {
    if (edge > end) add(edge, false);
    end = Math.max(end, edge);
  }
  for (const { text, isSampled, logprob: value, top: alternatives } of written) {
    end += text.length;
    add(end, isSampled, value, alternatives);
  }
  return end === response.length ? { tokens: { ends, mask, logprob, top } } : {};
}
