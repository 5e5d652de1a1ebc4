/** Maps the words in which producers log why a rollout ended to our stop reasons. */
import { endingOf } from '../domain/ending.ts';
import {
  type Provenance,
  type Segment,
  STOP_REASONS,
  type StopReason,
  type ToolCall,
} from '../domain/model.ts';

/** Stop fields of a rollout. All are absent if unknown. */
export interface Stop {
  readonly stopReason?: StopReason;
  /** `logged` only if the log uses our own word. */
  readonly stopReasonSource?: Provenance;
  /** As logged. */
  readonly stopReasonLogged?: string;
}

/**
 * Words of several producers, in lower case. Words that give no reason of the policy (`stop`, `env_done`,
 * `user_stop`) are left out on purpose: the text decides.
 */
const WORDS: Readonly<Record<StopReason, readonly string[]>> = {
  answer: [],
  length: [
    ...['max_tokens', 'max_output_tokens', 'model_length', 'truncated', 'prompt_too_long'],
    ...['max_prompt_length_exceeded', 'max_response_length_exceeded', 'max_total_completion_tokens_reached'],
  ],
  'turn-limit': ['max_turns_exceeded', 'max_turns_reached', 'max_steps'],
  'no-answer': [],
  error: [
    ...['failed', 'has_error', 'too_many_errors', 'agent_error', 'user_error', 'infrastructure_error'],
    ...['unexpected_error'],
  ],
  aborted: ['abort', 'timeout', 'timeout_reached'],
};
const CLASSES = new Map(
  STOP_REASONS.flatMap((reason) => [reason, ...WORDS[reason]].map((word) => [word, reason] as const)),
);

/**
 * @param word as logged; anything but a text is unknown
 * @param classOf the stop reason of a word, for formats with words of their own; default: the common words
 */
export function stopOf(
  word: unknown,
  classOf: (word: string) => StopReason | undefined = (logged) => CLASSES.get(logged.toLowerCase()),
): Stop {
  if (typeof word !== 'string' || word === '') return {};
  const stopReason = classOf(word);
  if (stopReason === undefined) return { stopReasonLogged: word };
  return {
    stopReason,
    stopReasonSource: stopReason === word ? 'logged' : 'derived',
    stopReasonLogged: word,
  };
}

export interface StoppedText {
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  readonly answer: string | undefined;
  readonly isAnswerLogged: boolean;
  /** As in `KnownFacts`. */
  readonly isUnmarked?: boolean;
}

/** The logged stop reason. If its word maps to none, the one derived from the text. */
export function stopWithEnding(stop: Stop | undefined, text: StoppedText): Stop {
  if (stop?.stopReason !== undefined) return stop;
  const { response, segments, toolCalls, answer, isAnswerLogged, isUnmarked } = text;
  const stopReason = endingOf(response, segments, toolCalls, answer, isAnswerLogged);
  const isUnknown = stopReason === undefined || (isUnmarked === true && stopReason === 'no-answer');
  return { ...stop, ...(isUnknown ? {} : { stopReason, stopReasonSource: 'derived' }) };
}
