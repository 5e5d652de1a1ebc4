/** Why a rollout ended, as far as its text shows it. */
import { extractAnswer } from './answer.ts';
import type { Segment, StopReason, ToolCall } from './model.ts';

/**
 * `turn-limit`: the last segment is a call without a response. `answer`: the policy's text after the last tool
 * response or user message gives an answer, at most `RAN_ON` before the end. `no-answer`: it gives none.
 * Undefined without a text, and if the rollout continued after its answer.
 *
 * @param answer logged, or extracted from the text
 * @param isLogged the producer extracted the answer, so the text need not mark it
 */
export function endingOf(
  response: string,
  segments: readonly Segment[],
  toolCalls: readonly ToolCall[],
  answer: string | undefined,
  isLogged = false,
): StopReason | undefined {
  if (response === '') return undefined;
  const last = toolCalls.at(-1);
  if (last?.outcome === 'missing' && last.callSegment === segments.length - 1) return 'turn-limit';
  if (answer === undefined) return 'no-answer';
  const ofEnvironment = segments.findLastIndex(({ kind }) => ENVIRONMENT.has(kind));
  const lastWords = segments.slice(ofEnvironment + 1);
  const ending = lastWords.flatMap((segment) => endingPart(segment, response.length - RAN_ON));
  const hasAnswered = isLogged ? lastWords.length > 0 : extractAnswer(response, ending) !== undefined;
  return hasAnswered ? 'answer' : undefined;
}

/**
 * Characters. A policy that wrote more than this after its answer did not stop because of it: in real logs it
 * degenerates after `#### 109` until the trainer cuts it off.
 */
const RAN_ON = 1_000;

/** The part of a segment after `from`. A marked answer is never cut. */
function endingPart(segment: Segment, from: number): readonly Segment[] {
  const { inner, kind } = segment;
  if (inner.end <= from) return [];
  if (kind === 'answer') return [segment];
  return [{ ...segment, inner: { ...inner, start: Math.max(inner.start, from) } }];
}

const ENVIRONMENT: ReadonlySet<Segment['kind']> = new Set(['tool-response', 'user', 'system'] as const);
