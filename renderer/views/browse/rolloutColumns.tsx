import type { GroupRow, RolloutRow, RolloutSort } from '../../../shared/api/contract.ts';
import { KeptMark, RightMark } from '../../ui/Marks.tsx';
import { count, decimal, reward, signed } from '../../ui/numbers.ts';
import { reasonText } from '../../ui/reasons.ts';
import type { Column } from '../../ui/VirtualTable.tsx';

export interface RolloutColumn extends Column<RolloutRow> {
  readonly id: RolloutSort | 'problem';
  /** A column is shown when any of the first rows has a value; absent: always. */
  readonly isKnown?: (row: RolloutRow) => boolean;
}

/** Which problem a rollout attempts: its text where the group is known, else its id. */
export function problemColumn(groups: ReadonlyMap<number, GroupRow>): RolloutColumn {
  return {
    id: 'problem',
    label: 'problem',
    minWidth: 150,
    grow: 4,
    cell: (row) => {
      const preview = groups.get(row.groupId)?.promptPreview;
      return preview === undefined || preview === '' ? (
        <span className="mono">{row.problemId}</span>
      ) : (
        <span title={`${row.problemId}: ${preview}`}>{preview}</span>
      );
    },
  };
}

export const ROLLOUT_COLUMNS: readonly RolloutColumn[] = [
  {
    id: 'kept',
    label: '',
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
    hint: 'Position in the oversampled group',
    minWidth: 50,
    grow: 0,
    sorts: 'ascending',
    cell: (row) => <span className="mono">#{row.ordinal}</span>,
  },
  {
    id: 'answer',
    label: 'answer',
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
  {
    id: 'reward',
    label: 'reward',
    align: 'end',
    minWidth: 48,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => reward(row.reward),
  },
  {
    id: 'pErr',
    label: 'p_err',
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
    align: 'end',
    minWidth: 42,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.turns),
  },
  {
    id: 'toolCalls',
    label: 'calls',
    align: 'end',
    minWidth: 40,
    grow: 0.6,
    sorts: 'descending',
    cell: (row) => count(row.toolCalls),
  },
  {
    id: 'toolErrors',
    label: 'failed',
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
];

/**
 * Columns that none of the sampled rows has a value for are left out. The sample is what is
 * loaded; a column once shown stays (`shown`), so that scrolling never moves the others.
 */
export function knownColumnIds(rows: readonly RolloutRow[], shown: ReadonlySet<string>): ReadonlySet<string> {
  const missing = ROLLOUT_COLUMNS.filter(
    (column) => !shown.has(column.id) && (column.isKnown === undefined || rows.some(column.isKnown)),
  );
  return missing.length === 0 ? shown : new Set([...shown, ...missing.map((column) => column.id)]);
}
