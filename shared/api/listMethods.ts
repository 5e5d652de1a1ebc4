/** Lists of runs, steps, groups and rollouts, filters, and chart series. */
import { z } from 'zod';
import { WORD_FIELDS } from '../domain/filter/fields.ts';
import { camelCase, SORT_FIELDS, type SortName } from '../domain/rolloutFieldRecord.ts';
import type { FrequentValue, ParsedFilter, ProblemRewards, SavedView, StepFacts } from './browseRows.ts';
import { defineMethod, resultOf } from './method.ts';
import { direction, filter, id, progressKey, runOf } from './paramTypes.ts';
import type { GroupRow, HostInfo, RolloutRow, RunDetail, RunSummary, StepSummary } from './rows.ts';

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

/** Sorts by the score of this name. */
type ScoreSort = `scores.${string}`;
type FieldSort = 'order' | SortName;
/** `order` is the order of the log; the others are fields and scores. */
export type RolloutSort = FieldSort | ScoreSort;
export const ROLLOUT_SORTS: readonly FieldSort[] = ['order', ...SORT_FIELDS.map(camelCase)];
export const isScoreSort = (sort: string): sort is ScoreSort => /^scores\../s.test(sort);
export const rolloutSortNamed = (name: string): RolloutSort | undefined =>
  isScoreSort(name) ? name : ROLLOUT_SORTS.find((sort) => sort === name);
const rolloutSort = z.union([
  z.enum(ROLLOUT_SORTS),
  z.custom<ScoreSort>((sort) => typeof sort === 'string' && sort.length <= 1000 && isScoreSort(sort)),
]);

/** The first key decides, the others break ties, then the order of the log. Unknown values sort last. */
export const rolloutSorts = z
  .array(z.object({ by: rolloutSort, direction: direction.default('ascending') }))
  .max(8)
  .default([]);

/** Number of rows that a list returns with its order. */
export const FIRST_ROWS = 100;
const withRows = z.boolean().optional();

export interface GroupOrder {
  readonly runId: number;
  readonly ids: Uint32Array;
  /** Number of rollouts per group that match the filter. Absent without a filter. */
  readonly matches?: Uint32Array;
  /** Rows of the first `FIRST_ROWS` ids, if requested. */
  readonly rows?: readonly GroupRow[];
}

export interface RolloutOrder {
  readonly runId: number;
  readonly ids: Uint32Array;
  /** Rows of the first `FIRST_ROWS` ids, if requested. */
  readonly rows?: readonly RolloutRow[];
  /** Distinct groups of these rows, in their order. */
  readonly groups?: readonly GroupRow[];
}

/**
 * Lists return all ids in order (4 bytes each), then rows of the visible window by id. Scroll bars are exact
 * without OFFSET.
 */
export const LIST_METHODS = {
  'host.info': defineMethod({ params: z.object({}), result: resultOf<HostInfo>(), runsOn: 'host' }),
  'run.list': defineMethod({
    params: z.object({}),
    result: resultOf<readonly RunSummary[]>(),
    runsOn: 'reader',
  }),
  'run.get': defineMethod({
    params: z.object({ runKey: z.string() }),
    result: resultOf<RunDetail>(),
    runsOn: 'reader',
  }),
  'step.list': defineMethod({
    params: z.object({ runId: id }),
    result: resultOf<readonly StepSummary[]>(),
    runsOn: 'reader',
  }),
  'group.order': defineMethod({
    params: z.object({
      ...runOf,
      step: id.optional(),
      filter,
      sort: z.enum(GROUP_SORTS).default('order'),
      direction: direction.default('ascending'),
      withRows,
      progressKey,
    }),
    result: resultOf<GroupOrder>(),
    runsOn: 'lists',
  }),
  'group.rows': defineMethod({
    params: z.object({ groupIds: z.array(id).max(500) }),
    result: resultOf<readonly GroupRow[]>(),
    runsOn: 'reader',
  }),
  'rollout.order': defineMethod({
    params: z.object({
      ...runOf,
      step: id.optional(),
      groupId: id.optional(),
      filter,
      sort: rolloutSorts,
      withRows,
      progressKey,
    }),
    result: resultOf<RolloutOrder>(),
    runsOn: 'lists',
  }),
  'rollout.rows': defineMethod({
    params: z.object({ rolloutIds: z.array(id).max(500) }),
    result: resultOf<readonly RolloutRow[]>(),
    runsOn: 'reader',
  }),
  /**
   * Chart series per step. With a filter: over the rollouts that match, and long-running like `roc.report`.
   */
  'step.series': defineMethod({
    params: z.object({
      runId: id,
      step: id.optional(),
      filter,
      progressKey,
    }),
    result: resultOf<{ readonly steps: readonly StepFacts[] }>(),
    runsOn: 'charts',
  }),
  /** Rewards of the matching rollouts of a step by problem, for intervals with problems as clusters. */
  'step.problemRewards': defineMethod({
    params: z.object({ runId: id, step: id, filter }),
    result: resultOf<ProblemRewards>(),
    runsOn: 'charts',
  }),
  /** Parses a filter and translates it to SQL over the public views. */
  'filter.parse': defineMethod({
    params: z.object({ runId: id.optional(), filter }),
    result: resultOf<ParsedFilter>(),
    runsOn: 'lists',
  }),
  'view.list': defineMethod({
    params: z.object({}),
    result: resultOf<readonly SavedView[]>(),
    runsOn: 'reader',
  }),
  /** Replaces a view of the same name. */
  'view.save': defineMethod({
    params: z.object({ name: z.string().trim().min(1).max(200), filter }),
    result: resultOf<{ readonly saved: boolean }>(),
    runsOn: 'writer',
  }),
  'view.remove': defineMethod({
    params: z.object({ name: z.string() }),
    result: resultOf<{ readonly removed: boolean }>(),
    runsOn: 'writer',
  }),
  /** Values of a word field in a run that begin with the typed prefix, most frequent first. */
  'filter.values': defineMethod({
    params: z.object({
      runId: id,
      field: z.enum(WORD_FIELDS),
      prefix: z.string().max(1000).default(''),
      limit: z.int().positive().max(200).default(20),
    }),
    result: resultOf<{ readonly values: readonly FrequentValue[] }>(),
    runsOn: 'lists',
  }),
} as const;
