/** Values of the contract: the host's results. Unknown is an absent field. */

import type { SignalSource } from '../domain/entropy.ts';
import type { Flag } from '../domain/flags.ts';
import type { LoggedLimit } from '../domain/limits.ts';
import type {
  IssueSeverity,
  Milliseconds,
  Nats,
  Provenance,
  RunKind,
  Segment,
  ToolCall,
  Turn,
} from '../domain/model.ts';
import type { ListedRollout } from '../domain/rolloutFieldRecord.ts';
import type { CutRows, SourceStatistics } from '../domain/signalStatistics.ts';
import type { SignalName } from '../domain/tokenSignal.ts';
import type { GroupRule } from '../format/format.ts';
import type { NamedEndpoint } from './samplingMethods.ts';

/** Sparkline columns, one entry per step in `steps`; null: unknown. */
export interface RunTrends {
  readonly steps: readonly number[];
  readonly meanReward: readonly (number | null)[];
  readonly toolErrorRate: readonly (number | null)[];
  readonly noToolShare: readonly (number | null)[];
  readonly meanResponseChars: readonly (number | null)[];
}

export interface RunSummary {
  readonly runId: number;
  /** Stable across libraries: the logged id, else a hash of the first file's first record. Used in URLs. */
  readonly runKey: string;
  readonly name: string;
  readonly kind: RunKind;
  /** Whether the trainer wrote `runKey` or it is derived from content. */
  readonly keySource: Provenance;
  readonly format: string;
  /** Directory the logs were read from, for display. */
  readonly directory: string;
  readonly model?: string;
  readonly dataset?: string;
  /** Generated rather than sampled by a model, as stated in the `run` line (by the demo run, for example). */
  readonly isSynthetic: boolean;
  /**
   * False if the log has no training steps. All its rollouts are then stored at step 0, which must not be
   * displayed.
   */
  readonly hasSteps: boolean;
  readonly steps: number;
  readonly firstStep?: number;
  readonly lastStep?: number;
  readonly groups: number;
  readonly rollouts: number;
  /** Correct rollouts, and rollouts whose correctness is known. */
  readonly correct: number;
  readonly correctKnown: number;
  /**
   * Source of the correctness of the first rollout whose correctness is known. `derived`: the log has no verdict, so
   * answer and ground truth were compared. Absent: by the reward, or unknown.
   */
  readonly correctSource?: Provenance;
  /** The grade from which Turnwise translated the first reward. Absent if all rewards are as logged, or if there are none. */
  readonly rewardGrade?: string;
  /** Records and files that are not in the library, of files that hold this run only. */
  readonly issues: number;
  /** Issues of files that hold other runs too, so their run is unknown. Absent: none. */
  readonly sharedIssues?: number;
  /** Records of its files that were read with a caveat. Absent: none. */
  readonly caveats?: number;
  /** When the log was last written. Absent: unknown. */
  readonly lastWritten?: RunDate;
  /** As logged for the whole run (`started_at` and `completed_at` of its configuration), in ms since 1970. */
  readonly startedAt?: number;
  readonly completedAt?: number;
  /**
   * Of a log of inspect_ai: `success`, `error`, `cancelled` or `started`. Without a status, the log ends before its
   * header. Absent: another format.
   */
  readonly evaluation?: { readonly status?: string };
  readonly trends: RunTrends;
}

export interface RunDate {
  /** Milliseconds since 1970. */
  readonly at: number;
  /**
   * Logged: the end of the run, the newest time of a rollout, the start of the run. Derived: when the newest log file
   * was modified.
   */
  readonly of: 'completed' | 'rollout' | 'started' | 'file';
}

export interface Stage {
  readonly fromStep: number;
  readonly name: string;
  /** What changed, as logged (`max_response_tokens`, `max_turns`, `data`, …). */
  readonly changes: Readonly<Record<string, unknown>>;
}

export interface RunDetail extends RunSummary {
  readonly stages: readonly Stage[];
  /** The merged `run` lines, as logged; empty for formats that write none. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Files of its directory that were not read, because other files of the library have their content. */
  readonly filesNotRead: number;
}

export interface StepSummary {
  readonly step: number;
  readonly groups: number;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly meanReward?: number;
  /** Rollouts with a text, the base of calls, errors and characters. */
  readonly withText: number;
  /** Rollouts with a text and without any tool call. */
  readonly withoutToolCalls: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly meanTurns?: number;
  readonly meanResponseChars?: number;
  readonly meanPolicyTokens?: number;
  /** Mean over the policy tokens whose entropy is logged. */
  readonly meanEntropy?: Nats;
  /** Rollouts whose stop reason is logged. Truncation is unknown for all others. */
  readonly stopsLogged: number;
  /** Those stopped by the length limit. Absent if no stop reason is logged. */
  readonly truncated?: number;
  /** Rollouts with a logged decision, and the kept ones among them. */
  readonly decided: number;
  readonly kept: number;
  /**
   * Groups whose rollouts are all incorrect, mixed, all correct. Groups of unknown correctness count in none.
   */
  readonly groupsAllWrong: number;
  readonly groupsMixed: number;
  readonly groupsAllRight: number;
}

