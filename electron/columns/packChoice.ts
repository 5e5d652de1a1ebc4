/** Chooses the rollouts of a failure pack, in pack order. */
import type { ParsedParams } from '../../shared/api/contract.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { groupsOfRollouts, placedAnnotations } from '../storage/queries/annotations.ts';
import { countSiblings, inPackOrder } from '../storage/queries/packed.ts';
import type { Checkpoint } from '../threads/task.ts';
import { annotatedScope, type MatchRun, runsOf } from './annotatedScope.ts';

type Question = Omit<ParsedParams<'pack.preview'>, 'progressKey'>;
type Columns = { readonly match: MatchRun; readonly checkpoint: Checkpoint };

export interface PackIds {
  /** Sorted by run key, step, group key and index: the same in every library. */
  readonly ids: Uint32Array;
  readonly annotations: number;
  /** Number of other rollouts in their groups. */
  readonly siblings: number;
}

export function packIds(db: ReadableLibrary, question: Question, columns: Columns): PackIds {
  const { labels } = question;
  const annotations = placedAnnotations(db);
  const labelled =
    labels === undefined
      ? undefined
      : new Set(
          annotations.flatMap(({ label, rolloutId }) =>
            label !== null && labels.includes(label) ? [rolloutId] : [],
          ),
        );
  const chosen = chosenIds(db, question, annotations, columns).filter((id) => labelled?.has(id) ?? true);
  const ids = inPackOrder(db, chosen);
  const among = new Set(ids);
  return {
    ids,
    annotations: annotations.filter(({ rolloutId }) => among.has(rolloutId)).length,
    siblings: countSiblings(db, ids),
  };
}

function chosenIds(
  db: ReadableLibrary,
  question: Question,
  annotations: ReturnType<typeof placedAnnotations>,
  columns: Columns,
): readonly number[] {
  const { runId, rolloutIds, isAll } = question;
  if (rolloutIds !== undefined) {
    const here = groupsOfRollouts(db, [...new Set(rolloutIds)]).filter(
      (each) => runId === undefined || each.runId === runId,
    );
    const picked = new Map(here.map((each) => [each.rolloutId, each]));
    return [...annotatedScope(db, question, picked, columns).ids];
  }
  if (!isAll) {
    const looked = new Map(annotations.map((each) => [each.rolloutId, each]));
    return [...annotatedScope(db, question, looked, columns).ids];
  }
  const ids: number[] = [];
  const runIds = runsOf(db, runId);
  runIds.forEach((each, i) => {
    columns.checkpoint(i, runIds.length);
    for (const { table, mask } of columns.match(each).matched) {
      const rollouts = table.column('rolloutId');
      for (let row = 0; row < mask.length; row++) if (mask[row] === 1) ids.push(rollouts[row] ?? 0);
    }
  });
  return ids;
}
