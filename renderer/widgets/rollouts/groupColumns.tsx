/** Columns of the prompt groups of a step. */

import type { GroupRow, GroupSort } from '../../../shared/api/contract.ts';
import { plainQuestion } from '../../../shared/domain/question.ts';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, decimal, ratio, reward } from '../../ui/numbers.ts';
import type { Column } from '../../ui/tableColumns.ts';
import { AnswerText } from '../AnswerText.tsx';
import { NO_PROMPT, ShareCell } from './cells.tsx';

export interface GroupColumn extends Column<GroupRow> {
  readonly id: GroupSort | 'prompt' | 'truth' | 'match';
}

export const GROUP_COLUMNS: readonly GroupColumn[] = [
  {
    id: 'problemId',
    label: 'problem',
    value: (row) => row.problemId,
    filterField: 'problem_id',
    minWidth: 120,
    grow: 1,
    sorts: 'ascending',
    cell: (row) => (
      <span className="mono" title={plainLogText(row.problemId)}>
        {plainLogText(row.problemId)}
      </span>
    ),
  },
  {
    id: 'prompt',
    label: 'prompt',
    value: (row) => row.promptPreview,
    filterField: 'prompt',
    hint: 'The last user message, its beginning',
    minWidth: 100,
    grow: 5,
    cell: (row) =>
      row.promptPreview === '' ? (
        NO_PROMPT
      ) : (
        <span title={plainLogText(row.promptPreview)}>{plainQuestion(row.promptPreview)}</span>
      ),
  },
  {
    id: 'truth',
    label: 'ground truth',
    value: (row) => row.groundTruth,
    filterField: 'ground_truth',
    minWidth: 80,
    // 24 characters in a window of 1,440 px.
    grow: 1.8,
    cell: (row) => (
      <span className="mono" title={plainLogText(row.groundTruth ?? '')}>
        <AnswerText text={row.groundTruth} />
      </span>
    ),
  },
  {
    id: 'rollouts',
    label: 'rollouts',
    value: (row) => row.rollouts,
    align: 'end',
    minWidth: 54,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => count(row.rollouts),
  },
  {
    id: 'correct',
    label: 'correct',
    value: (row) => (row.correctKnown === 0 ? undefined : row.correct),
    copiedWith: { name: 'known', value: (row) => row.correctKnown },
    filterField: 'pass_rate',
    filterValue: (row) => ratio(row.correct, row.correctKnown),
    hint: 'Correct rollouts among those whose correctness is known',
    align: 'end',
    minWidth: 84,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) =>
      row.correctKnown === 0 ? null : (
        <>
          {row.correct}
          <span className="dim">/{row.correctKnown}</span>
          <span className="bar-cell">
            <i
              style={{
                width: `${(ratio(row.correct, row.correctKnown) ?? 0) * 100}%`,
                background: 'var(--right)',
              }}
            />
          </span>
        </>
      ),
  },
  {
    id: 'meanReward',
    label: 'reward',
    value: (row) => row.meanReward,
    hint: 'Mean reward of the group’s rollouts',
    align: 'end',
    minWidth: 50,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => reward(row.meanReward),
  },
  {
    id: 'kept',
    label: 'kept',
    value: (row) => (row.decided === 0 ? undefined : row.kept),
    copiedWith: { name: 'decided', value: (row) => row.decided },
    hint: 'Kept by the down-sampling, of the rollouts with a logged decision',
    align: 'end',
    minWidth: 48,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) =>
      row.decided === 0 ? null : (
        <>
          {row.kept}
          <span className="dim">/{row.decided}</span>
        </>
      ),
  },
  {
    id: 'toolCalls',
    label: 'calls',
    unit: 'sum',
    value: (row) => row.toolCalls,
    hint: 'Tool calls of all rollouts of the group together',
    align: 'end',
    minWidth: 60,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => count(row.toolCalls),
  },
  {
    id: 'toolErrors',
    label: 'failed calls',
    value: ({ toolCalls, toolErrors }) =>
      toolCalls === undefined || toolErrors === undefined || toolCalls === 0
        ? undefined
        : (100 * toolErrors) / toolCalls,
    hint: 'Share of the tool calls that failed; sorted by their number',
    unit: '%',
    align: 'end',
    minWidth: 90,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => <ShareCell share={ratio(row.toolErrors ?? 0, row.toolCalls ?? 0)} color="var(--wrong)" />,
  },
  {
    id: 'meanTurns',
    label: 'turns',
    unit: 'mean',
    value: (row) => row.meanTurns,
    hint: 'Mean turns of the group’s rollouts',
    align: 'end',
    minWidth: 68,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => decimal(row.meanTurns, 1),
  },
  {
    id: 'meanResponseChars',
    label: 'length',
    value: (row) => row.meanResponseChars,
    unit: 'chars',
    hint: 'Mean response length of the group’s rollouts',
    align: 'end',
    minWidth: 78,
    grow: 0.3,
    sorts: 'descending',
    cell: (row) => count(row.meanResponseChars),
  },
];

/**
 * For filtered lists: the number of matching rollouts per group.
 * @param matchesOf by group id
 */
export function matchColumn(matchesOf: ReadonlyMap<number, number>): GroupColumn {
  return {
    id: 'match',
    label: 'match',
    hint: 'Rollouts of the group that match the filter',
    align: 'end',
    minWidth: 52,
    grow: 0.3,
    value: (row) => matchesOf.get(row.groupId),
    cell: (row) => {
      const matches = matchesOf.get(row.groupId);
      return matches === undefined ? null : (
        <>
          {count(matches)}
          <span className="dim">/{count(row.rollouts)}</span>
        </>
      );
    },
  };
}

/** Fields that the host can sort a list of groups by. */
export const GROUP_SORT_IDS: readonly GroupSort[] = [
  'order',
  ...GROUP_COLUMNS.filter(({ sorts }) => sorts !== undefined).flatMap(({ id }) =>
    id === 'prompt' || id === 'truth' || id === 'match' ? [] : [id],
  ),
];
