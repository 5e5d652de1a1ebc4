import type { GroupRow, RolloutRow, RolloutSort } from '../../../shared/api/contract.ts';
import { fieldNamed } from '../../../shared/domain/filter/fields.ts';
import { isHashedId, plainQuestion } from '../../../shared/domain/question.ts';
import {
  type CamelCase,
  camelCase,
  LISTED_FIELDS,
  type ListedField,
  type RolloutField,
} from '../../../shared/domain/rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../../../shared/domain/rolloutFields.ts';
import { reasonText } from '../../../shared/domain/words.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { count, decimal, signed } from '../../ui/numbers.ts';
import type { Column } from '../../ui/tableColumns.ts';
import { AnswerText } from '../AnswerText.tsx';
import { CLASS_WORDS } from '../rerun/rerunModel.ts';
import { penaltyText } from '../roc/rocLabels.ts';
import { MALFORMED_HINT, malformedCell, NO_PROMPT, stopReasonCell } from './cells.tsx';
import { LABEL_COLUMN } from './labelColumn.tsx';
import { rewardCell } from './scoreColumns.tsx';

export interface RolloutColumn extends Column<RolloutRow> {
  readonly id: RolloutSort | CamelCase<ListedField> | 'labels' | 'prompt';
  /** The column is shown if this holds for any of the first rows. Absent: it is always shown. */
  readonly isKnown?: (row: RolloutRow) => boolean;
}

type Presentation = Omit<RolloutColumn, 'id' | 'value' | 'filterField'>;

const FIELD_OF: ReadonlyMap<string, ListedField> = new Map(
  LISTED_FIELDS.map((name) => [camelCase(name), name]),
);

/** A column of one field. The field's record defines its content, `presentation` its appearance. */
function fieldColumn(id: CamelCase<ListedField>, presentation: Presentation): RolloutColumn {
  const name = FIELD_OF.get(id);
  const field: RolloutField | undefined = name === undefined ? undefined : ROLLOUT_FIELDS[name];
  const isNumber = field?.kind === 'number' || field?.kind === 'integer';
  return {
    id,
    value: (row) => row[id],
    filterField: fieldNamed(name ?? '')?.name,
    align: isNumber ? 'end' : 'start',
    isKnown: field?.isAlwaysKnown === true ? undefined : (row) => row[id] !== undefined,
    ...presentation,
  };
}

/** Used in lists with rows of several steps. */
export const STEP_COLUMN: RolloutColumn = fieldColumn('step', {
  label: 'step',
  minWidth: 44,
  grow: 0,
  sorts: 'ascending',
  cell: (row) => count(row.step),
});

/** Used in lists with rows of several problems. A hash is shown only if prompts begin alike (`promptsBeginAlike`). */
export const PROBLEM_ID_COLUMN: RolloutColumn = fieldColumn('problemId', {
  label: 'problem',
  name: 'problem id',
  minWidth: 70,
  grow: 0.8,
  sorts: 'ascending',
  isKnown: (row) => !isHashedId(row.problemId),
  cell: ({ problemId }) => (
    <span className="mono" title={plainLogText(problemId)}>
      {plainLogText(problemId)}
    </span>
  ),
});

/** Used in lists with rows of several problems. */
export const GROUND_TRUTH_COLUMN: RolloutColumn = fieldColumn('groundTruth', {
  label: 'ground truth',
  minWidth: 80,
  grow: 0.8,
  cell: ({ groundTruth }) => (
    <span className="mono" title={plainLogText(groundTruth ?? '')}>
      <AnswerText text={groundTruth} />
    </span>
  ),
});

/**
 * The beginning of each problem's text. Without a column of ids this one names the problems: it copies and filters
 * their ids.
 * @param groups the loaded groups, by id
 */