export interface GroupRow {
  readonly groupId: number;
  readonly groupKey: string;
  /** The rule that formed the group. */
  readonly groupRule: GroupRule;
  readonly problemId: string;
  readonly step: number;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly meanReward?: number;
  readonly decided: number;
  readonly kept: number;
  /** Absent without any text, like errors and characters. */
  readonly toolCalls?: number;
  readonly toolErrors?: number;
  readonly meanTurns?: number;
  readonly meanResponseChars?: number;
  readonly groundTruth?: string;
  /**
   * First 200 characters of the user scenario or, without one, of the prompt's last user message without the
   * instructions of a known template.
   */
  readonly promptPreview: string;
}

/** A row of a list of rollouts; shared/domain/rolloutFields.ts describes the fields. `step` is 0 where the log has none. */
export type RolloutRow = ListedRollout & {
  /** Ids of labels on the rollout or parts of it, without duplicates. Absent: none. */
  readonly labels?: readonly string[];
};

/** Meaning of per-token entropy in this rollout (`entropy_of`, shared/format/TURNWISE.md#tokens). */
export interface EntropyOf {
  readonly kind: 'full' | 'top-k';
  readonly k?: number;
  readonly unit?: string;
  readonly temperature?: number;
  readonly policy?: string;
}

export interface TokenInfo {
  readonly count: number;
  /** False if tokens have no offsets, so a heat map cannot mark exact characters. */
  readonly isAligned: boolean;
  /** The tokenizer that offsets were computed with, if they were not logged. */
  readonly alignedBy?: string;
  readonly hasEntropy: boolean;
  readonly hasLogprob: boolean;
  readonly hasTrainerLogprob: boolean;
  readonly hasMask: boolean;
  readonly entropyOf?: EntropyOf;
}

export interface RolloutFlag {
  readonly flag: Flag;
  /** Evidence ranges: offsets in the response, `segment` among the segments of the response. */
  readonly evidence: readonly { readonly segment: number; readonly start: number; readonly end: number }[];
}

export interface RolloutDetail {
  readonly row: RolloutRow;
  readonly run: {
    readonly runId: number;
    readonly runKey: string;
    readonly name: string;
    readonly kind: RunKind;
    readonly hasSteps: boolean;
  };
  readonly group: GroupRow;
  /**
   * Segments of turn 0 are ranges of `prompt`, all others of `response`. Ordered; the index is the SQL
   * `ordinal`.
   */
  readonly prompt: string;
  /** Instructions of the simulated user. The policy did not see them. */
  readonly userScenario?: string;
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly turns: readonly Turn[];
  readonly toolCalls: readonly ToolCall[];
  /** Whether the trainer extracted the answer or it was found in the text. */
  readonly answerSource?: Provenance;
  readonly maxResponseTokens?: number;
  /** As the run's configuration states them for the step. */
  readonly limits: readonly LoggedLimit[];
  readonly tokens?: TokenInfo;
  /** Rules that it violates (`shared/domain/flags.ts`). */
  readonly flags: readonly RolloutFlag[];
  /** Fields of the record without a column of their own, as logged. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** `unit`: what `row.line` counts in the file. */
  readonly record: {
    readonly fileId: number;
    readonly unit: string;
    readonly byteOffset: number;
    readonly byteLength: number;
  };
}

/** Per-token columns of length `count`; NaN: unknown. */
export interface RolloutTokens {
  readonly count: number;
  /** UTF-16 end offset of each token in `response`; absent when unaligned. */
  readonly ends?: Uint32Array;
  readonly ids?: Int32Array;
  /** 1: sampled by the policy. */
  readonly mask?: Uint8Array;
  readonly entropy?: Float32Array;
  readonly logprob?: Float32Array;
  readonly trainerLogprob?: Float32Array;
}

/** One signal of a rollout's tokens. Columns have length `count`; NaN: unknown. */
export interface RolloutSignal {
  readonly count: number;
  /** Signals with at least one value. */
  readonly available: readonly SignalName[];
  /** UTF-16 end offset of each token in `response`. Absent if the log has ids without text. */
  readonly ends?: Uint32Array;
  readonly ids?: Int32Array;
  readonly mask?: Uint8Array;
  /** Absent, like all fields below, if the rollout has no such signal. */
  readonly signal?: SignalName;
  readonly source?: SignalSource;
  /** For entropy from listed alternatives: the lower bound. */
  readonly values?: Float32Array;
  readonly upper?: Float32Array;
  /** Total probability of tokens that are not listed. */
  readonly tail?: Float32Array;
}

/** Listed alternatives per token, most likely first as logged; null: none listed. */
export interface TokenAlternatives {
  readonly from: number;
  readonly alternatives: readonly (readonly (readonly [token: string, logprob: Nats])[] | null)[];
}

