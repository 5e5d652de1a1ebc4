/**
 * The warehouse that the user has named for this library: its runs, what it counts of their steps, and
 * copies of steps. No request names an address.
 */

import { z } from 'zod';
import type { RunKind } from '../domain/model.ts';
import type { LatencyDistribution, StepFacts } from './browseRows.ts';
import { rolloutSorts } from './listMethods.ts';
import { defineMethod, resultOf } from './method.ts';
import { filter, id, progressKey } from './paramTypes.ts';
import type { RolloutRow, StepSummary } from './rows.ts';
import type { ExampleQuery, SqlSource } from './sqlRows.ts';

export interface WarehouseRun {
  /** Key of the run. */
  readonly run: string;
  readonly split: RunKind;
  /** Number of steps with rollouts; 0: the log has no steps. */
  readonly steps: number;
  readonly first_step: number | null;
  readonly last_step: number | null;
  readonly rollouts: number;
  /** Log files that its rollouts came from. */
  readonly sources: number;
  /** When its last load arrived, in the server's time. */
  readonly loaded_at: string;
  /** The library has a run of this key from its own logs or another warehouse, so no step is copied. */
  readonly isOwn?: true;
}

/** Sums and chart values of a step. A log without steps has step 0. */
export interface WarehouseStep {
  readonly summary: StepSummary;
  /** Without the schedule, and without `repeats`. */
  readonly facts: StepFacts;
  /** Identifies what the step was sent as, if its copy beside the library is of something else. Absent under a filter. */
  readonly replacedBy?: string;
}

/** A row of a list without what only a library has. */
export type WarehouseRollout = Omit<RolloutRow, 'rolloutId' | 'groupId' | 'labels' | 'rerun'>;

/** Rollouts that a warehouse lists at most. */
export const MOST_LISTED = 1000;

export const WAREHOUSE_METHODS = {
  /** Without a warehouse there are no runs, and no name. */
  'warehouse.runs': defineMethod({
    params: z.object({}),
    result: resultOf<{ readonly name?: string; readonly runs: readonly WarehouseRun[] }>(),
    runsOn: 'exporting',
    // A copy takes minutes.
    isAtOnce: true,
  }),
  /**
   * A filter by words looks in the whole prompt and response, as logged. Filters by kinds of text are bad requests, because
   * only a library has them.
   */
  'warehouse.steps': defineMethod({
    params: z.object({ run: z.string().max(4096), filter, progressKey }),
    result: resultOf<readonly WarehouseStep[]>(),
    runsOn: 'exporting',
    isAtOnce: true,
  }),
  /** Views and columns of the warehouse, for statements of the user. */
  'warehouse.schema': defineMethod({
    params: z.object({}),
    result: resultOf<{
      readonly sources: readonly SqlSource[];
      readonly examples: readonly ExampleQuery[];
    }>(),
    runsOn: 'exporting',
    isAtOnce: true,
  }),
  /** As `run.latencies`, of the steps of the warehouse. */
  'warehouse.latencies': defineMethod({
    params: z.object({
      ...{ run: z.string().max(4096), from: id.optional(), to: id.optional(), filter, progressKey },
    }),
    result: resultOf<LatencyDistribution>(),
    runsOn: 'exporting',
    isAtOnce: true,
  }),
  /** The first rollouts of a run in an order. Refuses what only a library has. */
  'warehouse.rollouts': defineMethod({
    params: z.object({ run: z.string().max(4096), filter, sort: rolloutSorts, progressKey }),
    result: resultOf<{ readonly rollouts: readonly WarehouseRollout[]; readonly matching: number }>(),
    runsOn: 'exporting',
    isAtOnce: true,
  }),
  /**
   * Copies steps beside this library, for `ingest.start`. A step that was copied before is replaced. Long-running
   * like `roc.report`; cancelling leaves what was there.
   */
  'warehouse.keep': defineMethod({
    params: z.object({
      run: z.string().min(1).max(4096),
      /** Absent: every step. */
      steps: z.array(id).min(1).max(100_000).optional(),
      filter,
      progressKey,
    }),
    result: resultOf<{
      readonly path: string;
      /** Key of the copy: that of the run or, under a filter, one of its own. */
      readonly runKey: string;
      readonly rollouts: number;
      readonly steps: number;
    }>(),
    runsOn: 'exporting',
  }),
} as const;