export function promptColumn(groups: ReadonlyMap<number, GroupRow>, hasIds: boolean): RolloutColumn {
  return {
    id: 'prompt',
    grow: 4,
    ...(hasIds
      ? { label: 'prompt', hint: 'The last user message, its beginning', minWidth: 100 }
      : { label: 'problem', minWidth: 150, value: (row) => row.problemId, filterField: 'problem_id' }),
    cell: ({ groupId, problemId }) => {
      const preview = groups.get(groupId)?.promptPreview;
      if (preview)
        return <span title={plainLogText(`${problemId}: ${preview}`)}>{plainQuestion(preview)}</span>;
      if (!hasIds) return <span className="mono">{plainLogText(problemId)}</span>;
      return preview === '' && NO_PROMPT;
    },
  };
}

/** Characters of a prompt that a narrow list shows. */
const SHOWN_OF_PROMPT = 40;

/** Whether a list that shows the beginnings of prompts cannot tell two problems apart. */
export function promptsBeginAlike(groups: Iterable<GroupRow>): boolean {
  const problems = new Map<string, string>();
  for (const { problemId, promptPreview } of groups) {
    const beginning = plainQuestion(promptPreview).slice(0, SHOWN_OF_PROMPT);
    if ((problems.get(beginning) ?? problemId) !== problemId) return true;
    problems.set(beginning, problemId);
  }
  return false;
}

