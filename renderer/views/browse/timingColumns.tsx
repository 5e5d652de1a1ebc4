/** How long a rollout took and where it ran, for logs that say it. */
import { decimal } from '../../ui/numbers.ts';
import type { RolloutColumn } from './rolloutColumns.tsx';

export const TIMING_COLUMNS: readonly RolloutColumn[] = [
  {
    id: 'duration',
    label: 'duration',
    unit: 's',
    value: (row) => row.duration,
    filterField: 'duration',
    hint: 'Seconds from start to end, else as logged',
    align: 'end',
    minWidth: 62,
    isKnown: (row) => row.duration !== undefined,
    cell: (row) => decimal(row.duration, 1),
  },
  placeColumn('worker', 'Of the rollout engine, as logged'),
  placeColumn('gpu', 'One, or several of one engine'),
];

function placeColumn(id: 'worker' | 'gpu', hint: string): RolloutColumn {
  return {
    id,
    label: id,
    value: (row) => row[id],
    filterField: id,
    hint,
    minWidth: 74,
    isKnown: (row) => row[id] !== undefined,
    cell: (row) => <bdi title={row[id]}>{row[id]}</bdi>,
  };
}
