/**
 * The one contract: every request the renderer (or a script) can make of the host,
 * and every event the host sends. Both sides take their types from here; the host
 * validates params once, at its door (`electron/host/dispatch.ts`).
 *
 * Values on the wire are JSON plus typed arrays. Unknown is an absent field;
 * inside arrays it is `null` (or NaN inside a Float32Array of per-token signals).
 */
import { z } from 'zod';
import type {
  DecisionReason,
  IssueSeverity,
  Milliseconds,
  Nats,
  Provenance,
  RunKind,
  Segment,
  StopReason,
  ToolCall,
  Turn,
} from '../domain/model.ts';

// ── rows ────────────────────────────────────────────────────────────────────────────────────────

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
  readonly steps: number;
  readonly firstStep?: number;
  readonly lastStep?: number;
  readonly groups: number;
  readonly rollouts: number;
  /** Rollouts known to be correct, of those whose correctness is known at all. */
  readonly correct: number;
  readonly correctKnown: number;
  readonly issues: number;
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
  /** Rollouts whose stop reason is `length`. */
  readonly truncated: number;
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

export interface RolloutRow {
  readonly rolloutId: number;
  readonly groupId: number;
  readonly groupKey: string;
  readonly problemId: string;
  readonly step: number;
  /** Position in the oversampled group, from 0. */
  readonly ordinal: number;
  readonly reward?: number;
  readonly isCorrect?: boolean;
  readonly answer?: string;
  readonly groundTruth?: string;
  readonly turns: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly stopReason?: StopReason;
  readonly stopReasonSource?: Provenance;
  /** Logged decision of the down-sampling; absent where none was logged. */
  readonly kept?: boolean;
  readonly reason?: DecisionReason | (string & {});
  readonly pErr?: number;
  readonly pFormat?: number;
  readonly penalty?: number;
  readonly advantage?: number;
  readonly policyTokens?: number;
  readonly responseChars: number;
  readonly meanEntropy?: Nats;
  readonly path: string;
  readonly line: number;
}

/** What per-token entropy means in this rollout (`format.md`, `entropy_of`). */
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
  readonly hasEntropy: boolean;
  readonly hasLogprob: boolean;
  readonly hasTrainerLogprob: boolean;
  readonly hasMask: boolean;
  readonly entropyOf?: EntropyOf;
}

