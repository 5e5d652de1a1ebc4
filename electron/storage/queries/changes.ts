/** Problems whose outcome differs between two steps, of one run or of two. */
import type { ChangedProblem, ChangeSide, ProblemChanges } from '../../../shared/api/contract.ts';
import { exactMcNemar } from '../../../shared/domain/mcnemar.ts';
import { PROVENANCES, type Provenance } from '../../../shared/domain/model.ts';
import type { ReadableLibrary } from '../open.ts';
import { boolean, number, oneOf, optional, query, text } from '../rows.ts';
import { labelsOf } from './lists.ts';
import { questionBeginnings } from './questions.ts';

/** Groups of a step with their problems. Groups without a known correctness count as unknown. */
export const OUTCOMES_OF_STEP = `
  SELECT g.group_id AS groupId, g.group_key AS groupKey, g.correct, g.correct_known AS known,
    p.problem_no AS problemNo, p.problem_id AS problemId, p.id_source AS idSource, p.source, q.question_hash AS questionHash
  FROM group_row g JOIN problem_row p USING (problem_no) JOIN prompt_row q USING (prompt_id)
  WHERE g.run_id = :runId AND g.step = :step AND g.rollouts > 0 ORDER BY g.group_id`;

/** The first rollout of each outcome. SQLite takes its id from the row with the minimum. */
export const FIRST_OF_OUTCOME = `
  SELECT r.group_id AS groupId, r.is_correct AS isCorrect, min(r.ordinal) AS ordinal, r.rollout_id AS rolloutId
  FROM json_each(:groupIds) ids CROSS JOIN rollout_row r ON r.group_id = ids.value
  WHERE r.is_correct IS NOT NULL GROUP BY r.group_id, r.is_correct`;

interface OutcomeRow {
  readonly groupId: number;
  readonly groupKey: string;
  readonly correct: number;
  readonly known: number;
  readonly problemNo: number;
  readonly problemId: string;
  readonly idSource: Provenance;
  readonly source: string | undefined;
  readonly questionHash: string | undefined;
}

interface Place {
  readonly runId: number;
  readonly step: number;
}

/** A problem at one step. */
interface Outcome {
  readonly groups: OutcomeRow[];
  correct: number;
  known: number;
}

/**
 * A problem counts as correct at a step if more than half of its rollouts with a known correctness are, as incorrect if
 * fewer are, and as undecided at exactly half.
 */
export function problemChanges(db: ReadableLibrary, from: Place, to: Place): ProblemChanges {
  const rowsOf = query<OutcomeRow>(db, OUTCOMES_OF_STEP, {
    ...{ groupId: number, groupKey: text, correct: number, known: number },
    ...{ problemNo: number, problemId: text, idSource: oneOf(PROVENANCES) },
    ...{ source: optional(text), questionHash: optional(text) },
  });
  const [rowsFrom, rowsTo] = [rowsOf.all({ ...from }), rowsOf.all({ ...to })];
  const keyOf = problemKeys([rowsFrom, rowsTo], from.runId === to.runId);
  const [before, after] = [byProblem(rowsFrom, keyOf), byProblem(rowsTo, keyOf)];
  const counts = { compared: 0, stayedCorrect: 0, stayedIncorrect: 0, undecided: 0, unknown: 0, onlyFrom: 0 };
  const changed: { readonly isLoss: boolean; readonly from: Outcome; readonly to: Outcome }[] = [];
  for (const [key, was] of before) {
    const is = after.get(key);
    if (is === undefined) counts.onlyFrom++;
    else if (was.known === 0 || is.known === 0) counts.unknown++;
    else {
      const [one, other] = [sideOf(was), sideOf(is)];
      if (one === 0 || other === 0) {
        counts.undecided++;
        continue;
      }
      counts.compared++;
      if (one !== other) changed.push({ isLoss: one > 0, from: was, to: is });
      else if (one > 0) counts.stayedCorrect++;
      else counts.stayedIncorrect++;
    }
  }
  const sideFor = firstRollouts(
    db,
    changed.flatMap((each) => [each.from, each.to]),
  );
  const questionOf = questionBeginnings(db);
  const sides = changed.map(({ isLoss, from, to }) => [sideFor(from, isLoss), sideFor(to, !isLoss)] as const);
  const labels = labelsOf(
    db,
    sides.flatMap((pair) => pair.map(({ rolloutId }) => rolloutId)),
  );
  const problems = changed.map(({ from: { groups } }, at): ChangedProblem => {
    const [from, to] = sides[at] as (typeof sides)[number];
    const own = new Set([from, to].flatMap(({ rolloutId }) => labels.get(rolloutId) ?? []));
    return {
      problemId: groups[0]?.problemId ?? '',
      question: questionOf(groups[0]?.problemNo ?? 0),
      ...{ from, to },
      ...(own.size === 0 ? {} : { labels: [...own] }),
    };
  });
  const becameIncorrect = problems.filter((_, at) => changed[at]?.isLoss === true);
  const becameCorrect = problems.filter((_, at) => changed[at]?.isLoss === false);
  return {
    ...counts,
    onlyTo: [...after.keys()].filter((key) => !before.has(key)).length,
    ...{ becameIncorrect, becameCorrect },
    pValue: exactMcNemar(becameIncorrect.length, becameCorrect.length),
  };
}

