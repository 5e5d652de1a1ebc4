/**
 * The vocabulary of Turnwise as types. One word per thing, here and in SQL, the contract and the labels.
 *
 *   run ─< step ─< prompt group ─< rollout ─< turn ─< segment
 *                                     └─< tool call (pairs a call segment with its response)
 *
 * Unknown is `undefined` (NULL in SQL), never 0 or ''.
 */

/** Unit of entropy and surprisal (natural logarithm). */
export type Nats = number;
export type Milliseconds = number;
/** Position in a JavaScript string, in UTF-16 code units. */
export type Utf16Offset = number;
/** Lines of a log file, from 1. */
export type LineNumber = number;
/** Turns count from 1; turn 0 is the prompt. */
export type TurnNumber = number;

/** `counterfactual`: continuations that the user has sampled. */
export const RUN_KINDS = ['train', 'eval', 'counterfactual'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** Maximal span of one author and kind in a turn. */
export const SEGMENT_KINDS = [
  'reasoning',
  'text',
  'tool-call',
  'tool-response',
  'answer',
  'user',
  'system',
] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

/**
 * Outcome of a tool call. The first eight are those of rStar2-Agent's Python tool (paper §2.1;
 * `code_judge_utils.run_tool_calls_on_server_async` of the release). `ok` and `error` are for tools whose
 * responses carry no such status line. `malformed`: an unclosed or malformed call that nothing answered. The
 * trainer saw no call, so it is no tool call and no error (shared/domain/DOMAIN.md#tool-call-outcomes).
 */
export const TOOL_OUTCOMES = [
  'ok_stdout',
  'ok_empty',
  'exception',
  'timeout',
  'infra',
  'parse_error',
  'dispatch_error',
  'missing',
  'ok',
  'error',
  'malformed',
] as const;
export type ToolOutcome = (typeof TOOL_OUTCOMES)[number];

/** The outcomes that `tool_errors` counts. `missing` is excluded: without a response, failure is unknown. */
export const TOOL_ERROR_OUTCOMES: ReadonlySet<ToolOutcome> = new Set<ToolOutcome>([
  'exception',
  'timeout',
  'infra',
  'parse_error',
  'dispatch_error',
  'error',
]);

export const STOP_REASONS = ['answer', 'length', 'turn-limit', 'no-answer', 'error', 'aborted'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Origin of a value: written by the trainer, or derived by Turnwise from the text. */
export const PROVENANCES = ['logged', 'derived'] as const;
export type Provenance = (typeof PROVENANCES)[number];

/** Why down-sampling kept or discarded a rollout. */
export const DECISION_REASONS = [
  'kept_positive_topk',
  'kept_positive_tie',
  'kept_negative_quota',
  'kept_negative_topk',
  'kept_negative_tie',
  'kept_all_group',
  'discarded_equal_reward_all_correct',
  'discarded_equal_reward_all_wrong',
  'discarded_positive_penalty',
  'discarded_positive_tie',
  'discarded_negative_quota',
  'discarded_negative_penalty',
  'discarded_negative_tie',
  'discarded_group_too_small',
  'discarded_world_size_truncation',
  'discarded_aborted',
  'discarded_errored',
  'discarded_sampled_out',
  'discarded_stale',
  'discarded_surplus',
] as const;
export type DecisionReason = (typeof DECISION_REASONS)[number];

/** Half-open range `[start, end)` of a text. */
export interface TextRange {
  readonly start: Utf16Offset;
  readonly end: Utf16Offset;
}

/**
 * One segment of a prompt (turn 0) or a response (turn ≥ 1).
 *
 * `outer` ranges tile their text without gap or overlap: they include markup and the white space between
 * segments. `inner` is the text to display, without tags and without the newlines that the chat template
 * adds.
 */
export interface Segment {
  readonly kind: SegmentKind;
  readonly turn: TurnNumber;
  readonly outer: TextRange;
  readonly inner: TextRange;
}

/** One opened `<tool_call>` (or a structured call of a message list). */
export interface ToolCall {
  readonly turn: TurnNumber;
  /** As logged. Only message lists have one. */
  readonly callId?: string;
  /** Unknown if the payload is too malformed to tell. */
  readonly name?: string;
  /** The arguments as JSON text. Unknown if the payload is not JSON. */
  readonly arguments?: string;
  /** The Python source, if the arguments contain one. */
  readonly code?: string;
  readonly outcome: ToolOutcome;
  readonly latencyMs?: Milliseconds;
  /** `logged`: the log has a latency field. `derived` (default): the response's text states it. */
  readonly latencySource?: Provenance;
  /** Wait before the call ran, as logged. Whether the latency includes it depends on the trainer. */
  readonly queueMs?: Milliseconds;
  /** The environment worker that ran it, as logged. */
  readonly worker?: string;
  /** Seconds since 1970, as logged. Without it, a call has a duration but no position in time. */
  readonly startedAt?: number;
  /** Index into the rollout's segments. */
  readonly callSegment: number;
  readonly responseSegment?: number;
}

/**
 * KV cache usage while a rollout ran, 0 … 1: one number, samples at even distances from start to end, or
 * pairs of a time (seconds since 1970) and a sample.
 */
export type KvCacheUse = number | readonly number[] | readonly (readonly [at: number, share: number])[];

/** Logged timing and worker of a rollout. Its start and end are separate fields. */
export interface RolloutTiming {
  /** Logged duration, for logs without an end, or without start and end. */
  readonly durationMs?: Milliseconds;
  /** The rollout engine's worker that sampled it. */
  readonly worker?: string;
  /** One GPU, or several of one engine joined by `+`. */
  readonly gpu?: string;
  readonly kvCache?: KvCacheUse;
}

/** Consecutive segments: one assistant message and the responses it caused. */
export interface Turn {
  readonly turn: TurnNumber;
  /** Absent without a text, like calls and errors. */
  readonly segments?: number;
  readonly toolCalls?: number;
  readonly toolErrors?: number;
  readonly policyTokens?: number;
}

export const ISSUE_SEVERITIES = ['refused', 'warning'] as const;
export type IssueSeverity = (typeof ISSUE_SEVERITIES)[number];

/** Code of a warning about a file that was not read, because the library has its content from another path. */
export const DUPLICATE_FILE = 'duplicate_file';

/**
 * A problem in a log file. `refused`: the line (or file) is not in the library. `warning`: it is, with a
 * caveat.
 */
export interface IngestIssue {
  readonly severity: IssueSeverity;
  readonly code: string;
  readonly message: string;
  /** Absent if it concerns the whole file. */
  readonly line?: LineNumber;
}

export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
