/**
 * The one contract: every request the renderer (or a script) can make of the host,
 * and every event the host sends. Both sides take their types from here; the host
 * validates params once, at its door (`electron/host/dispatch.ts`).
 *
 * Values on the wire are JSON plus typed arrays. Unknown is an absent field;
 * inside arrays it is `null` (or NaN inside a Float32Array of per-token signals).
 */
import { z } from 'zod';
import { MAX_LANES } from '../domain/alignLanes.ts';
import { RESAMPLE_RULES, SETTING_NAMES } from '../domain/downSampling.ts';
import { SOURCE_KINDS } from '../domain/entropy.ts';
import { WORD_FIELDS } from '../domain/filter/fields.ts';
import { LONGEST_FILTER } from '../domain/filter/parse.ts';
import { STATISTICS_BY } from '../domain/signalStatistics.ts';
import { SIGNALS } from '../domain/tokenSignal.ts';
import { MAPPING_FIELDS, MAPPING_VERSION, type Mapping } from '../format/mapping.ts';
import type { FilterReading, StepFacts } from './browseRows.ts';
import type { AlikeList, Comparison, ForkTree } from './compareRows.ts';
import { type GroupLedger, PENALTY_KINDS, type RocReport } from './rocRows.ts';
import type {
  AvailableSignals,
  FileRow,
  GroupRow,
  HostInfo,
  IngestProgress,
  IssueRow,
  RecordChunk,
  RolloutDetail,
  RolloutRow,
  RolloutSignal,
  RolloutTokens,
  RunDetail,
  RunSummary,
  StepSummary,
  TokenAlternatives,
  TokenPlaces,
  TokenStatistics,
} from './rows.ts';
import type {
  AlignmentRow,
  FileInspection,
  FollowRow,
  FormatRow,
  MappingPreview,
  PoolJoinRow,
  ProblemPlace,
  RunSources,
} from './sourceRows.ts';

export type { Mapping } from '../format/mapping.ts';
export * from './browseRows.ts';
export type * from './compareRows.ts';
export * from './rocRows.ts';
export type * from './rows.ts';
export type * from './sourceRows.ts';

// ── requests ────────────────────────────────────────────────────────────────────────────────────

const id = z.int().nonnegative();
const mappingSchema = z.object({
  version: z.literal(MAPPING_VERSION),
  name: z.string().trim().min(1).max(200),
  shape: z.array(z.string()).max(1000),
  rollouts: z.string().max(1000).optional(),
  fields: z.partialRecord(z.enum(MAPPING_FIELDS), z.string().max(1000)),
});
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
  'step',
  'problemId',
  'ordinal',
  'reward',
  'isCorrect',
  'answer',
  'turns',
  'toolCalls',
  'toolErrors',
  'latencyMs',
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

const rocChoice = z.object({
  rule: z.enum(RESAMPLE_RULES).optional(),
  penalty: z.enum(PENALTY_KINDS).optional(),
  settings: z.partialRecord(z.enum(SETTING_NAMES), z.union([z.boolean(), z.number(), z.string()])).optional(),
  groupSize: z.int().positive().max(100_000).optional(),
});

/** In the language of `shared/domain/filter`; a fault is a `bad_request` that says where. */
const filter = z.string().max(LONGEST_FILTER).default('');

/** A group and a rollout name their run, too: it is what progress and caches go by. */
const tokenScope = {
  runId: id,
  step: id.optional(),
  groupId: id.optional(),
  rolloutId: id.optional(),
};
const signalSource = z.object({
  kind: z.enum(SOURCE_KINDS),
  k: z.int().nonnegative().optional(),
  bound: z.literal('lower').optional(),
  unit: z.string().max(100).optional(),
  temperature: z.number().optional(),
  policy: z.string().max(100).optional(),
});

