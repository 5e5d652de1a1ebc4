/** The map as numbers: a row for each problem and step with matching rollouts. */

import { useMemo } from 'react';
import { plainLogText } from '../../ui/LogText.tsx';
import { percent } from '../../ui/numbers.ts';
import { type Column, VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import {
  type MapCell,
  type MapPoint,
  type MapRow,
  mapName,
  nameHint,
  type ProblemSort,
  type Regression,
  rateOf,
} from './mapModel.ts';

interface Entry {
  readonly row: MapRow;
  readonly cell: MapCell;
  readonly point: MapPoint;
}

interface MapTableProps {
  /** In the page's order. */
  readonly rows: readonly MapRow[];
  /** Names of the steps. '' if the log has none. */
  readonly steps: readonly string[];
  readonly sort: ProblemSort;
  readonly onOpen: (point: MapPoint) => void;
}

/** A row for each cell. When sorted by regression, a row for each problem with the two compared steps. */
export function MapTable({ rows, steps, sort, onOpen }: MapTableProps) {
  const entries = useMemo(
    () =>
      rows.flatMap((row, at) =>
        cellsOf(row, sort).map((cell) => ({ row, cell, point: { row: at, step: cell.step } })),
      ),
    [rows, sort],
  );
  const columns = useMemo(
    () => (sort === 'regressed' ? regressionColumns(steps) : columnsOf(steps)),
    [steps, sort],
  );
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

function cellsOf({ cells, regression }: MapRow, sort: ProblemSort): readonly MapCell[] {
  if (sort !== 'regressed') return cells;
  return regression === undefined ? [] : [regression.last];
}

const PROBLEM_COLUMN: Column<Entry> = {
  ...{ id: 'problem', label: 'problem', minWidth: 180, grow: 1 },
  cell: ({ row }) => <span title={plainLogText(nameHint(row))}>{mapName(row)}</span>,
};

function regressionColumns(steps: readonly string[]): readonly Column<Entry>[] {
  const column = (id: string, label: string, of: (regression: Regression) => string): Column<Entry> => ({
    ...{ id, label, align: 'end', minWidth: 110 },
    cell: ({ row: { regression } }) => (regression === undefined ? null : of(regression)),
  });
  const correctIn = ({ correct, known }: MapCell): string => `${correct} of ${known}`;
  return [
    PROBLEM_COLUMN,
    column('best', 'best step', ({ best }) => steps[best.step] ?? ''),
    column('bestCorrect', 'correct there', ({ best }) => correctIn(best)),
    column('last', 'last step', ({ last }) => steps[last.step] ?? ''),
    column('lastCorrect', 'correct there', ({ last }) => correctIn(last)),
    column('fall', 'fall, points', ({ fall }) => percent(fall)),
  ];
}

function columnsOf(steps: readonly string[]): readonly Column<Entry>[] {
  const number = (id: string, label: string, of: (cell: MapCell) => string | number): Column<Entry> => ({
    ...{ id, label, align: 'end', minWidth: 80 },
    cell: ({ cell }) => of(cell),
  });
  return [
    PROBLEM_COLUMN,
    number('step', 'step', ({ step }) => steps[step] ?? ''),
    number('rate', 'correct %', (cell) => percent(rateOf(cell))),
    number('correct', 'correct', ({ correct, known }) => (known === 0 ? '' : correct)),
    number('known', 'judged', ({ known }) => known),
    number('rollouts', 'rollouts', ({ rollouts }) => rollouts),
    number('answers', 'answers', ({ answers }) => (answers === 0 ? '' : answers)),
  ];
}
