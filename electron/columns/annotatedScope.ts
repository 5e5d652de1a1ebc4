/** The rollouts of an annotation query: of one run or all, optionally filtered. */

import type { ParsedParams } from '../../shared/api/contract.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  annotationOrder,
  countRollouts,
  placedAnnotations,
  runIdsOf,
} from '../storage/queries/annotations.ts';
import type { Checkpoint } from '../threads/task.ts';
import type { RunTable } from './columnStore.ts';
import type { Matched } from './runOrder.ts';

interface MatchedRun {
  readonly run: RunTable;
  readonly matched: readonly Matched[];
}

/** Applies the filter to a run. */
export type MatchRun = (runId: number) => MatchedRun;

export interface ScopeRequest {
  readonly runId?: number | undefined;
  readonly filter: string;
}

export interface AnnotatedScope {
  /** The annotated rollouts in scope. */
  readonly ids: ReadonlySet<number>;
  /** Number of rollouts in scope. */
  readonly rollouts: number;
}

/**
 * Loads columns only if there is a filter. Without one, the cost depends on the number of annotations.
 *
 * @param annotated rollouts that have annotations
 */
export function annotatedScope(
  db: ReadableLibrary,
  { runId, filter }: ScopeRequest,
  annotated: ReadonlyMap<number, { readonly runId: number }>,
  { match, checkpoint }: { readonly match: MatchRun; readonly checkpoint: Checkpoint },
): AnnotatedScope {
  if (filter.trim() === '') {
    const ids = [...annotated]
      .filter(([, of]) => runId === undefined || of.runId === runId)
      .map(([id]) => id);
    return { ids: new Set(ids), rollouts: countRollouts(db, runId) };
  }
  const ids = new Set<number>();
  let rollouts = 0;
  const runIds = runsOf(db, runId);
  runIds.forEach((each, i) => {
    checkpoint(i, runIds.length);
    for (const { table, mask } of match(each).matched) {
      const rolloutIds = table.column('rolloutId');
      for (let row = 0; row < mask.length; row++) {
        if (mask[row] !== 1) continue;
        rollouts++;
        const id = rolloutIds[row] ?? 0;
        if (annotated.has(id)) ids.add(id);
      }
    }
  });
  return { ids, rollouts };
}

/** The requested run, or all runs in library order. */
export function runsOf(db: ReadableLibrary, runId: number | undefined): readonly number[] {
  return runId === undefined ? runIdsOf(db) : [runId];
}

type Question = Omit<ParsedParams<'annotation.order'>, 'progressKey'>;

/** @returns the `annotationNo` of each; unattached annotations match no filter */
export function orderedAnnotations(
  db: ReadableLibrary,
  question: Question,
  columns: { readonly match: MatchRun; readonly checkpoint: Checkpoint },
): Uint32Array {
  const ordered = annotationOrder(db, question);
  if (question.filter.trim() === '') return Uint32Array.from(ordered, ({ annotationNo }) => annotationNo);
  const annotated = new Map(placedAnnotations(db).map((each) => [each.rolloutId, each]));
  const { ids } = annotatedScope(db, question, annotated, columns);
  const matching = ordered.filter(({ rolloutId }) => rolloutId !== null && ids.has(rolloutId));
  return Uint32Array.from(matching, ({ annotationNo }) => annotationNo);
}
