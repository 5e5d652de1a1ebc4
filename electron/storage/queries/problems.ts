/** The history of one problem over steps and runs. */
import type { ProblemGroup, ProblemHistory } from '../../../shared/api/contract.ts';
import { RUN_KINDS } from '../../../shared/domain/model.ts';
import { isSameAnswer } from '../../../shared/domain/sameAnswer.ts';
import type { ReadableLibrary } from '../open.ts';
import { number, oneOf, optional, orNull, query, type RowSpec, text as words } from '../rows.ts';
import { StoredTexts } from '../storedTexts.ts';
import { configOf, runName } from '../views.sql.ts';
import { questionBeginnings } from './questions.ts';
import { sameProblems } from './sameProblem.ts';

const MOST_GROUPS = 1000;

export const PROBLEM_OF_GROUP = `
  SELECT p.problem_id AS problemId, p.ground_truth AS groundTruth, p.source, p.user_scenario AS userScenario, p.prompt_id AS promptId, p.problem_no AS problemNo
  FROM group_row g JOIN problem_row p USING (problem_no) WHERE g.group_id = ?`;

export const GROUPS_OF_PROBLEM = `
  SELECT n.run_key AS runKey, ${runName('n')} AS runName, n.kind,
    iif(n.has_steps, g.step, NULL) AS step, g.group_id AS groupId, g.group_key AS groupKey, g.rollouts, g.correct,
    g.correct_known AS correctKnown, iif(g.reward_known > 0, g.reward_sum / g.reward_known, NULL) AS meanReward,
    iif(g.tokens_known > 0, 1.0 * g.tokens / g.tokens_known, NULL) AS meanTokens,
    1.0 * g.response_chars / nullif(g.with_text, 0) AS meanChars,
    iif(g.entropy_tokens > 0, g.entropy_sum / g.entropy_tokens, NULL) AS meanEntropy
  FROM group_row g JOIN run_row n ON n.run_id = g.run_id ${configOf('n')}
  WHERE g.problem_no IN (SELECT value FROM json_each(:problems))
  ORDER BY n.run_id, g.step, g.group_id`;

export const ANSWERS_OF_GROUP = `
  SELECT answer AS text, count(*) AS rollouts, count(is_correct) AS judged, coalesce(sum(is_correct), 0) AS right
  FROM rollout_row WHERE group_id = ? AND answer IS NOT NULL
  GROUP BY answer ORDER BY rollouts DESC, answer`;

export const LABELS_OF_GROUP = `
  SELECT a.label, count(DISTINCT p.rollout_id) AS rollouts
  FROM rollout_row r
  CROSS JOIN annotated_place_row p ON p.rollout_id = r.rollout_id
  JOIN annotation_row a ON a.annotated_no = p.annotated_no
  WHERE r.group_id = ? AND a.label IS NOT NULL
  GROUP BY a.label ORDER BY rollouts DESC, a.label`;

interface ProblemRecord {
  readonly problemId: string;
  readonly groundTruth: string | null;
  readonly source: string | null;
  readonly promptId: number;
  readonly problemNo: number;
  readonly userScenario: string | null;
}

const PROBLEM_ROW: RowSpec<ProblemRecord> = {
  problemId: words,
  groundTruth: orNull(words),
  source: orNull(words),
  promptId: number,
  problemNo: number,
  userScenario: orNull(words),
};

const GROUP_ROW: RowSpec<Omit<ProblemGroup, 'answers' | 'labels'>> = {
  runKey: words,
  runName: words,
  kind: oneOf(RUN_KINDS),
  step: optional(number),
  groupId: number,
  groupKey: words,
  rollouts: number,
  correct: number,
  correctKnown: number,
  meanReward: optional(number),
  meanTokens: optional(number),
  meanChars: optional(number),
  meanEntropy: optional(number),
};

type GivenAnswer = Omit<ProblemGroup['answers'][number], 'isTruth'>;

/** @returns undefined when the library has no such group */
export function problemHistory(db: ReadableLibrary, groupId: number): ProblemHistory | undefined {
  const problem = query(db, PROBLEM_OF_GROUP, PROBLEM_ROW).get(groupId);
  if (problem === undefined) return undefined;
  const { problemId, groundTruth, source, userScenario, promptId, problemNo } = problem;
  const rows = query(db, GROUPS_OF_PROBLEM, GROUP_ROW).all({ problems: sameProblems(db, groupId) });
  const answersOf = query<GivenAnswer>(db, ANSWERS_OF_GROUP, {
    ...{ text: words, rollouts: number, judged: number, right: number },
  });
  const labelsOf = query(db, LABELS_OF_GROUP, { label: words, rollouts: number });
  const groups = rows.slice(0, MOST_GROUPS).map((group): ProblemGroup => {
    const answers = answersOf.all(group.groupId).map((answer) => ({
      ...answer,
      ...(groundTruth === null ? {} : { isTruth: isSameAnswer(answer.text, groundTruth) }),
    }));
    const labels = labelsOf.all(group.groupId);
    return { ...group, answers, ...(labels.length === 0 ? {} : { labels }) };
  });
  return {
    problemId,
    question: questionBeginnings(db)(problemNo),
    ...(groundTruth === null ? {} : { groundTruth }),
    ...(source === null ? {} : { source }),
    ...(userScenario === null ? {} : { userScenario }),
    prompt: new StoredTexts(db).prompt(promptId),
    groups,
    leftOut: rows.length - groups.length,
  };
}