/** A signal over many rollouts. Each number comes with its token count and source. */
export interface TokenStatistics {
  readonly sources: readonly SourceStatistics[];
  /** One list per requested cut. */
  readonly rows: CutRows;
  /** Rollouts that have tokens but lack this signal or a loss mask. */
  readonly withoutSignal: number;
}

/** Signals for which a rollout, or the rollouts of a run, step or group, have a column. */
export interface AvailableSignals {
  /** All rollouts, and those with any per-token column. */
  readonly rollouts: number;
  readonly withTokens: number;
  /** In the order of `SIGNALS`, best first. */
  readonly signals: readonly AvailableSignal[];
}

export interface AvailableSignal {
  readonly signal: SignalName;
  /**
   * Not logged: listed alternatives give a lower bound of the entropy. A separate entry, never summed with
   * others.
   */
  readonly isBound: boolean;
  /** Rollouts with the signal, and those whose loss mask identifies the policy's tokens. */
  readonly rollouts: number;
  readonly withMask: number;
}

/** Occurrences of a token with its highest (or lowest) values. */
export interface TokenOccurrences {
  /** Absent if the signal was not found anywhere. */
  readonly source?: SignalSource;
  /** How many such tokens the policy sampled with a known value of this source. */
  readonly total: number;
  readonly places: readonly TokenOccurrence[];
}

export interface TokenOccurrence {
  readonly rolloutId: number;
  readonly step: number;
  readonly groupKey: string;
  readonly problemId: string;
  readonly ordinal: number;
  readonly isCorrect?: boolean;
  /** Index of the token in its rollout, from 0. */
  readonly token: number;
  readonly value: number;
  /** Text of the token. */
  readonly text: string;
  /** Context on either side, cut at whole characters. */
  readonly before: string;
  readonly after: string;
}

export interface RecordChunk {
  readonly path: string;
  /** Number of the record in its file, from 1, in units of `unit`. */
  readonly line: number;
  readonly unit: string;
  /** Name of a member of an archive. */
  readonly name?: string;
  /**
   * True if the source does not store the record as JSON text (a row, a member). `text` is then the parsed
   * record written as JSON.
   */
  readonly isRewritten: boolean;
  readonly byteLength: number;
  /** Byte position in the record where `text` begins. */
  readonly offset: number;
  /** Decoded as UTF-8. A chunk never splits a character. */
  readonly text: string;
  readonly nextOffset?: number;
}

export interface IssueRow {
  readonly issueId: number;
  readonly path: string;
  /** What `line` counts: lines, elements, values, members or rows. */
  readonly unit: string;
  readonly line?: number;
  /** Number of records with this issue, and the last of them. 1, except for equal warnings of one file. */
  readonly records: number;
  readonly lastLine?: number;
  readonly severity: IssueSeverity;
  readonly code: string;
  readonly message: string;
}

export interface FileRow {
  readonly fileId: number;
  readonly path: string;
  readonly format?: string;
  readonly bytes: number;
  readonly rollouts: number;
  readonly issues: number;
  readonly status: 'read' | 'partial' | 'refused';
}

export interface IngestProgress {
  readonly jobId: number;
  readonly state: 'running' | 'done' | 'cancelled' | 'failed';
  readonly paths: readonly string[];
  /** The file being read now. */
  readonly currentPath?: string;
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  /** Includes the parts of files that an earlier, unfinished job has read. */
  readonly bytesDone: number;
  readonly rollouts: number;
  readonly issues: number;
  /** The part of `issues` about records that are in the library. Absent: none. */
  readonly caveats?: number;
  /** Files that were not read, since the same file was read before under another path. Absent: none. */
  readonly duplicates?: number;
  readonly elapsedMs: Milliseconds;
  /** First run of which this job read rollouts, once known. */
  readonly runKey?: string;
  /** Runs of the files read so far. Absent: none. */
  readonly runs?: number;
  /** One file, or files that are steps of one run by their paths. Absent: files may be of several runs. */
  readonly isOneRun?: true;
  /** With `failed`: the reason in one sentence. */
  readonly message?: string;
}

export interface LibraryWarning {
  /** Names the problem and its consequence. */
  readonly message: string;
  /** A command that helps. */
  readonly command?: string;
}

export interface HostInfo {
  readonly version: string;
  readonly shell: 'desktop' | 'browser';
  readonly platform: string;
  readonly libraryPath: string;
  /** Directory of the files that pages in a browser have sent. It may not exist yet. */
  readonly uploads: string;
  /** Folder of wheels that Python of tool calls may import. It may not exist yet. */
  readonly wheels: string;
  /** Paths that the user has opened for this library on this machine (argv, dialog, drop). */
  readonly granted: readonly string[];
  /** Why the library cannot be changed, in one sentence. Absent: it can. */
  readonly readOnly?: string;
  /** The endpoint for continuations that the environment names. */
  readonly endpoint?: NamedEndpoint;
  /** The environment names a warehouse. */
  readonly hasWarehouse?: true;
  /** The library is damaged, or read-only. */
  readonly warnings: readonly LibraryWarning[];
}
