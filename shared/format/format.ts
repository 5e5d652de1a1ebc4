/**
 * Interface of a log format: it recognizes its files by content and turns each record into rollouts or
 * issues. Files, bytes and containers are opened in `electron/ingest`.
 *
 * A record is one line of JSON Lines, one element of a JSON array, a whole JSON object, one row of a Parquet
 * file or table, or one member of an archive. It may hold several rollouts (samples of one problem,
 * simulations of one evaluation).
 */
import type { Annotation, ReviewMark } from '../domain/annotate/annotation.ts';
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
import type { Scores } from '../domain/scores.ts';
import type { Layout } from './layout.ts';
import type { LoggedContext } from './loggedContext.ts';

/** Input of detection: the first records, parsed leniently. The file's name decides nothing. */
export interface FileHead {
  readonly name: string;
  /** First records of the file, at most 20. A bare array is wrapped under `LIST_KEY`. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

/** Key that wraps a record that is an array (a bare list of messages). */
export const LIST_KEY = '[]';
/** Key that wraps a line that is not JSON, such as a trainer's console output. */
export const TEXT_KEY = '#text';

/** Key that wraps the collected parts of a rollout (`LogFormat.parts`). */
export const PARTS_KEY = '#parts';

/** A part of a rollout, such as a span of a trace, and the key that all its parts share. */
export interface KeyedPart {
  readonly key: string;
  readonly part: Readonly<Record<string, unknown>>;
}

export interface LogFormat {
  readonly name: string;
  /** Name in lists of formats. */
  readonly title: string;
  /** Producer: repository path and commit, or the specification. */
  readonly source: string;
  /** The detection rule in one sentence; `detect` implements exactly this. */
  readonly rule: string;
  /** Fields that are read, and fields that are not, as the table in FORMATS.md lists them. */
  readonly reads: string;
  readonly ignores: string;
  /** What forms a run if the log names none: the directory (default), or each file. */
  readonly runIs?: 'directory' | 'file';
  detect(head: FileHead): boolean;
  /**
   * For logs that spread a rollout over several records anywhere in the file: the parts in a record. undefined:
   * the record is no part. Ingest collects the parts of a key, in order, and the reader gets
   * `{[PARTS_KEY]: [part, …]}`.
   */
  parts?(record: Readonly<Record<string, unknown>>): readonly KeyedPart[] | undefined;
  /**
   * One reader per file. State kept between records may only save work, because a new reader may continue at
   * any record.
   */
  open(file: FileContext): RecordReader;
}

/** A column of a Parquet file that Turnwise did not write. */
export interface ParquetColumn {
  /** Physical type; absent for nested columns. */
  readonly type?: string;
  /** Size of the column, uncompressed and compressed. Files with equal columns have equal sizes. */
  readonly bytes: readonly [number, number];
}

export interface FileContext {
  readonly name: string;
  /** Facts from the names of file and directories (`layout.ts`), used if records lack them. */
  readonly layout: Layout;
  /**
   * Shared header of a container's records: `header.json` of an Inspect log, or `{columns}` of a Parquet file
   * (`ParquetColumn` by name).
   */
  readonly header?: Readonly<Record<string, unknown>>;
}

export interface RecordReader {
  /**
   * `record`: values that JSON cannot represent are null. `number` counts from 1. Every record yields at
   * least one rollout, joins one, is exactly one refused issue, or is documented as something else (`skip`).
   * Never throws.
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
  /** An annotation, a review mark, or a taxonomy. */
  | { readonly kind: 'annotation'; readonly annotation: Annotation }
  | { readonly kind: 'reading'; readonly reading: ReviewMark }
  | { readonly kind: 'taxonomy'; readonly taxonomy: Taxonomy }
  /** Not in the library, with the reason. */
  | { readonly kind: 'issue'; readonly issue: LineIssue }
  /** A line that the format documents as not a rollout. */
  | { readonly kind: 'skip' };

export type LineIssue = Omit<IngestIssue, 'line'>;

export interface ParsedProblem {
  /**
   * As logged. Absent: ingest derives one from prompt and ground truth, or from the record if the prompt is
   * unknown (`electron/storage/contentHash.ts`).
   */
  readonly problemId?: string;
  readonly prompt: string;
  readonly promptSegments: readonly Segment[];
  readonly groundTruth?: string;
  /** Only some records of a problem have its ground truth, so a derived id leaves it out. */
  readonly isTruthPartial?: true;
  readonly source?: string;
  /** Instructions of the simulated user. The policy did not see them, so they are not in the prompt. */
  readonly userScenario?: string;
}

export interface ParsedRollout {
  /** Logged run id. Absent for formats without one, whose run is the directory. */
  readonly run?: string;
  /** Key of the run in the library that wrote the file, if it does not follow from `run` and `kind`. */
  readonly runKey?: string;
  readonly kind: RunKind;
  /** Unknown for evaluations and collections without training steps. */
  readonly step?: number;
  /** As logged, unique within run and step. Absent: rollouts of one problem form one group. */
  readonly groupKey?: string;
  /** Without a `groupKey`: rollouts of one problem in different roles form different groups. */
  readonly role?: string;
  /** How the group key was determined; default `logged`. */
  readonly groupRule?: GroupRule;
  /** Number from 0 of the batch that was down-sampled at once, where a step has several. */
  readonly pool?: number;
  /** Logged position in the group. Absent: order of appearance. */
  readonly ordinal?: number;
  readonly problem: ParsedProblem;
  readonly response: string;
  /** Segments of the response only, turns ≥ 1. Call indices count from the first of them. */
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  readonly turns: readonly Turn[];
  /** Stored as an extra field. Absent: nothing is known. */
  readonly context?: LoggedContext;
  readonly reward?: number;
  readonly isCorrect?: boolean;
  /** `derived` if correctness was computed (answer equals ground truth); default `logged`. */
  readonly isCorrectSource?: Provenance;
  readonly answer?: string;
  readonly answerSource?: Provenance;
  readonly stopReason?: StopReason;
  readonly stopReasonSource?: Provenance;
  /** In the producer's words, as logged. */
  readonly stopReasonLogged?: string;
  /** Key of the rollout that it continues (`shared/domain/origin.ts`). */
  readonly origin?: string;
  readonly decision?: ParsedDecision;
  /** Absent without a score. */
  readonly scores?: Scores;
  readonly tokens?: ParsedTokens;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Absent if none of it is logged. */
  readonly timing?: RolloutTiming;
  /**
   * Keys of any length by which records of other files of the run (signals, decisions, the same rollout
   * again) find this one.
   */
  readonly joinKeys?: readonly string[];
  /**
   * Set for records of a file that lists rollouts again (prime-rl's `effective` beside `all`). If the run has
   * a rollout with one of its `joinKeys`, the record joins it. Every rollout of the step that is not listed
   * counts as discarded.
   */
  readonly isSelection?: boolean;
  /**
   * Set for records that the trainer may have written into another file, too (TRL). If the run has a rollout
   * with one of their `joinKeys`, the record joins it and adds nothing.
   */
  readonly mayRepeat?: boolean;
  /**
   * Name of a trace or similar unit, such as "trace 7f3a". If other files contain parts of it, those become separate
   * rollouts, and a warning names the other file.
   */
  readonly wholeName?: string;
  /** Neighbouring records with the same key and rising numbers are parts of one rollout (`parts.ts`). */
  readonly partOf?: { readonly key: string; readonly number: number };
  /** All logged fields without a counterpart above. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Credentials that the reader masked in `extra`, because it cut their texts. */
  readonly maskedInExtra?: number;
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

/** How rollouts were grouped: by a logged id, by equal prompts, or by their order in the file. */
export const GROUP_RULES = ['logged', 'prompt', 'order'] as const;
export type GroupRule = (typeof GROUP_RULES)[number];

/** A rollout of the same run, by one of its `joinKeys`. */
export interface JoinAddress {
  readonly joinKey: string;
}

/** The rollout that a `decision` or `signal` line refers to. */
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
  /** Absent: the run of the file's directory. The same holds below. */
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

/** Per-token columns of length `count`; NaN: unknown. */
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
