/** Rollouts that can be compared with each other, and their list rows. */
import type { ReadableLibrary } from '../open.ts';
import { boolean, number, optional, orNull, query, queryValue, type RowSpec, text } from '../rows.ts';

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

const SAME_PROBLEM = `FROM rollout_row r JOIN group_row g USING (group_id) JOIN problem_row p USING (problem_no)
  JOIN prompt_row q USING (prompt_id)
  JOIN prompt_row q2 ON q2.question_hash = q.question_hash
  JOIN problem_row p2 ON p2.prompt_id = q2.prompt_id
  JOIN group_row g2 ON g2.problem_no = p2.problem_no
  WHERE r.rollout_id = :rolloutId`;
export const GROUPS_OF_PROBLEM = `SELECT g2.group_id ${SAME_PROBLEM}
  ORDER BY g2.group_id <> g.group_id, g2.run_id <> g.run_id, abs(g2.step - g.step), g2.group_id LIMIT :limit`;

export const COUNT_OF_PROBLEM = `SELECT sum(g2.rollouts) ${SAME_PROBLEM}`;

/**
 * Counts the rollouts of the problem in all runs, including this one. @returns undefined when the question
 * has no hash
 */
export function countOfProblem(db: ReadableLibrary, rolloutId: number): number | undefined {
  const count = queryValue(db, COUNT_OF_PROBLEM, orNull(number)).get({ rolloutId });
  return count ?? undefined;
}

/**
 * The rollout's own group first, then groups by distance in steps, then other runs. Only its own group when
 * the question has no hash.
 */
export function groupsOfProblem(db: ReadableLibrary, rolloutId: number, limit: number): readonly number[] {
  const found = queryValue(db, GROUPS_OF_PROBLEM, number).all({ rolloutId, limit });
  if (found.length > 0) return found;
  return queryValue(db, 'SELECT group_id FROM rollout_row WHERE rollout_id = ?', number).all(rolloutId);
}