export interface RolloutDetail {
  readonly row: RolloutRow;
  readonly run: {
    readonly runId: number;
    readonly runKey: string;
    readonly name: string;
    readonly kind: RunKind;
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
  /** Fields of the record that Turnwise has no column for, as logged. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly record: { readonly fileId: number; readonly byteOffset: number; readonly byteLength: number };
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

export interface RecordChunk {
  readonly path: string;
  readonly line: number;
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
  readonly line?: number;
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

// ── requests ────────────────────────────────────────────────────────────────────────────────────

const id = z.int().nonnegative();
const direction = z.enum(['ascending', 'descending']);

export const GROUP_SORTS = [
  'order',
  'rollouts',
  'correct',
  'meanReward',
  'kept',
  'toolCalls',
  'toolErrors',
  'meanTurns',
  'meanResponseChars',
  'problemId',
] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];

export const ROLLOUT_SORTS = [
  'order',
  'ordinal',
  'reward',
  'isCorrect',
  'answer',
  'turns',
  'toolCalls',
  'toolErrors',
  'stopReason',
  'kept',
  'reason',
  'pErr',
  'pFormat',
  'penalty',
  'advantage',
  'policyTokens',
  'responseChars',
  'meanEntropy',
] as const;
export type RolloutSort = (typeof ROLLOUT_SORTS)[number];

export const RUN_SORTS = [
  'name',
  'kind',
  'steps',
  'groups',
  'rollouts',
  'correct',
  'issues',
  'recent',
] as const;
export type RunSort = (typeof RUN_SORTS)[number];

/** Lists return all ids in order (4 bytes each), then rows for the visible window by id: exact scroll bars without OFFSET. */
const params = {
  'host.info': z.object({}),
  'run.list': z.object({}),
  'run.get': z.object({ runKey: z.string() }),
  'step.list': z.object({ runId: id }),
  'group.order': z.object({
    runId: id,
    step: id.optional(),
    sort: z.enum(GROUP_SORTS).default('order'),
    direction: direction.default('ascending'),
  }),
  'group.rows': z.object({ groupIds: z.array(id).max(500) }),
  'rollout.order': z.object({
    runId: id,
    step: id.optional(),
    groupId: id.optional(),
    kept: z.boolean().optional(),
    isCorrect: z.boolean().optional(),
    hasToolCalls: z.boolean().optional(),
    hasToolErrors: z.boolean().optional(),
    sort: z.enum(ROLLOUT_SORTS).default('order'),
    direction: direction.default('ascending'),
  }),
  'rollout.rows': z.object({ rolloutIds: z.array(id).max(500) }),
  /** From the words of a URL to ids. */
  'place.resolve': z.object({
    runKey: z.string(),
    step: id.optional(),
    groupKey: z.string().optional(),
    ordinal: id.optional(),
  }),
  'rollout.get': z.object({ rolloutId: id }),
  'rollout.tokens': z.object({ rolloutId: id }),
  /** The raw record in its source file, by byte range: `limit` bytes from `offset` on. */
  'rollout.record': z.object({
    rolloutId: id,
    offset: z.int().nonnegative().default(0),
    limit: z.int().positive().max(4_194_304).default(1_048_576),
  }),
  'issue.list': z.object({
    runId: id.optional(),
    after: id.default(0),
    limit: z.int().positive().max(1000).default(200),
  }),
  'file.list': z.object({ runId: id.optional() }),
  /** Paths must have been granted by dialog, drop or argv. */
  'ingest.start': z.object({ paths: z.array(z.string()).min(1) }),
  'ingest.demo': z.object({}),
  'ingest.cancel': z.object({ jobId: id }),
  'ingest.jobs': z.object({}),
  /** Desktop only: shows the system dialog; resolves to the granted paths, empty when dismissed. */
  'shell.openDialog': z.object({ kind: z.enum(['files', 'directory']) }),
  /** Desktop only: asks the user, then opens an https link in the system browser. */
  'shell.openLink': z.object({ url: z.string() }),
  'shell.recent': z.object({}),
} as const;

export const CONTRACT_PARAMS = params;

export interface Results {
  'host.info': HostInfo;
  'run.list': readonly RunSummary[];
  'run.get': RunDetail;
  'step.list': readonly StepSummary[];
  'group.order': { readonly ids: Uint32Array };
  'group.rows': readonly GroupRow[];
  'rollout.order': { readonly ids: Uint32Array };
  'rollout.rows': readonly RolloutRow[];
  'place.resolve': { readonly runId: number; readonly groupId?: number; readonly rolloutId?: number };
  'rollout.get': RolloutDetail;
  'rollout.tokens': RolloutTokens;
  'rollout.record': RecordChunk;
  'issue.list': { readonly issues: readonly IssueRow[]; readonly total: number; readonly next?: number };
  'file.list': readonly FileRow[];
  'ingest.start': { readonly jobId: number };
  'ingest.demo': { readonly jobId: number };
  'ingest.cancel': { readonly cancelled: boolean };
  'ingest.jobs': readonly IngestProgress[];
  'shell.openDialog': { readonly paths: readonly string[] };
  'shell.openLink': { readonly opened: boolean };
  'shell.recent': { readonly paths: readonly string[] };
}

export type Method = keyof typeof params & keyof Results;
/** What a caller passes (defaults may be left out). */
export type ParamsOf<M extends Method> = z.input<(typeof params)[M]>;
/** What a handler receives (defaults filled in). */
export type ParsedParams<M extends Method> = z.output<(typeof params)[M]>;
export type ResultOf<M extends Method> = Results[M];

export const METHODS = Object.keys(params) as readonly Method[];

export function isMethod(name: string): name is Method {
  return Object.hasOwn(params, name);
}

// ── events ──────────────────────────────────────────────────────────────────────────────────────

export interface Events {
  'ingest.progress': IngestProgress;
  /** Rows were committed; cached answers about these runs are stale. */
  'library.changed': { readonly runIds: readonly number[] };
  /** Desktop menu and second instance: the renderer runs the command with this stable id. */
  'shell.command': { readonly command: string };
}
export type EventName = keyof Events;
export type HostEvent = { [E in EventName]: { readonly event: E; readonly payload: Events[E] } }[EventName];
