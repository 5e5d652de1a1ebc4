import { useEffect, useMemo, useRef } from 'react';
import type { RunDetail, StepSummary } from '../../../shared/api/contract.ts';
import { isWithin } from '../../charts/panelModel.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useLive } from '../../data/follows.ts';
import { parseRoute, pathOfRoute } from '../../data/route.ts';
import { useStepSeries } from '../../data/useLongQuery.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useRunElsewhere } from '../../data/warehouse.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { useInterface } from '../../state/interface.ts';
import { leftBelow, listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState } from '../../ui/States.tsx';
import { sortedByKeys, sortsText } from '../../ui/sorting.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import type { Selected } from '../../ui/virtualTableProps.ts';
import { rowOfFacts, rowOfSummary, type StepRow } from '../../widgets/tables/stepRows.ts';
import { newestStep } from '../../widgets/tables/useFrozenList.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { useTableLayout } from '../../widgets/tables/useTableLayout.ts';
import { useUrlSorts } from '../../widgets/tables/useUrlSort.ts';
import { OverviewCharts } from '../overview/OverviewCharts.tsx';
import { overviewLinkOf } from '../overview/overviewLink.ts';
import { CopySteps } from './CopySteps.tsx';
import { STEP_COLUMNS, unknownStepColumns } from './stepColumns.tsx';

const BY_STEP = { column: 'step', direction: 'ascending' } as const;

interface StepTableProps {
  readonly run: RunDetail;
  readonly all: readonly StepSummary[];
  /** Those of the warehouse, which are copied when they are opened. */
  readonly elsewhere: ReadonlySet<number>;
}

/** Charts and table of a run's steps. */
export function StepTable({ run, all, elsewhere }: StepTableProps) {
  const { runKey } = run;
  const areChartsOpen = useInterface((state) => state.areChartsOpen);
  const table = useTableCommands();
  const { follow } = useLive(runKey);
  const cursor = useRef(0);
  const steps = useMemo(() => all.map(({ step }) => step).sort((a, b) => a - b), [all]);
  const [query] = useUrlQuery();
  const { range } = useMemo(() => overviewLinkOf(query), [query]);
  const matching = useMatchingSteps(run, elsewhere);
  const ofSteps = useMemo(() => matching.rows ?? all.map(rowOfSummary), [matching.rows, all]);
  const rows = useMemo(() => ofSteps.filter(({ step }) => isWithin(step, range)), [ofSteps, range]);
  const unknown = useMemo(() => unknownStepColumns(rows), [rows]);
  const [sorts, setSort] = useUrlSorts(
    STEP_COLUMNS.map((column) => column.id).filter((id) => !unknown.has(id)),
    BY_STEP,
  );
  const sorted = sortedByKeys(
    rows,
    sorts.map(({ column, direction }) => ({
      measure: STEP_COLUMNS.find(({ id }) => id === column)?.measure ?? (() => undefined),
      direction,
    })),
  );
  useCommands({ 'row.select': () => table.current?.toggle() });
  const { there } = useRunElsewhere(runKey);
  const arrangement = useTableLayout('steps');
  const setNotice = useInterface((state) => state.setNotice);
  // A step keeps the list's filter when it is opened.
  const filter = query.get('q');
  const search = filter === null ? '' : `?${new URLSearchParams({ q: filter })}`;
  const list = `run ${runKey} ${sortsText(sorts)}`;

  const left = useRef(sorted.findIndex(({ step }) => step === stepLeft(runKey, list)));
  // A step opened by a chart or from the step before it is selected as one that the list opened.
  useEffect(() => {
    if (left.current >= 0) table.current?.moveTo(left.current);
  }, [table]);
  const newest = newestStep(rows);
  const newestAt = sorted.findIndex(({ step }) => step === newest);
  const former = useRef(newestAt);
  // If the cursor is at the newest step of a followed run, it moves to each newer step.
  useEffect(() => {
    const wasThere = cursor.current === former.current;
    former.current = newestAt;
    if (follow !== undefined && wasThere && newestAt >= 0) table.current?.moveTo(newestAt);
  }, [follow, newestAt, table]);

  return (
    <>
      {areChartsOpen && all.length > 0 && <OverviewCharts run={run} steps={steps} />}
      <div className="page-list">
        {rows.length === 0 ? (
          <EmptyState
            title={
              all.length === 0
                ? 'No step has been read yet'
                : ofSteps.length === 0
                  ? 'No rollout matches the filter'
                  : 'No step in the selected range'
            }
          />
        ) : (
          <div className="list-column">
            {matching.note !== undefined && <p className="filter-note">{matching.note(rows, all)}</p>}
            <div className="list-rest">
              <VirtualTable
                key={list}
                handle={table}
                label={`Steps of ${run.name}`}
                columns={STEP_COLUMNS}
                unknown={unknown}
                arrangement={arrangement}
                isQuiet={({ step }) => elsewhere.has(step)}
                selection={{
                  of: rows,
                  notify: setNotice,
                  ...(there === undefined
                    ? {}
                    : {
                        hasListActions: filter !== null,
                        actions: (selected: Selected<StepRow>) => (
                          <CopySteps
                            {...{ runKey, selected, filter: filter ?? '' }}
                            matching={(matching.rows ?? []).reduce((sum, { rollouts }) => sum + rollouts, 0)}
                          />
                        ),
                      }),
                }}
                count={sorted.length}
                rowAt={(index) => sorted[index]}
                sort={sorts}
                canSortFurther
                onSort={setSort}
                onOpen={({ step }) => goTo({ view: 'step', runKey, step }, search)}
                hrefOf={({ step }) => pathOfRoute({ view: 'step', runKey, step }) + search}
                position={listPosition(list)}
                onPosition={(position) => {
                  cursor.current = position.cursor;
                  rememberListPosition(list, position);
                }}
              />
            </div>
          </div>
        )}
      </div>
    </>
  );
}

