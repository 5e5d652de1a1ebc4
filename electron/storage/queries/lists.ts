/** Fetches the rows of lists by id. `electron/columns` computes their order. */
import type { GroupRow, RolloutRow } from '../../../shared/api/contract.ts';
import { isWrappedAhead } from '../../../shared/domain/question.ts';
import {
  camelCase,
  LISTED_FIELDS,
  type ListedRollout,
  type RolloutField,
} from '../../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../../shared/domain/rolloutFields.ts';
import { GROUP_RULES } from '../../../shared/format/format.ts';
import type { ReadableLibrary } from '../open.ts';
import { boolean, type Cell, number, oneOf, optional, query, type RowSpec, text } from '../rows.ts';
import { QUESTION_PREVIEW, questionBeginnings } from './questions.ts';

export const GROUPS_BY_ID = `
  SELECT g.group_id AS groupId, g.group_key AS groupKey, g.rule AS groupRule, p.problem_id AS problemId, g.step, g.rollouts, g.correct,
    g.correct_known AS correctKnown, iif(g.reward_known > 0, g.reward_sum / g.reward_known, NULL) AS meanReward,
    g.decided, g.kept, iif(g.with_text > 0, g.tool_calls, NULL) AS toolCalls,
    iif(g.with_text > 0, g.tool_errors, NULL) AS toolErrors, 1.0 * g.turns / nullif(g.turns_known, 0) AS meanTurns,
    1.0 * g.response_chars / nullif(g.with_text, 0) AS meanResponseChars, p.ground_truth AS groundTruth,
    ${QUESTION_PREVIEW} AS promptPreview, g.problem_no AS problemNo
  FROM json_each(?) ids
  JOIN group_row g ON g.group_id = ids.value
  JOIN problem_row p ON p.problem_no = g.problem_no
  JOIN prompt_row q ON q.prompt_id = p.prompt_id
  ORDER BY ids.key`;

/** `step` is 0 when the log has none; the public view has NULL. */
export const ROLLOUTS_BY_ID = `
  SELECT ${LISTED_FIELDS.map((name) => `${name === 'step' ? 'r.step' : ROLLOUT_FIELDS[name].sql} AS ${camelCase(name)}`).join(', ')}
  FROM json_each(?) ids
  JOIN rollout_row r ON r.rollout_id = ids.value
  JOIN group_row g ON g.group_id = r.group_id
  JOIN problem_row p ON p.problem_no = g.problem_no
  JOIN file_row f ON f.file_id = r.file_id
  LEFT JOIN timing_row t ON t.rollout_id = r.rollout_id
  ORDER BY ids.key`;

const CELLS: Readonly<Record<string, Cell<string | number | boolean>>> = { number, integer: number, boolean };

/** Row types derived from the field records. */
const ROLLOUT_ROW = Object.fromEntries(
  LISTED_FIELDS.map((name) => {
    const { kind, oneOf: words, isAlwaysKnown }: RolloutField = ROLLOUT_FIELDS[name];
    const cell = words === undefined ? (CELLS[kind] ?? text) : oneOf(words);
    return [camelCase(name), isAlwaysKnown === true ? cell : optional(cell)];
  }),
) as RowSpec<ListedRollout>;

const GROUP_ROW: RowSpec<GroupRow & { readonly problemNo: number }> = {
  groupId: number,
  groupKey: text,
  groupRule: oneOf(GROUP_RULES),
  problemId: text,
  step: number,
  rollouts: number,
  correct: number,
  correctKnown: number,
  meanReward: optional(number),
  decided: number,
  kept: number,
  toolCalls: optional(number),
  toolErrors: optional(number),
  meanTurns: optional(number),
  meanResponseChars: optional(number),
  groundTruth: optional(text),
  promptPreview: text,
  problemNo: number,
};

export function groupRows(db: ReadableLibrary, groupIds: readonly number[]): readonly GroupRow[] {
  const beginningOf = questionBeginnings(db);
  return query(db, GROUPS_BY_ID, GROUP_ROW)
    .all(JSON.stringify(groupIds))
    .map(({ problemNo, ...group }) => {
      // The preview may consist mostly of a template's instructions.
      if (!isWrappedAhead(group.promptPreview)) return group;
      return { ...group, promptPreview: beginningOf(problemNo) };
    });
}

const LABELS_BY_ROLLOUT = `
  SELECT DISTINCT p.rollout_id AS id, a.label
  FROM json_each(?) j
  CROSS JOIN annotated_place_row p ON p.rollout_id = j.value
  JOIN annotation_row a ON a.annotated_no = p.annotated_no
  WHERE a.label IS NOT NULL
  ORDER BY a.created_at, a.annotation_no`;

export function rolloutRows(db: ReadableLibrary, rolloutIds: readonly number[]): readonly RolloutRow[] {
  const labels = labelsOf(db, rolloutIds);
  return query(db, ROLLOUTS_BY_ID, ROLLOUT_ROW)
    .all(JSON.stringify(rolloutIds))
    .map((rollout) => {
      const own = labels.get(rollout.rolloutId);
      return own === undefined ? rollout : { ...rollout, labels: own };
    });
}

/** Distinct label ids by rollout. Rollouts without a label are left out. */
export function labelsOf(
  db: ReadableLibrary,
  rolloutIds: readonly number[],
): ReadonlyMap<number, readonly string[]> {
  const labels = new Map<number, string[]>();
  const found = query(db, LABELS_BY_ROLLOUT, { id: number, label: text }).all(JSON.stringify(rolloutIds));
  for (const { id, label } of found) {
    const others = labels.get(id);
    if (others === undefined) labels.set(id, [label]);
    else others.push(label);
  }
  return labels;
}
