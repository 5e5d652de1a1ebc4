/** Finds the stored forms of a problem: other templates, steps and runs. */
import type { ReadableLibrary } from '../open.ts';
import { number, queryValue } from '../rows.ts';

/**
 * Problems are the same if their questions are. If a run logs one text under several problem ids, that text is an
 * instruction shared by these problems, so only the id counts. Within a run, the same logged id is
 * always the same problem.
 */
export const SAME_PROBLEMS = `
  WITH own AS MATERIALIZED (
    SELECT g.run_id, p.problem_no, p.problem_id, p.id_source, p.source, q.question_hash
    FROM group_row g JOIN problem_row p USING (problem_no) JOIN prompt_row q USING (prompt_id)
    WHERE g.group_id = :groupId),
  asked AS MATERIALIZED (
    SELECT p.problem_no, p.problem_id, p.id_source
    FROM own JOIN prompt_row q ON substr(q.question_hash, 1, 8) = substr(own.question_hash, 1, 8)
      AND q.question_hash = own.question_hash
    JOIN problem_row p USING (prompt_id))
  SELECT asked.problem_no FROM asked, own
  WHERE asked.problem_id = own.problem_id OR NOT EXISTS (
    SELECT 1 FROM asked a CROSS JOIN group_row g ON g.problem_no = a.problem_no
    WHERE a.id_source = 'logged' GROUP BY g.run_id HAVING count(DISTINCT a.problem_id) > 1)
  UNION SELECT p.problem_no
    FROM own CROSS JOIN problem_row p ON p.problem_id = own.problem_id AND p.source IS own.source
    CROSS JOIN group_row g ON g.problem_no = p.problem_no AND g.run_id = own.run_id
    WHERE own.id_source = 'logged' AND p.id_source = 'logged'
  UNION SELECT problem_no FROM own`;

/** @returns their numbers as a JSON list, including the group's own problem; `[]` if there is no such group */
export function sameProblems(db: ReadableLibrary, groupId: number): string {
  return JSON.stringify(queryValue(db, SAME_PROBLEMS, number).all({ groupId }));
}
