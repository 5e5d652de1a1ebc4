/**
 * What a log format is: it recognises its files by content and turns each line into
 * rollouts or issues. Strings in, values out; files, bytes and containers are opened in
 * `electron/ingest`.
 */
import type {
  DecisionReason,
  IngestIssue,
  LineNumber,
  Provenance,
  RunKind,
  Segment,
  StopReason,
  ToolCall,
  Turn,
} from '../domain/model.ts';

/** What detection may look at: the first lines that are whole, parsed leniently. Names only break ties. */
export interface FileHead {
  /** File name without directory, for the step of a dump that does not repeat it in its records. */
  readonly name: string;
  /** First records (objects) of the file, at most 20. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

export interface LogFormat {
  readonly name: string;
  /** Sentence for `--help` and the mapping preview. */
  readonly title: string;
  detect(head: FileHead): boolean;
  /** One reader per file; it may remember what earlier lines said. */
  open(file: FileContext): LineReader;
}

export interface FileContext {
  readonly name: string;
}

export interface LineReader {
  /** `record` is one parsed line; values that JSON cannot carry have already become null. */
  read(record: Readonly<Record<string, unknown>>, line: LineNumber): ParsedLine;
}

export type ParsedLine =
  | { readonly kind: 'rollout'; readonly rollout: ParsedRollout; readonly warnings: readonly LineIssue[] }
  | { readonly kind: 'run'; readonly run: ParsedRun; readonly warnings: readonly LineIssue[] }
  | { readonly kind: 'stage'; readonly stage: ParsedStage }
  | { readonly kind: 'metric'; readonly metric: ParsedMetric }
  | { readonly kind: 'decision'; readonly decision: ParsedDecisionLine }
  | { readonly kind: 'signal'; readonly signal: ParsedSignalLine; readonly warnings: readonly LineIssue[] }
  /** Not in the library, and why. */
  | { readonly kind: 'issue'; readonly issue: LineIssue }
  /** The format documents this line as something that is no rollout. */
  | { readonly kind: 'skip' };

export type LineIssue = Omit<IngestIssue, 'line'>;

export interface ParsedProblem {
  /** Logged id, else the content hash of prompt and ground truth. */
  readonly problemId: string;
  readonly prompt: string;
  readonly promptSegments: readonly Segment[];
  readonly groundTruth?: string;
  readonly source?: string;
}

export interface ParsedRollout {
  /** Logged run id; absent for formats without one (the directory is the run then). */
  readonly run?: string;
  readonly kind: RunKind;
  readonly step: number;
  /** Unique within run and step. */
  readonly groupKey: string;
  /** Logged position in the group; absent: order of appearance. */
  readonly ordinal?: number;
  readonly problem: ParsedProblem;
  readonly response: string;
  /** Segments of the response only, turns ≥ 1; call indices count from the first of them. */
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  readonly turns: readonly Turn[];
  readonly reward?: number;
  readonly isCorrect?: boolean;
  readonly answer?: string;
  readonly answerSource?: Provenance;
  readonly stopReason?: StopReason;
  readonly stopReasonSource?: Provenance;
  readonly decision?: ParsedDecision;
  readonly tokens?: ParsedTokens;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Everything the record says that has no field above, as logged. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface ParsedDecision {
  readonly kept?: boolean;
  readonly reason?: DecisionReason | (string & {});
  readonly pErr?: number;
  readonly pFormat?: number;
  readonly penalty?: number;
  readonly advantage?: number;
  readonly rule?: string;
}

/** Which rollout a `decision` or `signal` line speaks of. */
export interface RolloutAddress {
  readonly run: string;
  readonly kind?: RunKind;
  readonly step: number;
  readonly group: string;
  readonly index: number;
}

export interface ParsedDecisionLine {
  readonly address: RolloutAddress;
  readonly decision: ParsedDecision;
}

export interface ParsedSignalLine {
  readonly address: RolloutAddress;
  readonly tokens: ParsedTokens;
}

export interface ParsedRun {
  readonly run: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface ParsedStage {
  readonly run: string;
  readonly fromStep: number;
  readonly name: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

export interface ParsedMetric {
  readonly run: string;
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** Per-token columns, all of length `count`; NaN is unknown. */
export interface ParsedTokens {
  readonly count: number;
  readonly ends?: Uint32Array;
  readonly ids?: Int32Array;
  readonly mask?: Uint8Array;
  readonly entropy?: Float32Array;
  readonly logprob?: Float32Array;
  readonly trainerLogprob?: Float32Array;
  readonly advantage?: Float32Array;
  /** Alternatives per token, as logged: `[[token, logprob], …]` or null. */
  readonly top?: readonly unknown[];
  readonly entropyOf?: Readonly<Record<string, unknown>>;
}
