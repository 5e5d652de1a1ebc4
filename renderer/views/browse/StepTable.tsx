import { useEffect, useMemo } from 'react';
import type { RunDetail, StepSummary } from '../../../shared/api/contract.ts';
import { useCommands } from '../../app/commands.ts';
import { useTableCommands } from '../../app/useTableCommands.ts';
import { useTableLayout } from '../../app/useTableLayout.ts';
import { isWithin } from '../../charts/panelModel.ts';
import { pathOfPlace } from '../../data/place.ts';
import { useHeld } from '../../data/useHeld.ts';
import { goTo, useUrlQuery } from '../../data/usePlace.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/listMemory.ts';
import { EmptyState } from '../../ui/States.tsx';
import { sortedByKeys, sortsText } from '../../ui/sorting.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { FreshBadge } from './FreshBadge.tsx';
import { freshSteps, newestStep } from './holdModel.ts';
import { OverviewCharts } from './overview/OverviewCharts.tsx';
import { overviewLinkOf } from './overview/overviewLink.ts';
import { STEP_COLUMNS, unknownStepColumns } from './stepColumns.tsx';
import { rowOfSummary } from './stepRows.ts';
import { useListHold } from './useListHold.ts';
import { useMatchingSteps } from './useMatchingSteps.ts';
import { useUrlSorts } from './useUrlSort.ts';

const BY_STEP = { column: 'step', direction: 'ascending' } as const;

interface StepTableProps {
  readonly run: RunDetail;
  readonly latest: readonly StepSummary[];
}

/** Charts and table of a run's steps, which move together or not at all. */
export function StepTable({ run, latest }: StepTableProps) {
  const { runKey } = run;
  const areChartsOpen = useInterface((state) => state.areChartsOpen);
  const table = useTableCommands();
  const { isHeld, isPinned } = useListHold(runKey);
  const held = useHeld(`steps ${runKey}`, latest, isHeld);
  const all = held.value ?? latest;
  const steps = useMemo(() => all.map(({ step }) => step).sort((a, b) => a - b), [all]);
  const [query] = useUrlQuery();
  const { range } = useMemo(() => overviewLinkOf(query), [query]);
  const matching = useMatchingSteps(run.runId);
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
  const arrangement = useTableLayout('steps');
  const setNotice = useInterface((state) => state.setNotice);
  // A step is opened as it was listed: under the filter.
  const filter = query.get('q');
  const search = filter === null ? '' : `?${new URLSearchParams({ q: filter })}`;
  const list = `run ${runKey} ${sortsText(sorts)}`;

  const newest = newestStep(rows);
  const newestAt = sorted.findIndex(({ step }) => step === newest);
  // The table owns its scroll position; going along with the newest step means telling it to.
  useEffect(() => {
    if (isPinned && newestAt >= 0) table.current?.moveTo(newestAt);
  }, [isPinned, newestAt, table]);

  return (
    <>
      {areChartsOpen && all.length > 0 && <OverviewCharts run={run} steps={steps} />}
      <div className="page-list">
        {held.isBehind && <FreshBadge text={freshSteps(all, latest)} onShow={held.showNew} />}
        {rows.length === 0 ? (
          <EmptyState
            title={
              all.length === 0
                ? 'No step has been read yet'
                : ofSteps.length === 0
                  ? 'No rollout matches the filter'
                  : 'No step lies in the brushed range'
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
                selection={{ of: rows, notify: setNotice }}
                count={sorted.length}
                rowAt={(index) => sorted[index]}
                sort={sorts}
                canSortFurther
                onSort={setSort}
                onOpen={({ step }) => goTo({ view: 'step', runKey, step }, search)}
                hrefOf={({ step }) => pathOfPlace({ view: 'step', runKey, step }) + search}
                position={listPosition(list)}
                onPosition={(position) => rememberListPosition(list, position)}
              />
            </div>
          </div>
        )}
      </div>
    </>
  );
}