/** Above 0 if more than half of the rollouts are correct, below 0 if fewer are. */
const sideOf = ({ correct, known }: Outcome): number => Math.sign(2 * correct - known);

/**
 * Returns a function from a group to a key that is equal for the same problem, by the rule of `sameProblem.ts`: within
 * a run the logged id counts, else the question, unless one text has several logged ids.
 */
function problemKeys(
  sides: readonly (readonly OutcomeRow[])[],
  isOneRun: boolean,
): (row: OutcomeRow) => string {
  const sharedTexts = new Set<string>();
  for (const rows of sides) {
    const ids = new Map<string, string>();
    for (const { idSource, problemId, questionHash } of rows) {
      if (idSource !== 'logged' || questionHash === undefined) continue;
      const known = ids.get(questionHash);
      if (known === undefined) ids.set(questionHash, problemId);
      else if (known !== problemId) sharedTexts.add(questionHash);
    }
  }
  return ({ idSource, problemId, source, questionHash, problemNo }) => {
    const isById =
      idSource === 'logged' && (isOneRun || (questionHash !== undefined && sharedTexts.has(questionHash)));
    if (isById) return JSON.stringify([source ?? null, problemId]);
    return questionHash ?? `problem ${problemNo}`;
  };
}

function byProblem(
  rows: readonly OutcomeRow[],
  keyOf: (row: OutcomeRow) => string,
): ReadonlyMap<string, Outcome> {
  const problems = new Map<string, Outcome>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = problems.get(key) ?? { groups: [], correct: 0, known: 0 };
    known.groups.push(row);
    known.correct += row.correct;
    known.known += row.known;
    problems.set(key, known);
  }
  return problems;
}

/** Finds a rollout with the outcome of its problem. */
function firstRollouts(
  db: ReadableLibrary,
  outcomes: readonly Outcome[],
): (outcome: Outcome, isCorrect: boolean) => ChangeSide {
  const groupIds = outcomes.flatMap(({ groups }) => groups.map(({ groupId }) => groupId));
  const rows = query(db, FIRST_OF_OUTCOME, {
    groupId: number,
    isCorrect: boolean,
    ordinal: number,
    rolloutId: number,
  }).all({
    groupIds: JSON.stringify(groupIds),
  });
  const firsts = new Map(
    rows.map(({ groupId, isCorrect, ordinal, rolloutId }) => [
      `${groupId} ${isCorrect}`,
      { ordinal, rolloutId },
    ]),
  );
  return ({ groups, correct, known }, isCorrect) => {
    for (const { groupId, groupKey } of groups) {
      const first = firsts.get(`${groupId} ${isCorrect}`);
      if (first !== undefined) return { ...first, groupKey, correct, known };
    }
    throw new Error(`no rollout has the outcome of group ${groups[0]?.groupId}`);
  };
}
