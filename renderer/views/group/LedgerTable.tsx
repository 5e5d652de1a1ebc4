/** The siblings of a group with every decision. All rows are loaded, so sorting and filtering happen here. */
import { useMemo } from 'react';
import { useFilterLink } from '../../data/filterLink.ts';
import { listSearch } from '../../data/rolloutListLink.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { useLongQuery } from '../../data/useLongQuery.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useCompareCommand, useCompareMark } from '../../shell/compareSet.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { EmptyState, FailedState } from '../../ui/States.tsx';
import { sortedBy } from '../../ui/sorting.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { SelectionActions } from '../../widgets/rollouts/SelectionActions.tsx';
import { ScoreNote, scoreNames } from '../../widgets/rollouts/scoreColumns.tsx';
import { FilterNote } from '../../widgets/tables/ListNotes.tsx';
import { FreshBadge } from '../../widgets/tables/useFrozenList.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { useTableLayout } from '../../widgets/tables/useTableLayout.ts';
import { useUrlSort } from '../../widgets/tables/useUrlSort.ts';
import { ledgerColumns } from './ledgerColumns.tsx';
import {
  countedKind,
  filterOfRows,
  type LedgerEntry,
  marksOf,
  matchesLedger,
  showsRoc,
} from './ledgerModel.ts';
import type { LedgerState } from './useLedger.ts';

interface LedgerTableProps {
  readonly runId: number;
  readonly route: Extract<Route, { view: 'group' }>;
  readonly state: LedgerState & { readonly ledger: NonNullable<LedgerState['ledger']> };
}

const NO_PAIR: readonly number[] = [];
/** Characters. */
const LONG_ANSWER = 24;
const BY_ORDINAL = { column: 'ordinal', direction: 'ascending' } as const;

export function LedgerTable({ runId, route, state }: LedgerTableProps) {
  const { ledger, entries, isStale, fresh } = state;
  const [query, setQuery] = useUrlQuery();
  const pair = useInterface((store) => store.comparedOf[ledger.groupId]) ?? NO_PAIR;
  const flipCompared = useInterface((store) => store.flipCompared);
  const showsAllWays = query.get('ways') === 'all';
  const scores = scoreNames(entries.flatMap(({ rollout }) => rollout ?? []));
  const columns = ledgerColumns({
    entries,
    hasRoc: showsRoc(ledger, state.choice),
    source: ledger.source,
    counted: countedKind(ledger),
    hasWhatIf: ledger.whatIf !== undefined || state.choice.scope !== undefined,
    showsAllWays,
    markOf: ({ row }) => ['A', 'B'][pair.indexOf(row.rolloutId)] ?? '',
    hasLabels: entries.some(({ rollout }) => rollout?.labels !== undefined),
    scores,
    hasTokens: entries.some(({ rollout }) => rollout?.policyTokens !== undefined),
    hasMalformedCalls: entries.some(({ rollout }) => (rollout?.malformedCalls ?? 0) > 0),
    hasDifferences: entries.some(({ differs }) => differs),
    hasLongAnswers: entries.some(({ rollout }) => (rollout?.answer?.length ?? 0) > LONG_ANSWER),
    // Keeps the column while rows are loading, so that nothing moves.
    hasStopReason: entries.some(
      ({ rollout }) =>
        rollout === undefined || (rollout.stopReason ?? rollout.stopReasonLogged) !== undefined,
    ),
  });
  const [sort, setSort] = useUrlSort(
    columns.map(({ id }) => id),
    BY_ORDINAL,
  );
  const table = useTableCommands();
  const arrangement = useTableLayout('ledger');
  useCompareCommand(() => table.current?.cursorHref());
  const compareMark = useCompareMark();
  const setNotice = useInterface((store) => store.setNotice);
  useCommands({
    'row.select': () => table.current?.toggle(),
    'penalties.flip': () => setQuery({ ways: showsAllWays ? undefined : 'all' }),
  });

  const { applied } = useFilterLink();
  const matching = useLongQuery(
    'rollout.order',
    applied === '' ? undefined : { runId, step: route.step, groupId: ledger.groupId, filter: applied },
  );
  const { data: answer } = matching;
  const found = useMemo(
    () => (answer === undefined || applied === '' ? undefined : new Set(answer.ids)),
    [answer, applied],
  );
  const marks = marksOf(query.get('show'));
  const measure = columns.find(({ id }) => id === sort.column)?.measure ?? (() => undefined);
  const rows = sortedBy(
    entries.filter(
      (entry) => matchesLedger(entry, marks) && (found === undefined || found.has(entry.row.rolloutId)),
    ),
    measure,
    sort.direction,
  );
  if (matching.error !== null)
    return (
      <FailedState
        title="These rollouts could not be filtered"
        error={matching.error}
        onRetry={() => void matching.restart()}
      />
    );
  if (entries.length === 0) return <EmptyState title="This group has no rollouts" />;
  const note = (
    <>
      {applied !== '' && (
        <FilterNote
          what="rollout"
          matches={rows.length}
          total={entries.length}
          order={{ ...matching, isFormer: matching.isFormer || found === undefined }}
        />
      )}
    </>
  );
  if (rows.length === 0) {
    return (
      <div className="list-column">
        {note}
        <EmptyState title="No rollout of this group matches">
          <button
            type="button"
            className="is-link"
            onClick={() => setQuery({ q: undefined, show: undefined })}
          >
            Show all {entries.length}
          </button>
        </EmptyState>
      </div>
    );
  }
  const routeOf = ({ row }: LedgerEntry): Route => ({ ...route, view: 'rollout', ordinal: row.ordinal });
  // Previous and next in the replay step through the filtered rows.
  const followed = listSearch({
    of: 'group',
    filter: marks.length === 0 ? applied : filterOfRows(rows, entries.length),
    sort: '',
  });
  const list = `ledger ${pathOfRoute(route)} ${sort.column} ${sort.direction} ${applied} ${marks.join(' ')}`;
  return (
    <div className={isStale ? 'list-column is-stale' : 'list-column'} aria-busy={isStale}>
      {fresh !== undefined && (
        <FreshBadge
          text={fresh.count > 0 ? `${fresh.count} new` : 'the decisions have changed'}
          onShow={fresh.show}
        />
      )}
      {note}
      <ScoreNote names={scores} />
      <div className="list-rest">
        <VirtualTable
          key={list}
          handle={table}
          label={`Rollouts of ${route.groupKey}`}
          columns={columns}
          arrangement={arrangement}
          selection={{
            of: list,
            notify: setNotice,
            hasListActions: entries.some(({ rollout }) => (rollout?.toolCalls ?? 0) > 0),
            actions: (chosen) => (
              <SelectionActions
                chosen={chosen}
                allIds={rows.map(({ row }) => row.rolloutId)}
                runKey={route.runKey}
                pathOf={(entry) => pathOfRoute(routeOf(entry))}
                idOf={({ row }) => row.rolloutId}
              />
            ),
          }}
          count={rows.length}
          rowAt={(index) => rows[index]}
          isQuiet={({ standing }) => standing.kept === false}
          markOf={(entry) => compareMark(pathOfRoute(routeOf(entry)))}
          sort={sort}
          onSort={setSort}
          onOpen={(entry) => goTo(routeOf(entry), followed)}
          onToggle={({ row }) => flipCompared(ledger.groupId, row.rolloutId)}
          hrefOf={(entry) => pathOfRoute(routeOf(entry)) + followed}
          position={listPosition(list)}
          onPosition={(position) => rememberListPosition(list, position)}
        />
      </div>
    </div>
  );
}
