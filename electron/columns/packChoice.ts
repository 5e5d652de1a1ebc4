/** Chooses the rollouts of a failure pack, in pack order. */
import type { PackPairs, ParsedParams } from '../../shared/api/contract.ts';
import { refused } from '../../shared/api/errors.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { groupsOfRollouts, placedAnnotations } from '../storage/queries/annotations.ts';
import { problemChanges } from '../storage/queries/changes.ts';
import { countSiblings, inPackOrder } from '../storage/queries/packed.ts';
import type { Checkpoint } from '../threads/task.ts';
import { annotatedScope, type MatchRun, runsOf } from './annotatedScope.ts';

type Question = Omit<ParsedParams<'pack.preview'>, 'progressKey'>;
type Columns = { readonly match: MatchRun; readonly checkpoint: Checkpoint };

export interface PackIds {
  /**
   * In the requested order of `rolloutIds`, so that a pack of a list is in the list's order. Otherwise sorted by run
   * key, step, group key and index: the same in every library.
   */
  readonly ids: Uint32Array;
  readonly annotations: number;
  /** Number of other rollouts in their groups. */
  readonly siblings: number;
  /** Only of a pack of pairs, whose rollouts are in `ids`. In the order of the list of problems. */
  readonly pairs?: readonly (readonly [from: number, to: number])[];
}

export function packIds(db: ReadableLibrary, question: Question, columns: Columns): PackIds {
  const { labels, pairs, rolloutIds } = question;
  const annotations = placedAnnotations(db);
  if (pairs !== undefined) return pairIds(db, { ...question, pairs }, annotations);
  const labelled =
    labels === undefined
      ? undefined
      : new Set(
          annotations.flatMap(({ label, rolloutId }) =>
            label !== null && labels.includes(label) ? [rolloutId] : [],
          ),
        );
  const chosen = chosenIds(db, question, annotations, columns).filter((id) => labelled?.has(id) ?? true);
  const sorted = inPackOrder(db, chosen);
  const among = new Set(sorted);
  const ids =
    rolloutIds === undefined
      ? sorted
      : Uint32Array.from([...new Set(rolloutIds)].filter((id) => among.has(id)));
  return {
    ids,
    annotations: annotations.filter(({ rolloutId }) => among.has(rolloutId)).length,
    siblings: countSiblings(db, ids),
  };
}

/** @throws ApiError `refused` when something else is chosen as well, or both rollouts of a pair are the same */
function pairIds(
  db: ReadableLibrary,
  { pairs, labels, isAll, filter, rolloutIds, runId }: Question & { readonly pairs: PackPairs },
  annotations: ReturnType<typeof placedAnnotations>,
): PackIds {
  if (filter.trim() !== '' || rolloutIds !== undefined || runId !== undefined)
    throw refused('pairs cannot be chosen by a filter, by rollouts or by a run as well');
  const found = pairsOf(db, pairs);
  if (found.some(([from, to]) => from === to)) throw refused('a pair needs two different rollouts');
  const labelled = new Set(
    annotations.flatMap(({ label, rolloutId }) =>
      labels === undefined || (label !== null && labels.includes(label)) ? [rolloutId] : [],
    ),
  );
  const takesAll = isAll && labels === undefined;
  const after = new Map(found.filter((pair) => takesAll || pair.some((id) => labelled.has(id))));
  const known = new Set(inPackOrder(db, [...after].flat()));
  const listed = [...after].filter((pair) => pair.every((id) => known.has(id)));
  const among = new Set(listed.flat());
  return {
    ids: Uint32Array.from(listed.flat()),
    annotations: annotations.filter(({ rolloutId }) => among.has(rolloutId)).length,
    siblings: 0,
    pairs: listed,
  };
}

function pairsOf(db: ReadableLibrary, pairs: PackPairs): readonly (readonly [number, number])[] {
  if ('rolloutIds' in pairs) return [pairs.rolloutIds];
  const { becameIncorrect, becameCorrect } = problemChanges(db, pairs.from, pairs.to);
  const changed = pairs.became === 'incorrect' ? becameIncorrect : becameCorrect;
  return changed.map(({ from, to }) => [from.rolloutId, to.rolloutId]);
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
