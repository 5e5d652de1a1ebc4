import { useMemo } from 'react';
import { type RolloutRow, rolloutSortNamed } from '../../../shared/api/contract.ts';
import { ApiError } from '../../../shared/api/errors.ts';
import { bothFilters } from '../../../shared/domain/filter/print.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { Button } from '../../ui/Controls.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState } from '../../ui/States.tsx';
import { type Sort, sortsText } from '../../ui/sorting.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { FilterNote, ListUnderWay } from '../tables/ListNotes.tsx';
import { useTableCommands } from '../tables/useTableCommands.ts';
import { useTableFilter } from '../tables/useTableFilter.ts';
import { useTableLayout } from '../tables/useTableLayout.ts';
import { useUrlSorts } from '../tables/useUrlSort.ts';
import {
  FIELD_COLUMNS,
  knownColumnIds,
  PROBLEM_ID_COLUMN,
  ROLLOUT_COLUMNS,
  STEP_COLUMN,
} from './rolloutColumns.tsx';
import { scoreColumns, scoreNames } from './scoreColumns.tsx';

const LOG_ORDER: Sort = { column: 'order', direction: 'ascending' };
const SORTED: ReadonlySet<string> = new Set(['order', STEP_COLUMN.id, ...FIELD_COLUMNS.map(({ id }) => id)]);
const NONE: ReadonlySet<string> = new Set();
const NO_ROWS: readonly RolloutRow[] = [];

interface WarehouseRolloutsProps {
  readonly runKey: string;
  /** In addition to the filter of the link. */
  readonly filter: string;
  readonly label: string;
}

/** The first rollouts of a run in the warehouse. One is copied with its step when it is opened. */
export function WarehouseRollouts({ runKey, filter, label }: WarehouseRolloutsProps) {
  const [sorts, setSort] = useUrlSorts((column) => SORTED.has(column), LOG_ORDER);
  const link = useFilterLink();
  const text = bothFilters(link.applied, filter);
  const found = useLongQuery('warehouse.rollouts', {
    ...{ run: runKey, filter: text },
    sort: sorts.map(({ column, direction }) => ({ by: rolloutSortNamed(column) ?? 'order', direction })),
  });
  const [, setQuery] = useUrlQuery();
  const table = useTableCommands();
  useCommands({ 'row.select': () => table.current?.toggle() });
  const arrangement = useTableLayout('rollouts');
  const tableFilter = useTableFilter<RolloutRow>();
  const setNotice = useInterface((state) => state.setNotice);
  const rows = useMemo(
    // Rows of a list have ids of the library. These are positions, and no request is made with them.
    () => found.data?.rollouts.map((row, i): RolloutRow => ({ ...row, rolloutId: i, groupId: i })) ?? NO_ROWS,
    [found.data],
  );
  const columns = useMemo(() => {
    const own = ROLLOUT_COLUMNS.filter(({ id }) => id !== 'labels');
    const scores = scoreColumns(scoreNames(rows)).map(({ sorts: _, ...column }) => column);
    return [
      ...own.filter(({ id }) => id === 'kept'),
      ...[STEP_COLUMN, PROBLEM_ID_COLUMN],
      ...own.flatMap((column) =>
        column.id === 'kept' ? [] : column.id === 'reward' ? [column, ...scores] : [column],
      ),
    ];
  }, [rows]);
  const unknown = useMemo(() => {
    const known = knownColumnIds(rows, NONE);
    return new Set(FIELD_COLUMNS.map(({ id }) => id).filter((id) => !known.has(id)));
  }, [rows]);
  if (found.error instanceof ApiError && found.error.code === 'bad_request')
    return (
      <EmptyState title="The warehouse does not know this filter">
        <p className="state-facts">{found.error.message}</p>
        <Button onClick={() => setQuery({ only: 'here' })}>Filter the steps here</Button>
      </EmptyState>
    );
  if (found.error !== null)
    return (
      <FailedState
        title="The warehouse could not list the rollouts"
        error={found.error}
        onRetry={() => void found.restart()}
      />
    );
  if (found.data === undefined) return <ListUnderWay what="rollouts" order={found} isElsewhere />;
  const { matching } = found.data;
  if (rows.length === 0) return <EmptyState title="No rollout matches the filter" />;
  const routeOf = ({ step, groupKey, ordinal }: RolloutRow): Route => ({
    ...{ view: 'rollout', runKey, step, groupKey, ordinal },
  });
  const list = `warehouse ${runKey} ${sortsText(sorts)} ${text}`;
  return (
    <div className="list-column">
      {found.isFormer ? (
        <FilterNote what="rollout" matches={matching} total={undefined} order={found} />
      ) : (
        <p className="filter-note">
          {rows.length < matching ? `The first ${count(rows.length)} of ` : ''}
          {counted(matching, text === '' ? 'rollout' : 'matching rollout')} of all steps. One is copied with
          its step when you open it
        </p>
      )}
      <div className="list-rest">
        <VirtualTable
          key={list}
          handle={table}
          label={label}
          columns={columns}
          unknown={unknown}
          arrangement={arrangement}
          filter={tableFilter}
          selection={{ of: rows, notify: setNotice }}
          count={rows.length}
          rowAt={(index) => rows[index]}
          isQuiet={({ kept }) => kept === false}
          sort={sorts}
          canSortFurther
          onSort={setSort}
          onOpen={(row) => goTo(routeOf(row))}
          hrefOf={(row) => pathOfRoute(routeOf(row))}
          position={listPosition(list)}
          onPosition={(position) => rememberListPosition(list, position)}
        />
      </div>
    </div>
  );
}
