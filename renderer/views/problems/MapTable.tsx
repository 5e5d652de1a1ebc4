/** The map in numbers: a row for each problem and step with matching rollouts. */
import { useMemo } from 'react';
import { percent } from '../../ui/numbers.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { type MapCell, type MapPoint, type MapRow, nameHint, problemName, rateOf } from './mapModel.ts';

interface Entry {
  readonly row: MapRow;
  readonly cell: MapCell;
  readonly point: MapPoint;
}

interface MapTableProps {
  /** In the order of the page. */
  readonly rows: readonly MapRow[];
  /** Names of the steps; '' where the log knows none. */
  readonly steps: readonly string[];
  readonly onOpen: (point: MapPoint) => void;
}

export function MapTable({ rows, steps, onOpen }: MapTableProps) {
  const entries = useMemo(
    () =>
      rows.flatMap((row, at) =>
        row.cells.map((cell) => ({ row, cell, point: { row: at, step: cell.step } })),
      ),
    [rows],
  );
  const columns = useMemo(() => columnsOf(steps), [steps]);
  const table = useTableCommands();
  return (
    <VirtualTable
      handle={table}
      label="Pass rate of problems by step, numbers"
      columns={columns}
      count={entries.length}
      rowAt={(index) => entries[index]}
      onOpen={({ point }) => onOpen(point)}
    />
  );
}

function columnsOf(steps: readonly string[]): readonly Column<Entry>[] {
  const number = (id: string, label: string, of: (cell: MapCell) => string | number): Column<Entry> => ({
    ...{ id, label, align: 'end', minWidth: 80 },
    cell: ({ cell }) => of(cell),
  });
  return [
    {
      ...{ id: 'problem', label: 'problem', minWidth: 180, grow: 1 },
      cell: ({ row }) => <span title={nameHint(row)}>{problemName(row)}</span>,
    },
    number('step', 'step', ({ step }) => steps[step] ?? ''),
    number('rate', 'correct %', (cell) => percent(rateOf(cell))),
    number('correct', 'correct', ({ correct, known }) => (known === 0 ? '' : correct)),
    number('known', 'judged', ({ known }) => known),
    number('rollouts', 'rollouts', ({ rollouts }) => rollouts),
    number('answers', 'answers', ({ answers }) => (answers === 0 ? '' : answers)),
  ];
}
