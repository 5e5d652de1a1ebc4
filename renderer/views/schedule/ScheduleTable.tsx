/** The timeline as numbers: a row for each rollout that runs in the visible span, in the order of the lanes. */
import { useMemo, useState } from 'react';
import type { RolloutRow, StepSchedule } from '../../../shared/api/contract.ts';
import { type IndexRange, useRolloutWindow } from '../../data/useRowWindow.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { type Bar, barsWithin } from './scheduleLabels.ts';
import type { Span } from './scheduleModel.ts';

interface Entry {
  readonly bar: Bar;
  /** Undefined while loading. */
  readonly row: RolloutRow | undefined;
}

interface ScheduleTableProps {
  readonly schedule: StepSchedule;
  readonly span: Span;
  /** @param bar its index in the schedule */
  readonly onOpen: (bar: number) => void;
}

export function ScheduleTable({ schedule, span, onOpen }: ScheduleTableProps) {
  const [range, setRange] = useState<IndexRange>({ first: 0, end: 0 });
  const bars = useMemo(() => barsWithin(schedule, span), [schedule, span]);
  const ids = useMemo(() => Uint32Array.from(bars, ({ rolloutId }) => rolloutId), [bars]);
  const table = useTableCommands();
  const { rowAt } = useRolloutWindow(ids, range);
  return (
    <div className="page-list">
      <VirtualTable
        handle={table}
        label="Rollouts by worker over time, numbers"
        columns={COLUMNS}
        count={bars.length}
        rowAt={(index) => {
          const bar = bars[index];
          return bar === undefined ? undefined : { bar, row: rowAt(index) };
        }}
        onWindow={setRange}
        onOpen={({ bar }) => onOpen(bar.index)}
      />
    </div>
  );
}

const number = (id: string, label: string, of: (bar: Bar) => string): Column<Entry> => ({
  ...{ id, label, align: 'end', minWidth: 70 },
  cell: ({ bar }) => of(bar),
});

const COLUMNS: readonly Column<Entry>[] = [
  {
    ...{ id: 'rollout', label: 'rollout', minWidth: 160, grow: 1 },
    cell: ({ row }) => (row === undefined ? '…' : `${row.groupKey} #${row.ordinal}`),
  },
  { ...{ id: 'lane', label: 'worker', minWidth: 110, grow: 1 }, cell: ({ bar }) => bar.lane },
  number('start', 'start', ({ start }) => start),
  number('end', 'end', ({ end }) => end),
  number('lasted', 'duration', ({ lasted }) => lasted),
  { ...{ id: 'result', label: 'result', minWidth: 70 }, cell: ({ bar }) => bar.result },
  number('reward', 'reward', ({ reward }) => reward),
  number('turns', 'turns', ({ turns }) => turns),
  number('tokens', 'tokens', ({ tokens }) => tokens),
  number('waits', 'tool waits', ({ waits }) => waits),
  { ...{ id: 'notes', label: 'notes', minWidth: 120 }, cell: ({ bar }) => bar.notes },
];
