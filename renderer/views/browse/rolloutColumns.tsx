import type { RolloutRow, RolloutSort } from '../../../shared/api/contract.ts';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { count, decimal, reward, signed } from '../../ui/numbers.ts';
import { reasonText } from '../../ui/reasons.ts';
import type { Column } from '../../ui/tableColumns.ts';
import { LABEL_COLUMN } from './labelColumn.tsx';
import { TIMING_COLUMNS } from './timingColumns.tsx';

export interface RolloutColumn extends Column<RolloutRow> {
  readonly id: RolloutSort | 'problem' | 'duration' | 'worker' | 'gpu' | 'labels';
  /** A column is shown when any of the first rows has a value; absent: always. */
  readonly isKnown?: (row: RolloutRow) => boolean;
}

/** Where rows of several steps are listed. */
export const STEP_COLUMN: RolloutColumn = {
  id: 'step',
  label: 'step',
  value: (row) => row.step,
  filterField: 'step',
  align: 'end',
  minWidth: 44,
  grow: 0,
  sorts: 'ascending',
  cell: (row) => count(row.step),
};

/** With the problem where rows of several are listed: see `problemColumn.tsx`. */
export const ROLLOUT_COLUMNS: readonly RolloutColumn[] = [
  {
    id: 'kept',
    label: '',
    name: 'kept',
    value: (row) => row.kept,
    filterField: 'kept',
    hint: 'Kept (filled) or discarded (dashed) by the down-sampling, as logged',
    minWidth: 14,
    grow: 0,
    sorts: 'descending',
    isKnown: (row) => row.kept !== undefined,
    cell: (row) => <KeptMark isKept={row.kept} />,
  },
  {
    id: 'ordinal',
    label: 'rollout',
    value: (row) => row.ordinal,
    filterField: 'index',
    hint: 'Position in the oversampled group',
    minWidth: 50,
    grow: 0,
    sorts: 'ascending',
    cell: (row) => <span className="mono">#{row.ordinal}</span>,
  },
  {
    id: 'answer',
    label: 'answer',
    value: (row) => row.answer,
    copiedWith: { name: 'correct', value: (row) => row.isCorrect },
    filterField: 'answer',
    hint: 'Sorted by its text; the mark says right or wrong where that is known',
    minWidth: 84,
    grow: 1,
    sorts: 'ascending',
    cell: (row) => (
      <span
        className={row.isCorrect === undefined ? undefined : row.isCorrect ? 'is-right' : 'is-wrong'}
        title={row.answer}
      >
        <RightMark isCorrect={row.isCorrect} /> {row.answer}
      </span>
    ),
  },
  LABEL_COLUMN,
  {
    id: 'reward',
    label: 'reward',
    value: (row) => row.reward,
    filterField: 'reward',
    align: 'end',
    minWidth: 48,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => reward(row.reward),
  },
  {
    id: 'pErr',
    label: 'p_err',
    value: (row) => row.pErr,
    filterField: 'p_err',
    hint: 'Share of failed tool calls, as logged',
    align: 'end',
    minWidth: 44,
    grow: 0.6,
    sorts: 'descending',
    isKnown: (row) => row.pErr !== undefined,
    cell: (row) => decimal(row.pErr),
  },
  {
    id: 'pFormat',
    label: 'p_format',
    value: (row) => row.pFormat,
    filterField: 'p_format',
    hint: 'Format penalty, as logged',
    align: 'end',
    minWidth: 58,
    grow: 0.6,
    sorts: 'descending',
    isKnown: (row) => row.pFormat !== undefined,
    cell: (row) => decimal(row.pFormat),
  },
  {
    id: 'penalty',
    label: 'penalty',
    value: (row) => row.penalty,
    filterField: 'penalty',
    align: 'end',
    minWidth: 54,
    grow: 0.6,
    sorts: 'descending',
    isKnown: (row) => row.penalty !== undefined,
    cell: (row) => <b style={{ fontWeight: 600 }}>{decimal(row.penalty)}</b>,
  },
  {
    id: 'advantage',
    label: 'advantage',
    value: (row) => row.advantage,
    filterField: 'advantage',
    align: 'end',
    minWidth: 66,
    grow: 0.6,
    sorts: 'descending',
    isKnown: (row) => row.advantage !== undefined,
    cell: (row) => signed(row.advantage),
  },
  {
    id: 'turns',
    label: 'turns',
    value: (row) => row.turns,
    filterField: 'turns',
    align: 'end',
    minWidth: 42,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.turns),
  },
  {
    id: 'toolCalls',
    label: 'calls',
    value: (row) => row.toolCalls,
    filterField: 'tool_calls',
    align: 'end',
    minWidth: 40,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.toolCalls),
  },
  {
    id: 'toolErrors',
    label: 'failed',
    value: (row) => row.toolErrors,
    filterField: 'tool_errors',
    hint: 'Tool calls that failed',
    align: 'end',
    minWidth: 46,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => (
      <span className={row.toolErrors > 0 ? 'is-wrong' : undefined}>{count(row.toolErrors)}</span>
    ),
  },
  {
    id: 'policyTokens',
    label: 'tokens',
    value: (row) => row.policyTokens,
    filterField: 'tokens',
    hint: 'Tokens sampled by the policy',
    align: 'end',
    minWidth: 56,
    grow: 0.6,
    sorts: 'descending',
    isKnown: (row) => row.policyTokens !== undefined,
    cell: (row) => count(row.policyTokens),
  },
  {
    id: 'responseChars',
    label: 'length',
    value: (row) => row.responseChars,
    filterField: 'chars',
    unit: 'chars',
    align: 'end',
    minWidth: 74,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.responseChars),
  },
  {
    id: 'meanEntropy',
    label: 'entropy',
    value: (row) => row.meanEntropy,
    filterField: 'entropy',
    unit: 'nats',
    hint: 'Mean over the policy tokens whose entropy is logged',
    align: 'end',
    minWidth: 78,
    grow: 0.6,
    sorts: 'descending',
    isKnown: (row) => row.meanEntropy !== undefined,
    cell: (row) => decimal(row.meanEntropy, 3),
  },
  {
    id: 'stopReason',
    label: 'stopped by',
    value: (row) => row.stopReason,
    filterField: 'stop',
    hint: 'Why the rollout ended; derived from the text when shown in italics',
    minWidth: 70,
    sorts: 'ascending',
    isKnown: (row) => row.stopReason !== undefined,
    cell: (row) =>
      row.stopReasonSource === 'derived' ? (
        <i className="muted" title="derived from the text">
          {row.stopReason}
        </i>
      ) : (
        row.stopReason
      ),
  },
  {
    id: 'reason',
    label: 'why',
    value: (row) => row.reason,
    filterField: 'reason',
    hint: 'Why the down-sampling kept or discarded it',
    minWidth: 166,
    grow: 1.2,
    sorts: 'ascending',
    isKnown: (row) => row.reason !== undefined,
    cell: (row) => (
      <span
        className="muted"
        title={`${row.kept === undefined ? '' : row.kept ? 'kept, ' : 'discarded, '}${reasonText(row.reason)}, logged as ${row.reason}`}
      >
        {row.kept === undefined ? '' : row.kept ? 'kept, ' : 'discarded, '}
        {reasonText(row.reason)}
      </span>
    ),
  },
  ...TIMING_COLUMNS,
];
