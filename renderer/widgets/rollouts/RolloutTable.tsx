/** Rollouts of a run, a step or a group. The host sends all ids in order; rows are loaded for the visible window. */

import { useQueries } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import {
  type GroupRow,
  isScoreSort,
  type ParamsOf,
  type RolloutRow,
  type RolloutSort,
  rolloutSortNamed,
} from '../../../shared/api/contract.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { useFilterLink } from '../../data/filterLink.ts';
import { listSearch } from '../../data/rolloutListLink.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { requestKey } from '../../data/useRequest.ts';
import { goTo } from '../../data/useRoute.ts';
import { type IndexRange, useRolloutWindow } from '../../data/useRowWindow.ts';
import { useCompareCommand, useCompareMark } from '../../shell/compareSet.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { FailedState } from '../../ui/States.tsx';
import { type Sort, sortsText } from '../../ui/sorting.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { FilterNote, ListUnderWay, NoMatch } from '../tables/ListNotes.tsx';
import { FreshBadge, freshRows, useFrozenList } from '../tables/useFrozenList.tsx';
import { useTableCommands } from '../tables/useTableCommands.ts';
import { useTableFilter } from '../tables/useTableFilter.ts';
import { useTableLayout } from '../tables/useTableLayout.ts';
import { useUrlSorts } from '../tables/useUrlSort.ts';
import {
  FIELD_COLUMNS,
  GROUND_TRUTH_COLUMN,
  knownColumnIds,
  PROBLEM_ID_COLUMN,
  promptColumn,
  promptsBeginAlike,
  ROLLOUT_COLUMNS,
  STEP_COLUMN,
} from './rolloutColumns.tsx';
import { SelectionActions } from './SelectionActions.tsx';
import { ScoreNote, scoreColumns, scoreNames } from './scoreColumns.tsx';
import { rowsById } from './selectedRows.ts';

type Filter = Omit<ParamsOf<'rollout.order'>, 'sort'>;

interface RolloutTableProps {
  readonly runKey: string;
  readonly filter: Filter;
  readonly label: string;
  /** Within one group all rows have the same problem. */
  readonly hidesProblem: boolean;
  readonly emptyTitle: string;
  /** Number of rollouts without the filter, if known. */
  readonly total?: number | undefined;
  /** Name of a ready-made list, which says why a rollout is in it. The replay repeats it. */
  readonly listName?: string;
  /** A link beside the number of matches. */
  readonly aside?: ReactNode;
}

const ROLLOUT_SORT: Sort = { column: 'ordinal', direction: 'ascending' };
const STEP_SORT: Sort = { column: 'order', direction: 'ascending' };
const SORTED_COLUMNS: ReadonlySet<string> = new Set([
  'order',
  STEP_COLUMN.id,
  ...FIELD_COLUMNS.map((column) => column.id),
]);
const NO_CHUNKS: readonly (readonly RolloutRow[])[] = [];
const FIRST_WINDOW: IndexRange = { first: 0, end: 60 };

