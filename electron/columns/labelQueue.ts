/** The review queue. */
import type { LabelQueue } from '../../shared/api/annotationRows.ts';
import type { ParsedParams } from '../../shared/api/contract.ts';
import {
  byDisagreement,
  type OtherReviews,
  shuffled,
  stratified,
} from '../../shared/domain/annotate/queue.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { groupsOfRollouts, placedAnnotations, placedReadings } from '../storage/queries/annotations.ts';
import type { Checkpoint } from '../threads/task.ts';
import { type MatchRun, runsOf } from './annotatedScope.ts';
import { orderMatched } from './runOrder.ts';

type Question = Omit<ParsedParams<'label.queue'>, 'progressKey'>;

export function labelQueue(
  db: ReadableLibrary,
  question: Question,
  { match, checkpoint }: { readonly match: MatchRun; readonly checkpoint: Checkpoint },
): LabelQueue {
  const { ids, groups } = listed(db, question, { match, checkpoint });
  const { read, skipped, others } = readingsOf(db, question.author);
  const ordered = inOrder(question, ids, groups, others);
  const left = question.includeRead ? ordered : ordered.filter((id) => !read.has(id) && !skipped.has(id));
  return {
    ids: left,
    total: ids.length,
    read: countOf(ids, (id) => read.has(id)),
    skipped: countOf(ids, (id) => skipped.has(id) && !read.has(id)),
  };
}

/** In list order, with the group of each rollout. */
function listed(
  db: ReadableLibrary,
  { runId, filter, rolloutIds }: Question,
  { match, checkpoint }: { readonly match: MatchRun; readonly checkpoint: Checkpoint },
): { readonly ids: Uint32Array; readonly groups: (at: number) => number } {
  if (rolloutIds !== undefined) {
    const here = groupsOfRollouts(db, [...new Set(rolloutIds)]).filter(
      (each) => runId === undefined || each.runId === runId,
    );
    const isAll = filter.trim() === '';
    const matching = isAll ? undefined : matchingIds([...new Set(here.map((each) => each.runId))], match);
    const chosen = here.filter(({ rolloutId }) => matching?.has(rolloutId) ?? true);
    return {
      ids: Uint32Array.from(chosen, (each) => each.rolloutId),
      groups: (at) => chosen[at]?.groupId ?? 0,
    };
  }
  const parts: Uint32Array[] = [];
  const groupOf = new Map<number, number>();
  const runIds = runsOf(db, runId);
  runIds.forEach((each, i) => {
    checkpoint(i, runIds.length);
    const { run, matched } = match(each);
    parts.push(orderMatched(run, matched, []));
    for (const { table, mask } of matched) {
      const ids = table.column('rolloutId');
      const groups = table.column('groupId');
      for (let row = 0; row < mask.length; row++)
        if (mask[row] === 1) groupOf.set(ids[row] ?? 0, groups[row] ?? 0);
    }
  });
  const ids = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    ids.set(part, at);
    at += part.length;
  }
  return { ids, groups: (place) => groupOf.get(ids[place] ?? 0) ?? 0 };
}

function matchingIds(runIds: readonly number[], match: MatchRun): ReadonlySet<number> {
  const found = new Set<number>();
  for (const runId of runIds) {
    for (const { table, mask } of match(runId).matched) {
      const ids = table.column('rolloutId');
      for (let row = 0; row < mask.length; row++) if (mask[row] === 1) found.add(ids[row] ?? 0);
    }
  }
  return found;
}

function inOrder(
  { order, seed }: Question,
  ids: Uint32Array,
  groups: (at: number) => number,
  others: ReadonlyMap<number, OtherReviews>,
): Uint32Array {
  switch (order) {
    case 'listed':
      return ids;
    case 'random':
      return shuffled(ids, seed);
    case 'stratified':
      return stratified(ids, groups, seed);
    case 'disagreement':
      return byDisagreement(ids, (id) => others.get(id));
  }
}

/** Rollouts that the author has reviewed, and annotations of others. */
function readingsOf(db: ReadableLibrary, author: string) {
  const read = new Set<number>();
  const skipped = new Set<number>();
  const others = new Map<number, Map<string, Set<string>>>();
  const ofOther = (rolloutId: number, reader: string): Set<string> => {
    const readers = others.get(rolloutId) ?? new Map<string, Set<string>>();
    others.set(rolloutId, readers);
    const labels = readers.get(reader) ?? new Set<string>();
    readers.set(reader, labels);
    return labels;
  };
  for (const reading of placedReadings(db)) {
    if (reading.author !== author) {
      if (reading.verdict === 'read') ofOther(reading.rolloutId, reading.author);
    } else if (reading.verdict === 'read') read.add(reading.rolloutId);
    else skipped.add(reading.rolloutId);
  }
  for (const { rolloutId, author: reader, label } of placedAnnotations(db)) {
    if (label === null) continue;
    if (reader === author) read.add(rolloutId);
    else ofOther(rolloutId, reader).add(label);
  }
  const readings = [...others].map(([id, readers]) => [id, { labels: [...readers.values()] }] as const);
  return { read, skipped, others: new Map<number, OtherReviews>(readings) };
}

function countOf(ids: Uint32Array, holds: (id: number) => boolean): number {
  let count = 0;
  for (const id of ids) if (holds(id)) count++;
  return count;
}
