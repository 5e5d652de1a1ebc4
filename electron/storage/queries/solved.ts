/** Solved problems: every rollout of the group is correct, so the group gives no learning signal. */
import type { SolvedProblem, SolvedProblems } from '../../../shared/api/contract.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, optional, query, text } from '../rows.ts';
import { questionBeginnings } from './questions.ts';

export const SOLVED_GROUPS = `
  SELECT p.problem_id AS problemId, g.group_key AS groupKey, g.rollouts, p.problem_no AS problemNo, p.source, p.ground_truth AS groundTruth
  FROM group_row g
  JOIN problem_row p ON p.problem_no = g.problem_no
  WHERE g.run_id = :runId AND g.step = :step AND g.rollouts > 0 AND g.correct = g.rollouts
  ORDER BY g.group_id`;

const KNOWN_GROUPS = `
  SELECT count(*) AS groups, coalesce(sum(g.correct_known = g.rollouts), 0) AS known
  FROM group_row g WHERE g.run_id = :runId AND g.step = :step AND g.rollouts > 0`;

export function solvedProblems(db: ReadableLibrary, runId: number, step: number): SolvedProblems {
  const counts = query(db, KNOWN_GROUPS, { groups: number, known: number }).get({ runId, step });
  const questionOf = questionBeginnings(db);
  const solved = query<Omit<SolvedProblem, 'question'> & { problemNo: number }>(db, SOLVED_GROUPS, {
    problemId: text,
    groupKey: text,
    rollouts: number,
    problemNo: number,
    source: optional(text),
    groundTruth: optional(text),
  })
    .all({ runId, step })
    .map(({ problemNo, ...problem }) => ({ ...problem, question: questionOf(problemNo) }));
  return { groups: counts?.groups ?? 0, known: counts?.known ?? 0, solved };
}
