/**
 * The one contract: every request the renderer (or a script) can make of the host,
 * and every event the host sends. Both sides take their types from here; the host
 * validates params once, at its door (`electron/host`).
 *
 * Values on the wire are JSON plus typed arrays. Unknown is an absent field;
 * inside arrays it is `null` (or NaN inside a Float32Array of per-token signals).
 */
import type { z } from 'zod';
import { ANALYSIS_PARAMS, type AnalysisResults } from './analysisMethods.ts';
import { ANNOTATION_PARAMS, type AnnotationResults } from './annotationMethods.ts';
import { LIBRARY_PARAMS, type LibraryResults, SHELF_PARAMS } from './libraryMethods.ts';
import { LIST_PARAMS, type ListResults } from './listMethods.ts';
import { OVERVIEW_PARAMS, type OverviewResults } from './overviewMethods.ts';
import { PACK_PARAMS, type PackResults } from './packMethods.ts';
import { PROBLEM_PARAMS, type ProblemResults } from './problemMethods.ts';
import type { IngestProgress } from './rows.ts';
import { SEARCH_PARAMS, type SearchResults } from './searchMethods.ts';
import { SOURCE_PARAMS, type SourceResults } from './sourceMethods.ts';
import type { FollowRow } from './sourceRows.ts';
import { SQL_PARAMS, type SqlResults } from './sqlMethods.ts';
import { TOKEN_PARAMS, type TokenResults } from './tokenMethods.ts';

export type { Mapping } from '../format/mapping.ts';
export * from './annotationRows.ts';
export * from './browseRows.ts';
export type * from './compareRows.ts';
export * from './libraryRows.ts';
export { GROUP_SORTS, type GroupSort, ROLLOUT_SORTS, type RolloutSort } from './listMethods.ts';
export {
  PACK_FORMATS,
  PACK_SECTIONS,
  type PackFormat,
  type PackPreview,
  type PackSection,
  type PackWritten,
} from './packMethods.ts';
export type * from './problemRows.ts';
export * from './rocRows.ts';
export type * from './rows.ts';
export type * from './scheduleRows.ts';
export type * from './searchRows.ts';
export type * from './sourceRows.ts';
export { LONGEST_STATEMENT, MOST_SQL_ROWS } from './sqlMethods.ts';
export type * from './sqlRows.ts';

// ── requests ────────────────────────────────────────────────────────────────────────────────────

export const CONTRACT_PARAMS = {
  ...LIST_PARAMS,
  ...OVERVIEW_PARAMS,
  ...TOKEN_PARAMS,
  ...ANALYSIS_PARAMS,
  ...PROBLEM_PARAMS,
  ...SOURCE_PARAMS,
  ...SEARCH_PARAMS,
  ...SQL_PARAMS,
  ...LIBRARY_PARAMS,
  ...ANNOTATION_PARAMS,
  ...PACK_PARAMS,
} as const;

export interface Results
  extends ListResults,
    OverviewResults,
    TokenResults,
    AnalysisResults,
    ProblemResults,
    SourceResults,
    SearchResults,
    SqlResults,
    LibraryResults,
    AnnotationResults,
    PackResults {}

export type Method = keyof typeof CONTRACT_PARAMS & keyof Results;
/** What a caller passes (defaults may be left out). */
export type ParamsOf<M extends Method> = z.input<(typeof CONTRACT_PARAMS)[M]>;
/** What a handler receives (defaults filled in). */
export type ParsedParams<M extends Method> = z.output<(typeof CONTRACT_PARAMS)[M]>;
export type ResultOf<M extends Method> = Results[M];

export const METHODS = Object.keys(CONTRACT_PARAMS) as readonly Method[];

export function isMethod(name: string): name is Method {
  return Object.hasOwn(CONTRACT_PARAMS, name);
}

/** About the open libraries rather than one of them. */
export type ShelfMethod = keyof typeof SHELF_PARAMS;

export function isShelfMethod(name: string): name is ShelfMethod {
  return Object.hasOwn(SHELF_PARAMS, name);
}

// ── events ──────────────────────────────────────────────────────────────────────────────────────

export interface Events {
  'ingest.progress': IngestProgress;
  /** Rows were committed; cached answers about these runs are stale. */
  'library.changed': { readonly runIds: readonly number[] };
  /** Annotations or readings of these rollouts; none: the taxonomy, or what has no rollout here. */
  'annotations.changed': { readonly rolloutIds: readonly number[] };
  'analysis.progress': {
    readonly progressKey: string;
    readonly stepsDone: number;
    readonly steps: number;
    /** Of everything, 0 … 1, where it is known closer than by steps. */
    readonly share?: number;
  };
  /** A statement has come so far: `queryKey` is what `sql.run` was given. */
  'sql.progress': { readonly queryKey: string; readonly rows: number };
  /** A followed directory was looked at, or is no longer followed. */
  'follow.changed': { readonly follows: readonly FollowRow[] };
  /** A library was opened, closed or forgotten. Of no library: it comes without an id. */
  'shelf.changed': { readonly open: readonly string[] };
  /** Desktop menu and second instance: the renderer runs the command with this stable id. */
  'shell.command': { readonly command: string };
}
export type EventName = keyof Events;
export type HostEvent = {
  [E in EventName]: {
    readonly event: E;
    readonly payload: Events[E];
    /** The library it came from; absent: the one the application was started with. */
    readonly library?: string;
  };
}[EventName];
