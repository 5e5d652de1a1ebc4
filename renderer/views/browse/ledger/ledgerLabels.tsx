import { LabelNames } from '../labelColumn.tsx';
import { column, type LedgerColumn } from './column.ts';

/** What readers have said of the rollouts of the group; sorted so that the same labels lie together. */
export function labelColumn(): LedgerColumn {
  return column({
    id: 'labels',
    label: 'labels',
    hint: 'Labels readers have given it or parts of it',
    minWidth: 90,
    grow: 1,
    sorts: 'ascending',
    measure: ({ rollout }) => rollout?.labels?.join(' '),
    cell: ({ rollout }) => <LabelNames ids={rollout?.labels} />,
  });
}
