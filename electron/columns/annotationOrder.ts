/** All annotations in order, of those rollouts that match. */
import type { ParsedParams } from '../../shared/api/contract.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { annotationOrder, placedAnnotations } from '../storage/queries/annotations.ts';
import type { Checkpoint } from '../threads/task.ts';
import { annotatedScope, type MatchRun } from './annotatedScope.ts';

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