export const ROLLOUT_COLUMNS: readonly RolloutColumn[] = [
  fieldColumn('kept', {
    label: '',
    name: 'kept',
    hint: 'Kept (filled) or discarded (dashed) by the down-sampling, as logged',
    minWidth: 14,
    grow: 0,
    sorts: 'descending',
    cell: (row) => <KeptMark isKept={row.kept} />,
  }),
  fieldColumn('ordinal', {
    label: 'rollout',
    align: 'start',
    hint: 'Position in the oversampled group',
    minWidth: 50,
    grow: 0,
    sorts: 'ascending',
    cell: (row) => <span className="mono">#{row.ordinal}</span>,
  }),
  fieldColumn('answer', {
    label: 'answer',
    isKnown: undefined,
    copiedWith: { name: 'correct', value: (row) => row.isCorrect },
    hint: 'Sorted by its text. The mark shows correct or incorrect; dots below it: derived by comparing answer and ground truth',
    minWidth: 84,
    grow: 1,
    sorts: 'ascending',
    cell: (row) => (
      <span
        className={row.isCorrect === undefined ? undefined : row.isCorrect ? 'is-right' : 'is-wrong'}
        title={plainLogText(row.answer ?? '')}
      >
        <RightMark isCorrect={row.isCorrect} source={row.correctSource} /> <AnswerText text={row.answer} />
      </span>
    ),
  }),
  LABEL_COLUMN,
  fieldColumn('reward', {
    label: 'reward',
    isKnown: undefined,
    hint: 'Italics: derived by Turnwise from a grade, such as C for correct',
    minWidth: 48,
    grow: 0.6,
    sorts: 'descending',
    cell: rewardCell,
  }),
  fieldColumn('pErr', {
    label: 'p_err',
    hint: 'Error penalty, as logged. The release counts the tool responses with the word “error” among all tool responses, whatever the outcome of the call, and takes 0.5 without any response. A call without a response does not count',
    minWidth: 44,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => penaltyText(row.pErr),
  }),
  fieldColumn('pFormat', {
    label: 'p_format',
    hint: 'Format penalty, as logged',
    minWidth: 58,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => penaltyText(row.pFormat),
  }),
  fieldColumn('penalty', {
    label: 'penalty',
    minWidth: 54,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => <b style={{ fontWeight: 600 }}>{penaltyText(row.penalty)}</b>,
  }),
  fieldColumn('advantage', {
    label: 'advantage',
    minWidth: 66,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => signed(row.advantage),
  }),
  fieldColumn('turns', {
    label: 'turns',
    minWidth: 42,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.turns),
  }),
  fieldColumn('toolCalls', {
    label: 'calls',
    minWidth: 40,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.toolCalls),
  }),
  fieldColumn('toolErrors', {
    label: 'failed',
    hint: 'Tool calls that failed',
    minWidth: 46,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => (
      <span className={(row.toolErrors ?? 0) > 0 ? 'is-wrong' : undefined}>{count(row.toolErrors)}</span>
    ),
  }),
  fieldColumn('rerun', {
    label: 'rerun',
    hint: 'Python calls run again, against the log: different if one differs, else same but for noise, same, or not run',
    minWidth: 74,
    grow: 0.6,
    cell: ({ rerun }) =>
      rerun === undefined ? null : (
        <span className={rerun === 'different' ? 'is-wrong' : undefined}>
          {rerun === 'different' && '≠ '}
          {CLASS_WORDS[rerun]}
        </span>
      ),
  }),
  fieldColumn('malformedCalls', {
    label: 'malformed',
    hint: MALFORMED_HINT,
    minWidth: 70,
    grow: 0.6,
    sorts: 'descending',
    // Most logs have none, and a column of zeros would narrow the others.
    isKnown: (row) => (row.malformedCalls ?? 0) > 0,
    cell: malformedCell,
  }),
  fieldColumn('policyTokens', {
    label: 'tokens',
    hint: 'Tokens sampled by the policy',
    minWidth: 56,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.policyTokens),
  }),
  fieldColumn('responseChars', {
    label: 'length',
    unit: 'chars',
    minWidth: 74,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.responseChars),
  }),
  fieldColumn('meanEntropy', {
    label: 'entropy',
    unit: 'nats',
    hint: 'Mean over the policy tokens whose entropy is logged',
    minWidth: 78,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => decimal(row.meanEntropy, 3),
  }),
  fieldColumn('stopReason', {
    label: 'stopped by',
    hint: 'Why the rollout ended. Italics: derived by Turnwise. In quotes: a word of the log that has no class',
    minWidth: 70,
    sorts: 'ascending',
    isKnown: (row) => (row.stopReason ?? row.stopReasonLogged) !== undefined,
    cell: stopReasonCell,
  }),
  fieldColumn('origin', {
    label: 'continues',
    hint: 'The rollout that it continues: run, step, group and position in the group',
    minWidth: 120,
    cell: ({ origin = '' }) => <bdi title={plainLogText(origin)}>{plainLogText(origin)}</bdi>,
  }),
  fieldColumn('reason', {
    label: 'why',
    hint: 'Why the down-sampling kept or discarded it',
    minWidth: 166,
    grow: 1.2,
    sorts: 'ascending',
    cell: (row) => (
      <span
        className="muted"
        title={`${row.kept === undefined ? '' : row.kept ? 'kept, ' : 'discarded, '}${reasonText(row.reason)}, logged as ${plainLogText(row.reason ?? '')}`}
      >
        {row.kept === undefined ? '' : row.kept ? 'kept, ' : 'discarded, '}
        {reasonText(row.reason)}
      </span>
    ),
  }),
  fieldColumn('duration', {
    label: 'duration',
    unit: 's',
    hint: 'Seconds as logged, else from start to end',
    minWidth: 62,
    cell: (row) => decimal(row.duration, 1),
  }),
  engineColumn('worker', 'Of the rollout engine, as logged'),
  engineColumn('gpu', 'One, or several of one engine'),
];

function engineColumn(id: 'worker' | 'gpu', hint: string): RolloutColumn {
  return fieldColumn(id, {
    label: id,
    hint,
    minWidth: 74,
    cell: (row) => <bdi title={plainLogText(row[id] ?? '')}>{plainLogText(row[id] ?? '')}</bdi>,
  });
}

/** All whose values are fields of a row. */
export const FIELD_COLUMNS: readonly RolloutColumn[] = [
  PROBLEM_ID_COLUMN,
  GROUND_TRUTH_COLUMN,
  ...ROLLOUT_COLUMNS,
];

/**
 * Leaves out columns without a value in any sampled row. The sample is the loaded rows. A column that was shown once
 * stays (`shown`), so that scrolling never moves the others.
 */
export function knownColumnIds(rows: readonly RolloutRow[], shown: ReadonlySet<string>): ReadonlySet<string> {
  const missing = FIELD_COLUMNS.filter(
    (column) => !shown.has(column.id) && (column.isKnown === undefined || rows.some(column.isKnown)),
  );
  return missing.length === 0 ? shown : new Set([...shown, ...missing.map((column) => column.id)]);
}
