/** Which rollouts a question about annotations is about: of a run or all, under a filter or not. */

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

/** A filter over a run, as every list has it. */
export type MatchRun = (runId: number) => MatchedRun;

export interface Asked {
  readonly runId?: number | undefined;
  readonly filter: string;
}

export interface AnnotatedScope {
  /** Of those that are looked at, the ones the question is about. */
  readonly ids: ReadonlySet<number>;
  /** Rollouts the question is about, looked at or not. */
  readonly rollouts: number;
}

/**
 * Columns are read under a filter alone: without one, what is said of a run costs as much as has been said.
 *
 * @param looked rollouts of which something is said
 */
export function annotatedScope(
  db: ReadableLibrary,
  { runId, filter }: Asked,
  looked: ReadonlyMap<number, { readonly runId: number }>,
  { match, checkpoint }: { readonly match: MatchRun; readonly checkpoint: Checkpoint },
): AnnotatedScope {
  if (filter.trim() === '') {
    const ids = [...looked].filter(([, of]) => runId === undefined || of.runId === runId).map(([id]) => id);
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
        if (looked.has(id)) ids.add(id);
      }
    }
  });
  return { ids, rollouts };
}

/** The run that is asked for, or all, in the order of the library. */
export function runsOf(db: ReadableLibrary, runId: number | undefined): readonly number[] {
  return runId === undefined ? runIdsOf(db) : [runId];
}

type Question = Omit<ParsedParams<'annotation.order'>, 'progressKey'>;

/** @returns `annotationNo` of each; what is unattached matches no filter */
export function orderedAnnotations(
  db: ReadableLibrary,
  question: Question,
  columns: { readonly match: MatchRun; readonly checkpoint: Checkpoint },
): Uint32Array {
  const ordered = annotationOrder(db, question);
  if (question.filter.trim() === '') return Uint32Array.from(ordered, ({ annotationNo }) => annotationNo);
  const looked = new Map(placedAnnotations(db).map((each) => [each.rolloutId, each]));
  const { ids } = annotatedScope(db, question, looked, columns);
  const matching = ordered.filter(({ rolloutId }) => rolloutId !== null && ids.has(rolloutId));
  return Uint32Array.from(matching, ({ annotationNo }) => annotationNo);
}
