/**
 * The contract: every request to the host and every event it sends. Both sides derive their types from here,
 * and the host validates params once (`electron/host/dispatch.ts`).
 *
 * Values are JSON plus typed arrays. Unknown is an absent field; inside arrays it is `null`, in a
 * Float32Array of per-token signals NaN.
 */
import type { z } from 'zod';
import { ANALYSIS_METHODS } from './analysisMethods.ts';
import { ANNOTATION_METHODS } from './annotationMethods.ts';
import { DETECTOR_METHODS } from './detectorMethods.ts';
import { LIBRARY_METHODS } from './libraryMethods.ts';
import { LIST_METHODS } from './listMethods.ts';
import type { MethodDefinition, ResultType, RunsOn } from './method.ts';
import { OVERVIEW_METHODS } from './overviewMethods.ts';
import { PACK_METHODS } from './packMethods.ts';

export type {
  AnsweredBatch,
  ContinuationParams,
  ContinuationRow,
  InterruptedContinuations,
  ReadAnswers,
  SampledContinuations,
  SampledValue,
  SamplingPreview,
  StoredContinuations,
  ValueParams,
} from './samplingMethods.ts';
export {
  MOST_LISTED,
  type WarehouseRollout,
  type WarehouseRun,
  type WarehouseStep,
} from './warehouseMethods.ts';

import { PAGE_METHODS } from './pageMethods.ts';
import { PROBLEM_METHODS } from './problemMethods.ts';
import { PYTHON_METHODS } from './pythonMethods.ts';
import type { IngestProgress, LibraryWarning } from './rows.ts';
import { type ContinuationRow, SAMPLING_METHODS } from './samplingMethods.ts';
import { SEARCH_METHODS } from './searchMethods.ts';
import { SOURCE_METHODS } from './sourceMethods.ts';
import type { FollowRow } from './sourceRows.ts';
import { SQL_METHODS } from './sqlMethods.ts';
import { TOKEN_METHODS } from './tokenMethods.ts';
import { WAREHOUSE_METHODS } from './warehouseMethods.ts';

export type * from '../domain/pythonAnswer.ts';
export type { Mapping } from '../format/mapping.ts';
export * from './annotationRows.ts';
export * from './browseRows.ts';
export type * from './compareRows.ts';
export type * from './detectorRows.ts';
export * from './libraryRows.ts';
export {
  FIRST_ROWS,
  GROUP_SORTS,
  type GroupOrder,
  type GroupSort,
  isScoreSort,
  ROLLOUT_SORTS,
  type RolloutOrder,
  type RolloutSort,
  rolloutSortNamed,
} from './listMethods.ts';
export type { RunsOn } from './method.ts';
export {
  type Conversations,
  conversationsText,
  DIRECTIONS,
  type Direction,
  PACK_FORMATS,
  PACK_SECTIONS,
  PAIR_FORMATS,
  type PackFormat,
  type PackPairs,
  type PackPreview,
  type PackSection,
  type WrittenPack,
} from './packMethods.ts';
export { FIRST_ALTERNATIVES, FIRST_OCCURRENCES, type OpenedPage, type PageAnswer } from './pageMethods.ts';
export type * from './problemRows.ts';
export * from './rocRows.ts';
export type * from './rows.ts';
export type * from './scheduleRows.ts';
export type * from './searchRows.ts';
export type * from './sourceRows.ts';

export type * from './sqlRows.ts';

// ── requests ────────────────────────────────────────────────────────────────────────────────────

export const CONTRACT = {
  ...LIST_METHODS,
  ...OVERVIEW_METHODS,
  ...PAGE_METHODS,
  ...TOKEN_METHODS,
  ...ANALYSIS_METHODS,
  ...PROBLEM_METHODS,
  ...DETECTOR_METHODS,
  ...SOURCE_METHODS,
  ...SEARCH_METHODS,
  ...SQL_METHODS,
  ...PYTHON_METHODS,
  ...SAMPLING_METHODS,
  ...LIBRARY_METHODS,
  ...ANNOTATION_METHODS,
  ...PACK_METHODS,
  ...WAREHOUSE_METHODS,
} as const;
type Contract = typeof CONTRACT;

export type Method = keyof Contract;
/** Params as a caller passes them. Those with a default are optional. */
export type ParamsOf<M extends Method> = z.input<Contract[M]['params']>;
/** Params as a handler receives them, with defaults filled in. */
export type ParsedParams<M extends Method> = z.output<Contract[M]['params']>;
export type ResultOf<M extends Method> = Contract[M]['result'] extends ResultType<infer R> ? R : never;
/** The methods that run there. */
export type MethodsOn<On extends RunsOn> = {
  [M in Method]: Contract[M]['runsOn'] extends On ? M : never;
}[Method];

export const METHODS = Object.keys(CONTRACT) as readonly Method[];

/** A method's definition with widened types, for code that handles every method alike. */
export function definitionOf(method: Method): MethodDefinition<z.ZodType, unknown, RunsOn> {
  return CONTRACT[method];
}

export function isMethod(name: string): name is Method {
  return Object.hasOwn(CONTRACT, name);
}

// ── events ──────────────────────────────────────────────────────────────────────────────────────

export interface Events {
  'ingest.progress': IngestProgress;
  /** Rows were committed; cached answers about these runs are stale. */
  'library.changed': { readonly runIds: readonly number[] };
  /**
   * Annotations or review state of these rollouts changed. Empty: the taxonomy, or annotations without a
   * rollout here.
   */
  'annotations.changed': {
    readonly rolloutIds: readonly number[];
    /** A result with this `revision` or a later one includes the change. */
    readonly revision: number;
  };
  'analysis.progress': {
    readonly progressKey: string;
    readonly stepsDone: number;
    readonly steps: number;
    /** Share of all work done, 0 … 1, if it is known more precisely than by steps. */
    readonly share?: number;
  };
  /** Text of a continuation that is being sampled, or the end of it. */
  'sampling.progress': {
    readonly progressKey: string;
    /** Index among the continuations of the request, or of the turn, from 0. */
    readonly index: number;
    /** The turn from whose end it is sampled, for `sampling.value`. */
    readonly turn?: number;
    /** Text since the last event. */
    readonly text?: string;
    /** The continuation has ended and is stored. */
    readonly ended?: ContinuationRow;
  };
  /** Progress of a statement: `queryKey` is the one `sql.run` was given. */
  'sql.progress': { readonly queryKey: string; readonly rows: number };
  /** A followed directory was scanned, or is no longer followed. */
  'follow.changed': { readonly follows: readonly FollowRow[] };
  /** The warnings of `host.info` changed. */
  'library.warned': { readonly warnings: readonly LibraryWarning[] };
  /** A library was opened, closed or forgotten. Sent without a library id. */
  'library.listChanged': { readonly open: readonly string[] };
  /** Desktop menu and second instance: the renderer runs the command with this stable id. */
  'shell.command': { readonly command: string };
}
type EventName = keyof Events;
export type HostEvent = {
  [E in EventName]: {
    readonly event: E;
    readonly payload: Events[E];
    /** The library that sent the event. Absent: the one the application was started with. */
    readonly library?: string;
  };
}[EventName];
