/**
 * The vocabulary of Turnwise as types. One word per thing, here and in SQL, the
 * contract and the labels.
 *
 *   run ─< step ─< prompt group ─< rollout ─< turn ─< segment
 *                                     └─< tool call (pairs a call segment with its response)
 *
 * Unknown is `undefined` (NULL in SQL), never 0 or ''.
 */

/** Natural-log units of entropy and surprisal. */
export type Nats = number;
export type Milliseconds = number;
/** Position in a JavaScript string: UTF-16 code units, not characters, not bytes. */
export type Utf16Offset = number;
/** Lines of a log file count from 1, as in every editor. */
export type LineNumber = number;
/** Turns count from 1; turn 0 is the prompt. */
export type TurnNumber = number;

export const RUN_KINDS = ['train', 'eval'] as const;
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
 * What became of a tool call. The first eight are the Python tool of rStar2-Agent
 * (paper §2.1; `code_judge_utils.run_tool_calls_on_server_async` of the release);
 * `ok` and `error` are for tools whose responses carry no such status line.
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
] as const;
export type ToolOutcome = (typeof TOOL_OUTCOMES)[number];

/** The outcomes `tool_errors` counts. `missing` is not one: no response is known, so neither is a failure. */
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

/** Where a value comes from: written by the trainer, or worked out by Turnwise from the text. */
export const PROVENANCES = ['logged', 'derived'] as const;
export type Provenance = (typeof PROVENANCES)[number];

/** Why the down-sampling kept or discarded a rollout. */
export const DECISION_REASONS = [
  'kept_positive_topk',
  'kept_positive_tie',
  'kept_negative_quota',
  'kept_all_group',
  'discarded_equal_reward_all_correct',
  'discarded_equal_reward_all_wrong',
  'discarded_positive_penalty',
  'discarded_positive_tie',
  'discarded_negative_quota',
  'discarded_group_too_small',
  'discarded_world_size_truncation',
  'discarded_aborted',
  'discarded_errored',
  'discarded_sampled_out',
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
 * `outer` ranges tile their text without gap or overlap: markup and the white space
 * between segments belong to one of them. `inner` is what a reader wants to see,
 * without tags and without the newlines the chat template adds around them.
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
  /** As logged; message lists have one, texts do not. */
  readonly callId?: string;
  /** Unknown when the payload is malformed beyond recognition. */
  readonly name?: string;
  /** The arguments as JSON text; unknown when the payload is no JSON. */
  readonly arguments?: string;
  /** The Python source, when the arguments hold one. */
  readonly code?: string;
  readonly outcome: ToolOutcome;
  readonly latencyMs?: Milliseconds;
  /** `logged` when the log gives the latency beside the text; default `derived`: the response's text says it. */
  readonly latencySource?: Provenance;
  /** How long it waited before it was run, as logged; part of the latency or not, as the trainer measures it. */
  readonly queueMs?: Milliseconds;
  /** Which worker of the environment ran it, as logged. */
  readonly worker?: string;
  /** Seconds since 1970, as logged; without it a call has a duration and no place. */
  readonly startedAt?: number;
  /** Index into the rollout's segments. */
  readonly callSegment: number;
  readonly responseSegment?: number;
}

/**
 * Use of the KV cache while a rollout ran, 0 … 1: one number, samples at even distances from its start to its end,
 * or pairs of a time (seconds since 1970) and a sample.
 */
export type KvCacheUse = number | readonly number[] | readonly (readonly [at: number, share: number])[];

/** Where a rollout ran and what it took, as far as it is logged. When it began and ended stands beside it. */
export interface RolloutTiming {
  /** Logged as such: of logs that give no end, or no start either. */
  readonly durationMs?: Milliseconds;
  /** The worker of the rollout engine that sampled it. */
  readonly worker?: string;
  /** One GPU, or several of one engine joined by `+`. */
  readonly gpu?: string;
  readonly kvCache?: KvCacheUse;
}

/** A run of segments by one assistant message and the responses it caused. */
export interface Turn {
  readonly turn: TurnNumber;
  readonly segments: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly policyTokens?: number;
}

export const ISSUE_SEVERITIES = ['refused', 'warning'] as const;
export type IssueSeverity = (typeof ISSUE_SEVERITIES)[number];

/** Something wrong in a log file. `refused`: that line (or file) is not in the library. `warning`: it is, with a caveat. */
export interface IngestIssue {
  readonly severity: IssueSeverity;
  readonly code: string;
  readonly message: string;
  /** Absent when the whole file is meant. */
  readonly line?: LineNumber;
}

export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