/** The step that was visited last, unless the user has moved in the list since. */
function stepLeft(runKey: string, list: string): number | undefined {
  const path = leftBelow(pathOfRoute({ view: 'run', runKey }), list);
  const route = path === undefined ? undefined : parseRoute(path);
  return route !== undefined && 'step' in route ? route.step : undefined;
}

interface MatchingSteps {
  /** Steps with matching rollouts. Undefined: there is no filter, or it is loading. */
  readonly rows: readonly StepRow[] | undefined;
  /** Describes the filtered rows. Undefined: the table shows all rollouts. */
  readonly note: ((rows: readonly StepRow[], all: readonly StepSummary[]) => string) | undefined;
}

/** The data of the filtered charts as rows. Both use the same response. */
function useMatchingSteps({ runId, runKey }: RunDetail, steps: ReadonlySet<number>): MatchingSteps {
  const filter = useFilterLink().applied;
  const isFiltered = filter !== '';
  const { data, error, isRunning, isStopped } = useStepSeries(
    isFiltered ? [{ runId, filter, elsewhere: { run: runKey, steps } }] : [],
  );
  const facts = data[0];
  const rows = useMemo(
    () => facts?.filter(({ rollouts }) => rollouts > 0).map((step) => rowOfFacts(step)),
    [facts],
  );
  if (!isFiltered) return { rows: undefined, note: undefined };
  if (rows !== undefined) return { rows, note: matchNote };
  const state = isStopped
    ? 'Stopped'
    : isRunning
      ? 'Filtering…'
      : `The filter failed${error === null ? '' : ` (${error.message})`}`;
  return { rows: undefined, note: () => `${state}: showing all rollouts of each step` };
}

function matchNote(rows: readonly StepRow[], all: readonly StepSummary[]): string {
  const sum = (of: readonly { readonly rollouts: number }[]) =>
    of.reduce((total, { rollouts }) => total + rollouts, 0);
  return `Matching rollouts: ${count(sum(rows))} of ${counted(sum(all), 'rollout')}, in ${count(rows.length)} of ${counted(all.length, 'step')}`;
}
