import { count, decimal, reward } from '../../ui/numbers.ts';
import type { SortValue } from '../../ui/sorting.ts';
import type { Column } from '../../ui/tableColumns.ts';
import { HealthCell, ShareCell } from '../../widgets/rollouts/cells.tsx';
import { mixedShare, type StepRow } from '../../widgets/tables/stepRows.ts';

export interface StepColumn extends Column<StepRow> {
  readonly measure: (row: StepRow) => SortValue;
}

type NumberColumn = Omit<StepColumn, 'align' | 'sorts' | 'cell'> &
  Partial<Pick<StepColumn, 'cell' | 'sorts'>>;

function numeric(column: NumberColumn, digits?: number): StepColumn {
  const cell = (row: StepRow) => {
    const value = column.measure(row);
    if (typeof value !== 'number') return null;
    return digits === undefined ? count(value) : decimal(value, digits);
  };
  return { align: 'end', sorts: 'descending', cell, value: column.measure, ...column };
}

function share(column: Omit<NumberColumn, 'cell' | 'unit'>, color?: string): StepColumn {
  const cell = (row: StepRow) => {
    const value = column.measure(row);
    return typeof value === 'number' ? <ShareCell share={value} color={color} /> : null;
  };
  const value = (row: StepRow) => {
    const part = column.measure(row);
    return typeof part === 'number' ? part * 100 : undefined;
  };
  return numeric({ ...column, unit: '%', cell, value });
}

/** Columns without a value at any step. */
export function unknownStepColumns(rows: readonly StepRow[]): ReadonlySet<string> {
  const isKnown = (column: StepColumn) => rows.some((row) => column.measure(row) !== undefined);
  return new Set(STEP_COLUMNS.filter((one) => one.id !== 'step' && !isKnown(one)).map(({ id }) => id));
}

export const STEP_COLUMNS: readonly StepColumn[] = [
  numeric({
    id: 'step',
    label: 'step',
    minWidth: 42,
    grow: 0,
    sorts: 'ascending',
    measure: (row) => row.step,
    cell: (row) => <b style={{ fontWeight: 600 }}>{row.step}</b>,
  }),
  numeric({ id: 'rollouts', label: 'rollouts', minWidth: 54, measure: (row) => row.rollouts }),
  numeric({ id: 'groups', label: 'groups', minWidth: 46, measure: (row) => row.groups }),
  share(
    {
      id: 'pass',
      label: 'correct',
      hint: 'Correct rollouts among those whose correctness is known',
      minWidth: 76,
      measure: (row) => row.passRate,
    },
    'var(--right)',
  ),
  numeric({
    id: 'reward',
    label: 'reward',
    hint: 'Mean reward',
    minWidth: 50,
    measure: (row) => row.meanReward,
    cell: (row) => reward(row.meanReward),
  }),
  share({
    id: 'noTool',
    label: 'no valid tool call',
    hint: 'Share of rollouts without a valid tool call, those with malformed calls only included',
    minWidth: 112,
    measure: (row) => row.noToolShare,
  }),
  numeric(
    {
      id: 'calls',
      label: 'calls',
      unit: '/rollout',
      hint: 'Tool calls per rollout',
      minWidth: 68,
      measure: (row) => row.toolCallsPerRollout,
    },
    2,
  ),
  share(
    {
      id: 'toolErrors',
      label: 'failed calls',
      hint: 'Share of tool calls that failed. Malformed calls reach no tool and count in Tools only',
      minWidth: 84,
      measure: (row) => row.toolErrorRate,
    },
    'var(--wrong)',
  ),
  numeric(
    {
      id: 'turns',
      label: 'turns',
      hint: 'Mean turns per rollout',
      minWidth: 40,
      measure: (row) => row.meanTurns,
    },
    2,
  ),
  numeric({
    id: 'length',
    label: 'length',
    unit: 'chars',
    hint: 'Mean response length in characters',
    minWidth: 74,
    measure: (row) => row.meanChars,
  }),
  numeric({
    id: 'tokens',
    label: 'tokens',
    hint: 'Mean policy tokens per rollout',
    minWidth: 48,
    measure: (row) => row.meanTokens,
  }),
  numeric(
    {
      id: 'entropy',
      label: 'entropy',
      unit: 'nats',
      hint: 'Mean over the policy tokens whose entropy is logged',
      minWidth: 70,
      measure: (row) => row.meanEntropy,
    },
    3,
  ),
  share({
    id: 'truncated',
    label: 'truncated',
    hint: 'Rollouts that ended at the length limit',
    minWidth: 74,
    measure: (row) => row.truncatedShare,
  }),
  share(
    {
      id: 'kept',
      label: 'kept',
      hint: 'Kept by the down-sampling, of the rollouts with a logged decision',
      minWidth: 76,
      measure: (row) => row.keptShare,
    },
    'var(--kept)',
  ),
  {
    id: 'health',
    label: 'groups',
    name: 'groups by outcome',
    // The cell is a drawing of three numbers, so they are copied as text.
    value: (row) =>
      mixedShare(row) === undefined
        ? undefined
        : `${row.groupsAllWrong} incorrect · ${row.groupsMixed} mixed · ${row.groupsAllRight} correct`,
    unit: '✕ ✓',
    hint: 'Groups that are all incorrect (✕, left), mixed, all correct (✓, right); sorted by the share of mixed ones',
    minWidth: 70,
    sorts: 'descending',
    measure: mixedShare,
    cell: (row) =>
      mixedShare(row) !== undefined && (
        <HealthCell wrong={row.groupsAllWrong} mixed={row.groupsMixed} right={row.groupsAllRight} />
      ),
  },
];
