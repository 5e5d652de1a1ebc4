/** Rollouts that can be compared with each other, and their list rows. */
import type { ReadableLibrary } from '../open.ts';
import { boolean, number, optional, orNull, query, queryValue, type RowSpec, text } from '../rows.ts';
import { sameProblems } from './sameProblem.ts';

export interface ComparedAddress {
  readonly rolloutId: number;
  readonly groupId: number;
  readonly groupKey: string;
  readonly runKey: string;
  readonly step: number;
  readonly ordinal: number;
  readonly isCorrect?: boolean;
  readonly reward?: number;
  readonly kept?: boolean;
  readonly answer?: string;
}

const ADDRESS_ROW: RowSpec<ComparedAddress> = {
  rolloutId: number,
  groupId: number,
  groupKey: text,
  runKey: text,
  step: number,
  ordinal: number,
  isCorrect: optional(boolean),
  reward: optional(number),
  kept: optional(boolean),
  answer: optional(text),
};

const COLUMNS = `r.rollout_id AS rolloutId, r.group_id AS groupId, g.group_key AS groupKey, n.run_key AS runKey, r.step,
    r.ordinal, r.is_correct AS isCorrect, r.reward, r.kept, r.answer`;

export const ROLLOUTS_OF_GROUPS = `SELECT ${COLUMNS}
  FROM json_each(:groupIds) wanted
  JOIN rollout_row r ON r.group_id = wanted.value
  JOIN group_row g ON g.group_id = r.group_id
  JOIN run_row n ON n.run_id = r.run_id
  ORDER BY wanted.key, r.ordinal, r.rollout_id LIMIT :limit`;
const COUNT_OF_GROUPS =
  'SELECT coalesce(sum(rollouts), 0) FROM group_row WHERE group_id IN (SELECT value FROM json_each(?))';

/** Ordered by the given groups, then by ordinal. */
export function rolloutsOfGroups(
  db: ReadableLibrary,
  groupIds: readonly number[],
  limit: number,
): { readonly rollouts: readonly ComparedAddress[]; readonly total: number } {
  const wanted = JSON.stringify([...new Set(groupIds)]);
  return {
    rollouts: query(db, ROLLOUTS_OF_GROUPS, ADDRESS_ROW).all({ groupIds: wanted, limit }),
    total: queryValue(db, COUNT_OF_GROUPS, number).get(wanted) ?? 0,
  };
}

export const GROUPS_OF_PROBLEM = `SELECT g2.group_id
  FROM group_row g, json_each(:problems) same JOIN group_row g2 ON g2.problem_no = same.value
  WHERE g.group_id = :groupId
  ORDER BY g2.group_id <> g.group_id, g2.run_id <> g.run_id, abs(g2.step - g.step), g2.group_id LIMIT :limit`;

export const COUNT_OF_PROBLEM =
  'SELECT sum(rollouts) FROM group_row WHERE problem_no IN (SELECT value FROM json_each(:problems))';

const GROUP_OF_ROLLOUT = 'SELECT group_id FROM rollout_row WHERE rollout_id = ?';

/**
 * Counts the rollouts of the problem in all runs, including this one. @returns undefined without such a
 * rollout
 */
export function countOfProblem(db: ReadableLibrary, rolloutId: number): number | undefined {
  const groupId = queryValue(db, GROUP_OF_ROLLOUT, number).get(rolloutId);
  if (groupId === undefined) return undefined;
  const problems = sameProblems(db, groupId);
  return queryValue(db, COUNT_OF_PROBLEM, orNull(number)).get({ problems }) ?? undefined;
}

/** The rollout's own group first, then groups by distance in steps, then other runs. */
export function groupsOfProblem(db: ReadableLibrary, rolloutId: number, limit: number): readonly number[] {
  const groupId = queryValue(db, GROUP_OF_ROLLOUT, number).get(rolloutId);
  if (groupId === undefined) return [];
  const problems = sameProblems(db, groupId);
  return queryValue(db, GROUPS_OF_PROBLEM, number).all({ groupId, problems, limit });
}
