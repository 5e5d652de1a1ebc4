/**
 * What a log format is: it recognises its files by content and turns each record into
 * rollouts or issues. Records in, values out; files, bytes and containers are opened in
 * `electron/ingest`.
 *
 * A record is one line of JSON Lines, one element of a JSON array, a whole JSON object, one
 * row of a Parquet file or table, or one member of an archive. A record may hold several
 * rollouts (samples of one problem, simulations of one evaluation).
 */
import type { Annotation, Reading } from '../domain/annotate/annotation.ts';
import type { Taxonomy } from '../domain/annotate/taxonomy.ts';
import type {
  DecisionReason,
  IngestIssue,
  LineNumber,
  Provenance,
  RolloutTiming,
  RunKind,
  Segment,
  StopReason,
  ToolCall,
  Turn,
} from '../domain/model.ts';
import type { Layout } from './layout.ts';

/** What detection may look at: the first records, parsed leniently. The file's name decides nothing. */
export interface FileHead {
  readonly name: string;
  /** First records of the file, at most 20. A record that is a bare array stands under `LIST_KEY`. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

/** A record that is an array (a bare list of messages) is handed over as an object with this one key. */
export const LIST_KEY = '[]';
/** A line of a file that is no JSON, such as what a trainer prints, is handed over under this one key. */
export const TEXT_KEY = '#text';

export interface LogFormat {
  readonly name: string;
  /** What it is, for a list of formats. */
  readonly title: string;
  /** Who writes it: repository path and commit, or the specification. */
  readonly source: string;
  /** How it is recognised, in one sentence; `detect` does exactly this. */
  readonly rule: string;
  /** What is read of it, and what is not; for the table in README.md. */
  readonly reads: string;
  readonly ignores: string;
  /** What makes a run where the log names none: the directory (default), or each file by itself. */
  readonly runIs?: 'directory' | 'file';
  detect(head: FileHead): boolean;
  /**
   * One reader per file. What it remembers between records may only save work: reading may
   * go on at any record, with a new reader.
   */
  open(file: FileContext): RecordReader;
}

export interface FileContext {
  readonly name: string;
  /** What the names of file and directories say (`layout.ts`): a fallback for what records do not. */
  readonly layout: Layout;
  /** What an archive says once for all its records (`header.json` of an Inspect log). */
  readonly header?: Readonly<Record<string, unknown>>;
}

export interface RecordReader {
  /**
   * `record`: values that JSON cannot carry have already become null. `number` counts from 1.
   * Every record yields at least one rollout, or joins one, or is exactly one refused issue,
   * or is documented as something else (`skip`); nothing thrown.
   */
  read(record: Readonly<Record<string, unknown>>, number: LineNumber): ParsedLine | readonly ParsedLine[];
}

export type ParsedLine =
  | { readonly kind: 'rollout'; readonly rollout: ParsedRollout; readonly warnings: readonly LineIssue[] }
  | { readonly kind: 'run'; readonly run: ParsedRun; readonly warnings: readonly LineIssue[] }
  | { readonly kind: 'stage'; readonly stage: ParsedStage }
  | { readonly kind: 'metric'; readonly metric: ParsedMetric }
  | { readonly kind: 'decision'; readonly decision: ParsedDecisionLine }
  | { readonly kind: 'signal'; readonly signal: ParsedSignalLine; readonly warnings: readonly LineIssue[] }
  /** What somebody said of a rollout, that they have been through it, and what their labels mean. */
  | { readonly kind: 'annotation'; readonly annotation: Annotation }
  | { readonly kind: 'reading'; readonly reading: Reading }
  | { readonly kind: 'taxonomy'; readonly taxonomy: Taxonomy }
  /** Not in the library, and why. */
  | { readonly kind: 'issue'; readonly issue: LineIssue }
  /** The format documents this line as something that is no rollout. */
  | { readonly kind: 'skip' };

export type LineIssue = Omit<IngestIssue, 'line'>;

export interface ParsedProblem {
  /** As logged. Absent: ingest derives one from prompt and ground truth (`electron/storage/contentHash.ts`). */
  readonly problemId?: string;
  readonly prompt: string;
  readonly promptSegments: readonly Segment[];
  readonly groundTruth?: string;
  /** Only some records of a problem give its ground truth: a derived id leaves it out. */
  readonly isTruthPartial?: true;
  readonly source?: string;
}

export interface ParsedRollout {
  /** Logged run id; absent for formats without one (the directory is the run then). */
  readonly run?: string;
  /** By what a library knew the run, where that does not follow from `run` and `kind`. */
  readonly runKey?: string;
  readonly kind: RunKind;
  /** Unknown for evaluations and collections that know no training step. */
  readonly step?: number;
  /** As logged, unique within run and step. Absent: rollouts of one problem are one group. */
  readonly groupKey?: string;
  /** Without a `groupKey`: rollouts of one problem in different roles are different groups. */
  readonly role?: string;
  /** How the key came about; default `logged`. */
  readonly groupRule?: GroupRule;
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
  /** `derived` when correctness was worked out (answer equals ground truth); default `logged`. */
  readonly isCorrectSource?: Provenance;
  readonly answer?: string;
  readonly answerSource?: Provenance;
  readonly stopReason?: StopReason;
  readonly stopReasonSource?: Provenance;
  readonly decision?: ParsedDecision;
  readonly tokens?: ParsedTokens;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Absent where nothing of it is logged. */
  readonly timing?: RolloutTiming;
  /** Keys of any length by which records of other files of the run (signals, decisions, the same rollout again) find this one. */
  readonly joinKeys?: readonly string[];
  /**
   * Set when this record stands in a file that lists rollouts again (prime-rl's `effective`
   * beside `all`): where a rollout with one of its `joinKeys` is in the run, the record joins
   * it, and every rollout of the step that is not listed counts as discarded.
   */
  readonly isSelection?: boolean;
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

/** How rollouts were put into groups: an id in the log, equal prompts, or their order in the file. */
export const GROUP_RULES = ['logged', 'prompt', 'order'] as const;
export type GroupRule = (typeof GROUP_RULES)[number];

/** A rollout of the same run, by one of its `joinKeys`. */
export interface JoinAddress {
  readonly joinKey: string;
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
  readonly address: RolloutAddress | JoinAddress;
  readonly decision: ParsedDecision;
}

interface ParsedSignalLine {
  readonly address: RolloutAddress | JoinAddress;
  readonly tokens: ParsedTokens;
}

export interface ParsedRun {
  /** Absent: the run of the file's directory, likewise below. */
  readonly run?: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface ParsedStage {
  readonly run?: string;
  readonly fromStep: number;
  readonly name: string;
  readonly changes: Readonly<Record<string, unknown>>;
}

export interface ParsedMetric {
  readonly run?: string;
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
