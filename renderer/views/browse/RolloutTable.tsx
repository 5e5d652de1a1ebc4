/** Rollouts of a step or of a group: ids in order from the host, rows for the visible window. */
import { useMemo, useRef, useState } from 'react';
import type { ParamsOf, RolloutRow } from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { useCompareCommand, useCompareMark } from '../../app/compareSet.ts';
import { useTableCommands } from '../../app/useTableCommands.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { type Place, pathOfPlace } from '../../data/place.ts';
import { useGroupPreviews } from '../../data/useGroupPreviews.ts';
import { useHeld } from '../../data/useHeld.ts';
import { goTo } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { type IndexRange, useRolloutWindow } from '../../data/useRowWindow.ts';
import { listPosition, rememberListPosition } from '../../state/listMemory.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import type { Sort } from '../../ui/sorting.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { FilterNote } from './FilterNote.tsx';
import { FreshBadge } from './FreshBadge.tsx';
import { freshRows } from './holdModel.ts';
import { knownColumnIds, problemColumn, ROLLOUT_COLUMNS } from './rolloutColumns.tsx';
import { useListHold } from './useListHold.ts';
import { useUrlSort } from './useUrlSort.ts';

type Filter = Omit<ParamsOf<'rollout.order'>, 'sort'>;

interface RolloutTableProps {
  readonly runKey: string;
  readonly filter: Filter;
  readonly label: string;
  /** Inside one group every row has the same problem. */
  readonly hidesProblem: boolean;
  readonly emptyTitle: string;
  /** Rollouts without the filter, where that is known. */
  readonly total?: number | undefined;
}

export const ROLLOUT_SORT: Sort = { column: 'ordinal', direction: 'ascending' };
const STEP_SORT: Sort = { column: 'order', direction: 'ascending' };
const NO_CHUNKS: readonly (readonly RolloutRow[])[] = [];
const FIRST_WINDOW: IndexRange = { first: 0, end: 60 };

export function RolloutTable({ runKey, filter, label, hidesProblem, emptyTitle, total }: RolloutTableProps) {
  const [sort, setSort] = useUrlSort(
    ['order', ...ROLLOUT_COLUMNS.map((column) => column.id)],
    hidesProblem ? ROLLOUT_SORT : STEP_SORT,
  );
  const sortColumn = ROLLOUT_COLUMNS.find((one) => one.id === sort.column)?.id;
  const by = sortColumn === undefined ? 'order' : sortColumn === 'problem' ? 'problemId' : sortColumn;
  const link = useFilterLink();
  const text = bothFilters(link.applied, filter.filter ?? '');
  const params = { ...filter, filter: text, sort: [{ by, direction: sort.direction }] };
  const order = useRequest('rollout.order', params, { keepPrevious: true });
  const orderKey = JSON.stringify(params);
  const [range, setRange] = useState<IndexRange>(FIRST_WINDOW);
  const latest = order.isPlaceholderData ? undefined : order.data?.ids;
  const held = useHeld(orderKey, latest, useListHold(runKey).isHeld);
  const ids = held.value;
  const rows = useRolloutWindow(ids, range);
  const table = useTableCommands();
  useCompareCommand(() => table.current?.cursorHref());
  const compareMark = useCompareMark();

  const shown = useRef<ReadonlySet<string>>(new Set());
  const loaded: RolloutRow[] = [];
  for (let i = range.first; i < range.end; i += 1) {
    const row = rows.rowAt(i);
    if (row !== undefined) loaded.push(row);
  }
  shown.current = knownColumnIds(loaded, shown.current);
  const visible = shown.current;
  const groups = useGroupPreviews(hidesProblem ? NO_CHUNKS : rows.chunks);
  const columns = useMemo(() => {
    const own = ROLLOUT_COLUMNS.filter((one) => visible.has(one.id) && one.id !== 'problem');
    if (hidesProblem) return own;
    const marks = own.filter((one) => one.id === 'kept');
    return [...marks, problemColumn(groups), ...own.filter((one) => one.id !== 'kept')];
  }, [visible, hidesProblem, groups]);

  if (order.error !== null) {
    return (
      <FailedState
        title="These rollouts could not be listed"
        error={order.error}
        onRetry={() => void order.refetch()}
      />
    );
  }
  if (ids === undefined) return <WaitingState title="Sorting rollouts…" />;
  if (ids.length === 0) {
    return <EmptyState title={link.applied === '' ? emptyTitle : 'No rollout matches the filter'} />;
  }
  const placeOf = ({ step, groupKey, ordinal }: RolloutRow): Place => ({
    view: 'rollout',
    runKey,
    step,
    groupKey,
    ordinal,
  });
  const list = `rollouts ${runKey} ${JSON.stringify(filter)} ${sort.column} ${sort.direction} ${text}`;
  return (
    <div className="list-column">
      {held.isBehind && latest !== undefined && held.value !== undefined && (
        <FreshBadge text={freshRows(held.value, latest)} onShow={held.showNew} />
      )}
      {text !== '' && (
        <FilterNote what="rollout" matches={ids.length} total={total} isNews={order.isPlaceholderData} />
      )}
      <div className="list-rest">
        <VirtualTable
          key={list}
          handle={table}
          label={label}
          columns={columns}
          count={ids.length}
          rowAt={rows.rowAt}
          isQuiet={(row) => row.kept === false}
          markOf={(row) => compareMark(pathOfPlace(placeOf(row)))}
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