/** Lists return all ids in order (4 bytes each), then rows for the visible window by id: exact scroll bars without OFFSET. */
const params = {
  'host.info': z.object({}),
  'run.list': z.object({}),
  'run.get': z.object({ runKey: z.string() }),
  'step.list': z.object({ runId: id }),
  'group.order': z.object({
    runId: id,
    step: id.optional(),
    filter,
    sort: z.enum(GROUP_SORTS).default('order'),
    direction: direction.default('ascending'),
  }),
  'group.rows': z.object({ groupIds: z.array(id).max(500) }),
  'rollout.order': z.object({
    runId: id,
    step: id.optional(),
    groupId: id.optional(),
    filter,
    /** The first decides, the others break ties; unknown comes last; at last the order of the log. */
    sort: z
      .array(z.object({ by: z.enum(ROLLOUT_SORTS), direction: direction.default('ascending') }))
      .max(8)
      .default([]),
    progressKey: z.string().max(100).optional(),
  }),
  'rollout.rows': z.object({ rolloutIds: z.array(id).max(500) }),
  /** What charts show, per step; under a filter, of the rollouts that match. Long with a filter: like `roc.report`. */
  'step.series': z.object({
    runId: id,
    step: id.optional(),
    filter,
    progressKey: z.string().max(100).optional(),
  }),
  /** A filter as it was understood, and as SQL over the public views. */
  'filter.read': z.object({ runId: id.optional(), filter }),
  /** Values of a word field in a run that begin with what has been typed, the most frequent first. */
  'filter.values': z.object({
    runId: id,
    field: z.enum(WORD_FIELDS),
    prefix: z.string().max(1000).default(''),
    limit: z.int().positive().max(200).default(20),
  }),
  /** From the words of a URL to ids. */
  'place.resolve': z.object({
    runKey: z.string(),
    step: id.optional(),
    groupKey: z.string().optional(),
    ordinal: id.optional(),
  }),
  'rollout.get': z.object({ rolloutId: id }),
  'rollout.tokens': z.object({ rolloutId: id }),
  /** One number per token and what it is; without `signal` the best there is. `vocabulary`: for upper bounds. */
  'rollout.signal': z.object({
    rolloutId: id,
    signal: z.enum(SIGNALS).optional(),
    vocabulary: z.int().positive().max(10_000_000).optional(),
  }),
  /** What else could have stood at a token: the listed alternatives of some tokens from `from` on. */
  'rollout.alternatives': z.object({
    rolloutId: id,
    from: id,
    limit: z.int().positive().max(1000).default(1),
  }),
  /** Which signals a run, a step, a group or a rollout has, and of how many rollouts. */
  'token.signals': z.object(tokenScope),
  /** A signal over a run, a step, a group or a rollout, cut in one or several ways by one reading. Long: like `roc.report`. */
  'token.statistics': z.object({
    ...tokenScope,
    by: z.array(z.enum(STATISTICS_BY)).min(1).max(STATISTICS_BY.length),
    signal: z.enum(SIGNALS).optional(),
    vocabulary: z.int().positive().max(10_000_000).optional(),
    window: z.int().nonnegative().max(100_000).optional(),
    leastTokens: z.int().positive().optional(),
    progressKey: z.string().max(100).optional(),
  }),
  /** Where the policy sampled a token, highest (or lowest) values first. Long, too. `source`: without it the one of most tokens. */
  'token.places': z.object({
    ...tokenScope,
    signal: z.enum(SIGNALS),
    source: signalSource.optional(),
    token: z.string().min(1).max(10_000),
    order: direction.default('descending'),
    vocabulary: z.int().positive().max(10_000_000).optional(),
    limit: z.int().positive().max(1000).default(100),
    progressKey: z.string().max(100).optional(),
  }),
  /** The raw record in its source file, by byte range: `limit` bytes from `offset` on. */
  'rollout.record': z.object({
    rolloutId: id,
    offset: z.int().nonnegative().default(0),
    limit: z.int().positive().max(4_194_304).default(1_048_576),
  }),
  /** Equal caveats of a file are one row. `after`: rows passed over. */
  'issue.list': z.object({
    runId: id.optional(),
    code: z.string().optional(),
    after: id.default(0),
    limit: z.int().positive().max(1000).default(200),
  }),
  'file.list': z.object({ runId: id.optional() }),
  /** Groups of the same problem at other steps and in other runs, recognised by its normalised question. */
  'problem.places': z.object({ groupId: id, limit: z.int().positive().max(1000).default(200) }),
  /** What a run is made of: files, directories, joins, and the rules that made its groups. */
  'run.sources': z.object({ runKey: z.string() }),
  /** `log`: as the log says. Rollouts of the run are put into other groups, and those read later too. */
  'run.setGroupRule': z.object({
    runKey: z.string(),
    rule: z.enum(['log', 'prompt', 'order']),
    /** Rollouts per group, with `order`. */
    size: z.int().positive().max(100_000).optional(),
  }),
  /** Directories given the same name are one run; null: the directory is a run of its own again. Their files are read anew. */
  'run.setName': z.object({ directory: z.string(), name: z.string().trim().min(1).max(200).nullable() }),
  /**
   * `keptKey` lists the rollouts that were kept of the pool `poolKey`: found by step, question and text, they become
   * kept in the pool, with the reward the list knows; all others of the same steps become discarded.
   */
  'run.joinPool': z.object({ poolKey: z.string(), keptKey: z.string() }),
  'run.leavePool': z.object({ poolKey: z.string(), keptKey: z.string() }),
  /** Places token ids on the text of a run with a tokenizer.json; for what is read later, too. Progress counts rollouts. */
  'run.setTokenizer': z.object({
    runKey: z.string(),
    path: z.string(),
    progressKey: z.string().max(100).optional(),
  }),
  'run.removeTokenizer': z.object({ runKey: z.string() }),
  /** Removes the run and everything read for it from the library; the logs stay. */
  'run.remove': z.object({ runKey: z.string() }),
  /** One group's pool with every decision and its reason: logged, recomputed, and under a what-if. */
  'roc.group': z.object({ groupId: id, basis: rocChoice.default({}), whatIf: rocChoice.optional() }),
  /** The same over a step or a whole run. Long: `progressKey` names it in `analysis.progress`; cancel the request to end it. */
  'roc.report': z.object({
    runId: id,
    step: id.optional(),
    basis: rocChoice.default({}),
    whatIf: rocChoice.optional(),
    progressKey: z.string().max(100).optional(),
  }),
  /** The groups behind a number of a report, by its key. */
  'roc.groups': z.object({ reportId: id, key: z.string().max(200) }),
  /** Two to four rollouts side by side, aligned with the one of them that is the baseline (an index). */
  'compare.align': z.object({ rolloutIds: z.array(id).min(1).max(MAX_LANES), baseline: id.default(0) }),
  /** Where the rollouts of a group part; of several groups: of one problem at several steps. */
  'compare.tree': z.object({ groupIds: z.array(id).min(1).max(1000) }),
  /** Rollouts of the same problem that are most like this one. */
  'compare.alike': z.object({ rolloutId: id, limit: z.int().positive().max(500).default(50) }),
  'format.list': z.object({}),
  /** What a file is and why, without reading it into the library. */
  'file.inspect': z.object({ path: z.string() }),
  /** The first records as a mapping would read them. */
  'mapping.preview': z.object({ path: z.string(), mapping: mappingSchema }),
  'mapping.list': z.object({}),
  'mapping.save': z.object({ mapping: mappingSchema }),
  'mapping.remove': z.object({ name: z.string() }),
  /** Paths must have been granted by dialog, drop or argv. `mapping`: name of a saved one, for files of any shape. */
  'ingest.start': z.object({ paths: z.array(z.string()).min(1), mapping: z.string().optional() }),
  /** Keeps reading what appears below these paths. */
  'follow.start': z.object({ paths: z.array(z.string()).min(1) }),
  'follow.stop': z.object({ path: z.string() }),
  'follow.list': z.object({}),
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
  /** `matches`: rollouts of each group that match the filter; absent without one. */
  'group.order': { readonly ids: Uint32Array; readonly matches?: Uint32Array };
  'group.rows': readonly GroupRow[];
  'rollout.order': { readonly ids: Uint32Array };
  'rollout.rows': readonly RolloutRow[];
  'step.series': { readonly steps: readonly StepFacts[] };
  'filter.read': FilterReading;
  'filter.values': { readonly values: readonly { readonly text: string; readonly rollouts: number }[] };
  'place.resolve': { readonly runId: number; readonly groupId?: number; readonly rolloutId?: number };
  'rollout.get': RolloutDetail;
  'rollout.tokens': RolloutTokens;
  'rollout.signal': RolloutSignal;
  'rollout.alternatives': TokenAlternatives;
  'token.signals': AvailableSignals;
  'token.statistics': TokenStatistics;
  'token.places': TokenPlaces;
  'rollout.record': RecordChunk;
  'issue.list': { readonly issues: readonly IssueRow[]; readonly total: number; readonly next?: number };
  'file.list': readonly FileRow[];
  'problem.places': { readonly places: readonly ProblemPlace[]; readonly total: number };
  'run.sources': RunSources;
  'run.setGroupRule': { readonly groups: number };
  'run.setName': { readonly jobId: number };
  'run.joinPool': PoolJoinRow;
  'run.leavePool': { readonly left: boolean };
  'run.setTokenizer': AlignmentRow;
  'run.removeTokenizer': { readonly removed: boolean };
  'run.remove': { readonly rollouts: number; readonly files: number; readonly bytes: number };
  'roc.group': GroupLedger;
  'roc.report': RocReport;
  'roc.groups': { readonly ids: Uint32Array };
  'compare.align': Comparison;
  'compare.tree': ForkTree;
  'compare.alike': AlikeList;
  'format.list': readonly FormatRow[];
  'file.inspect': FileInspection;
  'mapping.preview': MappingPreview;
  'mapping.list': readonly Mapping[];
  'mapping.save': { readonly saved: boolean };
  'mapping.remove': { readonly removed: boolean };
  'follow.start': readonly FollowRow[];
  'follow.stop': readonly FollowRow[];
  'follow.list': readonly FollowRow[];
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
  'analysis.progress': {
    readonly progressKey: string;
    readonly stepsDone: number;
    readonly steps: number;
    /** Of everything, 0 … 1, where it is known closer than by steps. */
    readonly share?: number;
  };
  /** A followed directory was looked at, or is no longer followed. */
  'follow.changed': { readonly follows: readonly FollowRow[] };
  /** Desktop menu and second instance: the renderer runs the command with this stable id. */
  'shell.command': { readonly command: string };
}
export type EventName = keyof Events;
export type HostEvent = { [E in EventName]: { readonly event: E; readonly payload: Events[E] } }[EventName];