export function RolloutTable(props: RolloutTableProps) {
  const { runKey, filter, label, hidesProblem, emptyTitle, total, listName, aside } = props;
  const isOfRun = filter.step === undefined && filter.groupId === undefined;
  const [sorts, setSort] = useUrlSorts(
    (column) => SORTED_COLUMNS.has(column) || isScoreSort(column),
    hidesProblem ? ROLLOUT_SORT : STEP_SORT,
  );
  const link = useFilterLink();
  const text = bothFilters(link.applied, filter.filter ?? '');
  const params = {
    ...filter,
    filter: text,
    sort: sorts.map(({ column, direction }) => ({ by: sortedFieldOf(column), direction })),
    withRows: true,
  };
  const order = useLongQuery('rollout.order', params);
  const orderKey = JSON.stringify(params);
  const [range, setRange] = useState<IndexRange>(FIRST_WINDOW);
  const latest = order.isFormer ? undefined : order.data?.ids;
  // Freeze the list while rows are selected.
  const [selected, setSelected] = useState(0);
  const held = useFrozenList(orderKey, latest, selected > 0);
  const ids = held.value;
  const rows = useRolloutWindow(ids, range);
  const table = useTableCommands();
  useCommands({ 'row.select': () => table.current?.toggle() });
  const arrangement = useTableLayout('rollouts');
  const tableFilter = useTableFilter<RolloutRow>();
  const client = useClient();
  const setNotice = useInterface((state) => state.setNotice);
  useCompareCommand(() => table.current?.cursorHref()?.split('?')[0]);
  const compareMark = useCompareMark();

  const shown = useRef<ReadonlySet<string>>(new Set());
  const loaded: RolloutRow[] = [];
  for (let i = range.first; i < range.end; i += 1) {
    const row = rows.rowAt(i);
    if (row !== undefined) loaded.push(row);
  }
  shown.current = knownColumnIds(loaded, shown.current);
  const groups = useGroupPreviews(hidesProblem ? NO_CHUNKS : rows.chunks);
  const isAlike = useMemo(() => promptsBeginAlike(groups.values()), [groups]);
  if (isAlike && !shown.current.has(PROBLEM_ID_COLUMN.id))
    shown.current = new Set([...shown.current, PROBLEM_ID_COLUMN.id]);
  const visible = shown.current;
  const hasIds = visible.has(PROBLEM_ID_COLUMN.id);
  // Kept while other rows are loading, so that the bar does not come and go.
  const hasCalls = useRef(false);
  hasCalls.current ||= loaded.some(({ toolCalls = 0 }) => toolCalls > 0);
  const scored = useRef<readonly string[]>([]);
  scored.current = scoreNames(loaded, scored.current);
  const scores = scored.current;
  const columns = useMemo(() => {
    const own = ROLLOUT_COLUMNS.flatMap((one) => {
      if (one.id === 'reward') return [one, ...scoreColumns(scores)];
      return one.id === 'answer' && !hidesProblem ? [one, GROUND_TRUTH_COLUMN] : [one];
    });
    if (hidesProblem) return own;
    const marks = own.filter((one) => one.id === 'kept');
    const steps = isOfRun ? [STEP_COLUMN] : [];
    const problem = [PROBLEM_ID_COLUMN, promptColumn(groups, hasIds)];
    return [...marks, ...steps, ...problem, ...own.filter((one) => one.id !== 'kept')];
  }, [hidesProblem, groups, hasIds, isOfRun, scores]);
  const unknown = useMemo(
    () => new Set(FIELD_COLUMNS.map(({ id }) => id).filter((id) => !visible.has(id))),
    [visible],
  );

  if (order.error !== null) {
    return (
      <FailedState
        title="These rollouts could not be listed"
        error={order.error}
        onRetry={() => void order.restart()}
      />
    );
  }
  if (ids === undefined) return <ListUnderWay what="rollouts" order={order} />;
  const note = text !== '' && (
    <FilterNote what="rollout" matches={ids.length} total={total} order={order}>
      {ids.length > 0 && aside}
    </FilterNote>
  );
  if (ids.length === 0) {
    return (
      <div className="list-column">
        {note}
        <NoMatch
          title={link.applied === '' ? emptyTitle : 'No rollout matches the filter'}
          within={filter}
          total={total}
        />
      </div>
    );
  }
  const routeOf = ({ step, groupKey, ordinal }: RolloutRow): Route => ({
    view: 'rollout',
    runKey,
    step,
    groupKey,
    ordinal,
  });
  // Previous and next in the replay follow a filtered list.
  const search = listSearch({
    of: isOfRun ? 'run' : filter.groupId === undefined ? 'step' : 'group',
    filter: text,
    name: listName,
    sort: sortsText(sorts.map(({ column, direction }) => ({ column: sortedFieldOf(column), direction }))),
  });
  const list = `rollouts ${runKey} ${JSON.stringify(filter)} ${sortsText(sorts)} ${text}`;
  const rowsOf = rowsById(
    ids,
    (rolloutIds, signal) => client.request('rollout.rows', { rolloutIds }, { signal }),
    (row: RolloutRow) => row.rolloutId,
  );
  return (
    <div className="list-column">
      {held.isBehind && latest !== undefined && held.value !== undefined && (
        <FreshBadge text={freshRows(held.value, latest)} onShow={held.showNew} />
      )}
      {note}
      <ScoreNote names={scores} />
      <div className="list-rest">
        <VirtualTable
          key={list}
          handle={table}
          label={label}
          columns={columns}
          unknown={unknown}
          arrangement={arrangement}
          filter={tableFilter}
          selection={{
            of: ids,
            rowsOf,
            notify: setNotice,
            onCount: setSelected,
            hasListActions: hasCalls.current,
            actions: (chosen) => (
              <SelectionActions
                chosen={chosen}
                allIds={ids}
                runKey={runKey}
                pathOf={(row) => pathOfRoute(routeOf(row))}
                idOf={({ rolloutId }) => rolloutId}
              />
            ),
          }}
          count={ids.length}
          rowAt={rows.rowAt}
          isQuiet={(row) => row.kept === false}
          markOf={(row) => compareMark(pathOfRoute(routeOf(row)))}
          sort={sorts}
          canSortFurther
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

/** `order` for a column that cannot be sorted. */
function sortedFieldOf(column: string): RolloutSort {
  return rolloutSortNamed(column) ?? 'order';
}

/** The groups of loaded rollouts, which provide the problem's text for the rows of a step's list. */
function useGroupPreviews(chunks: readonly (readonly RolloutRow[])[]): ReadonlyMap<number, GroupRow> {
  const client = useClient();
  return useQueries({
    queries: chunks.map((rows) => {
      const groupIds = [...new Set(rows.map((row) => row.groupId))];
      return {
        queryKey: requestKey('group.rows', { groupIds }),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          client.request('group.rows', { groupIds }, { signal }),
      };
    }),
    combine: (results) => {
      const groups = new Map<number, GroupRow>();
      for (const result of results) for (const group of result.data ?? []) groups.set(group.groupId, group);
      return groups;
    },
  });
}
