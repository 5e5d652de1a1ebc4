/** Prompt groups of a step. */
import { useState } from 'react';
import type { GroupRow } from '../../../shared/api/contract.ts';
import { useTableCommands } from '../../app/useTableCommands.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { type Place, pathOfPlace } from '../../data/place.ts';
import { useHeld } from '../../data/useHeld.ts';
import { goTo } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { type IndexRange, useGroupWindow } from '../../data/useRowWindow.ts';
import { listPosition, rememberListPosition } from '../../state/listMemory.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { FilterNote } from './FilterNote.tsx';
import { FreshBadge } from './FreshBadge.tsx';
import { GROUP_COLUMNS, GROUP_SORT_IDS } from './groupColumns.tsx';
import { freshRows } from './holdModel.ts';
import { useListHold } from './useListHold.ts';
import { useUrlSort } from './useUrlSort.ts';

const BY_ORDER = { column: 'order', direction: 'ascending' } as const;
const FIRST_WINDOW: IndexRange = { first: 0, end: 60 };

interface GroupTableProps {
  readonly runKey: string;
  readonly runId: number;
  readonly step: number;
  readonly label: string;
  /** Groups without the filter, where that is known. */
  readonly total?: number | undefined;
}

export function GroupTable({ runKey, runId, step, label, total }: GroupTableProps) {
  const [sort, setSort] = useUrlSort(GROUP_SORT_IDS, BY_ORDER);
  const column = GROUP_SORT_IDS.find((one) => one === sort.column) ?? 'order';
  const text = useFilterLink().applied;
  const params = { runId, step, filter: text, sort: column, direction: sort.direction } as const;
  const order = useRequest('group.order', params, { keepPrevious: true });
  const orderKey = JSON.stringify(params);
  const [range, setRange] = useState<IndexRange>(FIRST_WINDOW);
  const latest = order.isPlaceholderData ? undefined : order.data?.ids;
  const held = useHeld(orderKey, latest, useListHold(runKey).isHeld);
  const ids = held.value;
  const rows = useGroupWindow(ids, range);
  const table = useTableCommands();

  if (order.error !== null) {
    return (
      <FailedState
        title="These groups could not be listed"
        error={order.error}
        onRetry={() => void order.refetch()}
      />
    );
  }
  if (ids === undefined) return <WaitingState title="Sorting groups…" />;
  if (ids.length === 0) {
    const title = text === '' ? 'There are no groups yet' : 'No group has a rollout that matches the filter';
    return <EmptyState title={title} />;
  }
  const length = Math.max(0, range.end - range.first);
  const loaded = Array.from({ length }, (_, i) => rows.rowAt(range.first + i)).filter(
    (row) => row !== undefined,
  );
  const isKnown = (has: (row: GroupRow) => boolean) => loaded.length === 0 || loaded.some(has);
  const columns = GROUP_COLUMNS.filter(
    (column) =>
      (column.id !== 'kept' || isKnown((row) => row.decided > 0)) &&
      (column.id !== 'truth' || isKnown((row) => row.groundTruth !== undefined)),
  );
  const placeOf = ({ groupKey }: GroupRow): Place => ({ view: 'group', runKey, step, groupKey });
  const list = `groups ${runKey} ${step} ${sort.column} ${sort.direction} ${text}`;
  return (
    <div className="list-column">
      {held.isBehind && latest !== undefined && held.value !== undefined && (
        <FreshBadge text={freshRows(held.value, latest)} onShow={held.showNew} />
      )}
      {text !== '' && (
        <FilterNote what="group" matches={ids.length} total={total} isNews={order.isPlaceholderData} />
      )}
      <div className="list-rest">
        <VirtualTable
          key={list}
          handle={table}
          label={label}
          columns={columns}
          count={ids.length}
          rowAt={rows.rowAt}
          sort={sort}
          onSort={setSort}
          onOpen={(row) => goTo(placeOf(row))}
          hrefOf={(row) => pathOfPlace(placeOf(row))}
          onWindow={setRange}
          position={listPosition(list)}
          onPosition={(position) => rememberListPosition(list, position)}
        />
      </div>
    </div>
  );
}
