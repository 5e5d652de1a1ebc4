/** The values of the contract: what the host answers. Unknown is an absent field. */

import type { SignalSource } from '../domain/entropy.ts';
import type { Flag } from '../domain/flags.ts';
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

/** Sparkline columns, one entry per step in `steps`; null where nothing is known. */
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
  /** Whether `runKey` was written by the trainer or derived from content. */
  readonly keySource: Provenance;
  readonly format: string;
  /** Directory the logs were read from, for display. */
  readonly directory: string;
  readonly model?: string;
  readonly dataset?: string;
  /** Generated, not sampled by a model: the demo run says so in its `run` line. */
  readonly isSynthetic: boolean;
  /** False where the log knows no training step: all its rollouts then stand at step 0, which is not to be shown. */
  readonly hasSteps: boolean;
  readonly steps: number;
  readonly firstStep?: number;
  readonly lastStep?: number;
  readonly groups: number;
  readonly rollouts: number;
  /** Rollouts known to be correct, of those whose correctness is known at all. */
  readonly correct: number;
  readonly correctKnown: number;
  /** Of the files that hold this run alone. */
  readonly issues: number;
  /** Of files that hold other runs too: which run they are of is not known. Absent: none. */
  readonly sharedIssues?: number;
  readonly trends: RunTrends;
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
}

export interface StepSummary {
  readonly step: number;
  readonly groups: number;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly meanReward?: number;
  /** Rollouts without any tool call. */
  readonly withoutToolCalls: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly meanTurns: number;
  readonly meanResponseChars: number;
  readonly meanPolicyTokens?: number;
  /** Mean over the policy tokens whose entropy is logged. */
  readonly meanEntropy?: Nats;
  /** Rollouts whose stop reason is logged: only those can tell whether they were truncated. */
  readonly stopsLogged: number;
  /** Of those, the ones stopped by the length limit; absent where no stop reason is logged. */
  readonly truncated?: number;
  /** Rollouts with a logged decision, and how many of those were kept. */
  readonly decided: number;
  readonly kept: number;
  /** Groups whose rollouts are all wrong, mixed, all right; groups with unknown correctness are in none. */
  readonly groupsAllWrong: number;
  readonly groupsMixed: number;
  readonly groupsAllRight: number;
}

export interface GroupRow {
  readonly groupId: number;
  readonly groupKey: string;
  /** How its rollouts came together. */
  readonly groupRule: GroupRule;
  readonly problemId: string;
  readonly step: number;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly meanReward?: number;
  readonly decided: number;
  readonly kept: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly meanTurns: number;
  readonly meanResponseChars: number;
  readonly groundTruth?: string;
  /** The last user message of the prompt, its first 200 characters. */
  readonly promptPreview: string;
}

/** A row of a list of rollouts; shared/domain/rolloutFields.ts describes the fields. `step` is 0 where the log has none. */
export type RolloutRow = ListedRollout & {
  /** Ids of the labels readers have given it or parts of it, each once; absent: none. */
  readonly labels?: readonly string[];
};

/** What per-token entropy means in this rollout (`entropy_of`, shared/format/TURNWISE.md#tokens). */
export interface EntropyOf {
  readonly kind: 'full' | 'top-k';
  readonly k?: number;
  readonly unit?: string;
  readonly temperature?: number;
  readonly policy?: string;
}

export interface TokenInfo {
  readonly count: number;
  /** False when no offsets could be established: heat cannot sit on exact characters. */
  readonly isAligned: boolean;
  /** The tokenizer that places come from, where they were not logged. */
  readonly alignedBy?: string;
  readonly hasEntropy: boolean;
  readonly hasLogprob: boolean;
  readonly hasTrainerLogprob: boolean;
  readonly hasMask: boolean;
  readonly entropyOf?: EntropyOf;
}

export interface RolloutFlag {
  readonly flag: Flag;
  /** Where it shows: offsets in the response, `segment` among the segments of the response. */
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
  /** Segments of turn 0 are ranges of `prompt`, all others of `response`. Ordered; the index is the SQL `ordinal`. */
  readonly prompt: string;
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly turns: readonly Turn[];
  readonly toolCalls: readonly ToolCall[];
  /** The answer's provenance: as the trainer extracted it, or as found in the text. */
  readonly answerSource?: Provenance;
  readonly maxResponseTokens?: number;
  readonly tokens?: TokenInfo;
  /** Rules that it breaks (`shared/domain/flags.ts`). */
  readonly flags: readonly RolloutFlag[];
  /** Fields of the record that Turnwise has no column for, as logged. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** `unit`: what `row.line` counts in the file. */
  readonly record: {
    readonly fileId: number;
    readonly unit: string;
    readonly byteOffset: number;
    readonly byteLength: number;
  };
}

