/** Lists of runs, steps, groups and rollouts, filters, and what charts show. */
import { z } from 'zod';
import { WORD_FIELDS } from '../domain/filter/fields.ts';
import type { FilterReading, FrequentValue, SavedView, StepFacts } from './browseRows.ts';
import { direction, filter, id, progressKey } from './paramTypes.ts';
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

/** Lists return all ids in order (4 bytes each), then rows for the visible window by id: exact scroll bars without OFFSET. */
export const LIST_PARAMS = {
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
    progressKey,
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
    progressKey,
  }),
  'rollout.rows': z.object({ rolloutIds: z.array(id).max(500) }),
  /** What charts show, per step; under a filter, of the rollouts that match. Long with a filter: like `roc.report`. */
  'step.series': z.object({
    runId: id,
    step: id.optional(),
    filter,
    progressKey,
  }),
  /** A filter as it was understood, and as SQL over the public views. */
  'filter.read': z.object({ runId: id.optional(), filter }),
  'view.list': z.object({}),
  /** A view of the same name is replaced. */
  'view.save': z.object({ name: z.string().trim().min(1).max(200), filter }),
  'view.remove': z.object({ name: z.string() }),
  /** Values of a word field in a run that begin with what has been typed, the most frequent first. */
  'filter.values': z.object({
    runId: id,
    field: z.enum(WORD_FIELDS),
    prefix: z.string().max(1000).default(''),
    limit: z.int().positive().max(200).default(20),
  }),
} as const;

export interface ListResults {
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
  'view.list': readonly SavedView[];
  'view.save': { readonly saved: boolean };
  'view.remove': { readonly removed: boolean };
  'filter.values': { readonly values: readonly FrequentValue[] };
}
