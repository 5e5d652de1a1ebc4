/** Prompt groups of a step. */
import { useMemo, useState } from 'react';
import type { GroupRow } from '../../../shared/api/contract.ts';
import { isHashedId } from '../../../shared/domain/question.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { goTo } from '../../data/useRoute.ts';
import { type IndexRange, useGroupWindow } from '../../data/useRowWindow.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { FailedState } from '../../ui/States.tsx';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { FilterNote, ListUnderWay, NoMatch } from '../tables/ListNotes.tsx';
import { FreshBadge, freshRows, useFrozenList } from '../tables/useFrozenList.tsx';
import { useTableCommands } from '../tables/useTableCommands.ts';
import { useTableFilter } from '../tables/useTableFilter.ts';
import { useTableLayout } from '../tables/useTableLayout.ts';
import { useUrlSort } from '../tables/useUrlSort.ts';
import { GROUP_COLUMNS, GROUP_SORT_IDS, matchColumn } from './groupColumns.tsx';
import { rowsById } from './selectedRows.ts';

const BY_ORDER = { column: 'order', direction: 'ascending' } as const;
const FIRST_WINDOW: IndexRange = { first: 0, end: 60 };

interface GroupTableProps {
  readonly runKey: string;
  readonly step: number;
  readonly label: string;
  /** Number of groups without the filter, if known. */
  readonly total?: number | undefined;
}

export function GroupTable({ runKey, step, label, total }: GroupTableProps) {
  const [sort, setSort] = useUrlSort(GROUP_SORT_IDS, BY_ORDER);
  const column = GROUP_SORT_IDS.find((one) => one === sort.column) ?? 'order';
  const text = useFilterLink().applied;
  const params = {
    runKey,
    step,
    filter: text,
    sort: column,
    direction: sort.direction,
    withRows: true,
  } as const;
  const order = useLongQuery('group.order', params);
  const orderKey = JSON.stringify(params);
  const [range, setRange] = useState<IndexRange>(FIRST_WINDOW);
  // Ids and matches of groups are frozen together.
  const answer = useMemo(
    () =>
      order.data && {
        ids: order.data.ids,
        matches: order.data.matches,
        length: order.data.ids.length,
      },
    [order.data],
  );
  const latest = order.isFormer ? undefined : answer;
  // Freeze the list while rows are selected.
  const [selected, setSelected] = useState(0);
  const held = useFrozenList(orderKey, latest, selected > 0);
  const ids = held.value?.ids;
  const matchesOf = useMemo(() => matchesById(held.value), [held.value]);
  const rows = useGroupWindow(ids, range);
  const table = useTableCommands();
  useCommands({ 'row.select': () => table.current?.toggle() });
  const arrangement = useTableLayout('groups');
  const tableFilter = useTableFilter<GroupRow>();
  const client = useClient();
  const setNotice = useInterface((state) => state.setNotice);

  if (order.error !== null) {
    return (
      <FailedState
        title="These groups could not be listed"
        error={order.error}
        onRetry={() => void order.restart()}
      />
    );
  }
  if (ids === undefined) return <ListUnderWay what="groups" order={order} />;
  const note = text !== '' && <FilterNote what="group" matches={ids.length} total={total} order={order} />;
  if (ids.length === 0) {
    const title = text === '' ? 'There are no groups yet' : 'No group has a rollout that matches the filter';
    return (
      <div className="list-column">
        {note}
        <NoMatch title={title} within={{ runKey, step }} />
      </div>
    );
  }
  const length = Math.max(0, range.end - range.first);
  const loaded = Array.from({ length }, (_, i) => rows.rowAt(range.first + i)).filter(
    (row) => row !== undefined,
  );
  const isKnown = (has: (row: GroupRow) => boolean) => loaded.length === 0 || loaded.some(has);
  const unknown = new Set<string>();
  if (!isKnown((row) => row.decided > 0)) unknown.add('kept');
  if (!isKnown((row) => row.groundTruth !== undefined)) unknown.add('truth');
  if (!isKnown((row) => row.correctKnown > 0)) unknown.add('correct');
  if (!isKnown((row) => row.meanReward !== undefined)) unknown.add('meanReward');
  if (!isKnown((row) => (row.toolCalls ?? 0) > 0)) unknown.add('toolErrors');
  // A hash says nothing that the prompt beside it does not.
  if (!isKnown((row) => !isHashedId(row.problemId) || row.promptPreview === '')) unknown.add('problemId');
  const columns =
    matchesOf === undefined
      ? GROUP_COLUMNS
      : GROUP_COLUMNS.flatMap((one) => (one.id === 'rollouts' ? [matchColumn(matchesOf), one] : [one]));
  const rowsOf = rowsById(
    ids,
    (groupIds, signal) => client.request('group.rows', { groupIds }, { signal }),
    (row: GroupRow) => row.groupId,
  );
  // A group keeps the list's filter when it is opened.
  const search = text === '' ? '' : `?${new URLSearchParams({ q: text })}`;
  const routeOf = ({ groupKey }: GroupRow): Route => ({ view: 'group', runKey, step, groupKey });
  const list = `groups ${runKey} ${step} ${sort.column} ${sort.direction} ${text}`;
  return (
    <div className="list-column">
      {held.isBehind && latest !== undefined && held.value !== undefined && (
        <FreshBadge text={freshRows(held.value.ids, latest.ids)} onShow={held.showNew} />
      )}
      {note}
      <div className="list-rest">
        <VirtualTable
          key={list}
          handle={table}
          label={label}
          columns={columns}
          unknown={unknown}
          arrangement={arrangement}
          filter={tableFilter}
          selection={{ of: ids, rowsOf, notify: setNotice, onCount: setSelected }}
          count={ids.length}
          rowAt={rows.rowAt}
          sort={sort}
          onSort={setSort}
          onOpen={(row) => goTo(routeOf(row), search)}
          hrefOf={(row) => pathOfRoute(routeOf(row)) + search}
          onWindow={setRange}
          position={listPosition(list)}
          onPosition={(position) => rememberListPosition(list, position)}
        />
      </div>
    </div>
  );
}

interface GroupAnswer {
  readonly ids: Uint32Array;
  readonly matches: Uint32Array | undefined;
}

function matchesById(answer: GroupAnswer | undefined): ReadonlyMap<number, number> | undefined {
  const { ids, matches } = answer ?? {};
  if (ids === undefined || matches === undefined) return undefined;
  return new Map(Array.from(ids, (id, i) => [id, matches[i] ?? 0]));
}