/** Per-token columns, all of length `count`; NaN is unknown. */
export interface RolloutTokens {
  readonly count: number;
  /** UTF-16 end offset of each token in `response`; absent when unaligned. */
  readonly ends?: Uint32Array;
  readonly ids?: Int32Array;
  /** 1 = sampled by the policy. */
  readonly mask?: Uint8Array;
  readonly entropy?: Float32Array;
  readonly logprob?: Float32Array;
  readonly trainerLogprob?: Float32Array;
}

/** One signal of a rollout's tokens; columns are of length `count`, NaN is unknown. */
export interface RolloutSignal {
  readonly count: number;
  /** Signals there is something of. */
  readonly available: readonly SignalName[];
  /** UTF-16 end offset of each token in `response`; absent when the log has ids without text. */
  readonly ends?: Uint32Array;
  readonly ids?: Int32Array;
  readonly mask?: Uint8Array;
  /** Absent, with all that follows, when the rollout has no such signal. */
  readonly signal?: SignalName;
  readonly source?: SignalSource;
  /** Of entropy from listed alternatives: the lower bound. */
  readonly values?: Float32Array;
  readonly upper?: Float32Array;
  /** Probability of all that is not listed. */
  readonly tail?: Float32Array;
}

/** Listed alternatives per token, most likely first as logged; null where none were listed. */
export interface TokenAlternatives {
  readonly from: number;
  readonly alternatives: readonly (readonly (readonly [token: string, logprob: Nats])[] | null)[];
}

/** A signal over many rollouts; each number says how many tokens and which source it is of. */
export interface TokenStatistics {
  readonly sources: readonly SourceStatistics[];
  /** One list for each cut that was asked for. */
  readonly rows: CutRows;
  /** Rollouts that have tokens but not this signal, or no loss mask. */
  readonly withoutSignal: number;
}

/** Which signals the rollouts of a run, a step or a group have a column of, or one rollout has. */
export interface AvailableSignals {
  /** Rollouts there are, and those with per-token columns of any kind. */
  readonly rollouts: number;
  readonly withTokens: number;
  /** Best first, in the order of `SIGNALS`. */
  readonly signals: readonly AvailableSignal[];
}

export interface AvailableSignal {
  readonly signal: SignalName;
  /** Not logged: a lower bound of the entropy follows from listed alternatives. An entry of its own, never added up. */
  readonly isBound: boolean;
  /** Rollouts with it, and those of them whose loss mask tells the policy's tokens. */
  readonly rollouts: number;
  readonly withMask: number;
}

/** Where a token stands with its highest (or lowest) values. */
export interface TokenPlaces {
  /** Absent when nothing of the signal was found. */
  readonly source?: SignalSource;
  /** How often the policy sampled it with a known value of this source. */
  readonly total: number;
  readonly places: readonly TokenPlace[];
}

export interface TokenPlace {
  readonly rolloutId: number;
  readonly step: number;
  readonly groupKey: string;
  readonly problemId: string;
  readonly ordinal: number;
  readonly isCorrect?: boolean;
  /** Index of the token in its rollout, from 0. */
  readonly token: number;
  readonly value: number;
  /** Some text on either side, cut at whole characters. */
  readonly before: string;
  readonly after: string;
}

export interface RecordChunk {
  readonly path: string;
  /** Number of the record in its file, from 1; `unit` says what is counted. */
  readonly line: number;
  readonly unit: string;
  /** True where the source holds the record in another form than JSON text (a row, a member): this is what was read of it. */
  readonly isRewritten: boolean;
  readonly byteLength: number;
  /** Byte position inside the record where `text` begins. */
  readonly offset: number;
  /** Decoded as UTF-8; the chunk never splits a character. */
  readonly text: string;
  readonly nextOffset?: number;
}

export interface IssueRow {
  readonly issueId: number;
  readonly path: string;
  /** What `line` counts: lines, or elements, values, members, rows. */
  readonly unit: string;
  readonly line?: number;
  /** Records that have this very issue, and the last of them; 1 unless they are equal caveats of one file. */
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
  readonly bytesDone: number;
  readonly rollouts: number;
  readonly issues: number;
  readonly elapsedMs: Milliseconds;
  /** The first run this job read rollouts of, as soon as it is known. */
  readonly runKey?: string;
  /** With `failed`: what was found, in one sentence. */
  readonly message?: string;
}

export interface HostInfo {
  readonly version: string;
  readonly shell: 'desktop' | 'browser';
  readonly platform: string;
  readonly libraryPath: string;
  /** Paths the user granted with this start (argv, dialog, drop). */
  readonly granted: readonly string[];
  /** Where this start should open: the run ingested from argv, or the demo. */
  readonly openRunKey?: string;
}
