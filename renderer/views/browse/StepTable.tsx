import { useEffect } from 'react';
import type { RunDetail, StepSummary } from '../../../shared/api/contract.ts';
import { useTableCommands } from '../../app/useTableCommands.ts';
import { pathOfPlace } from '../../data/place.ts';
import { useHeld } from '../../data/useHeld.ts';
import { goTo } from '../../data/usePlace.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/listMemory.ts';
import { EmptyState } from '../../ui/States.tsx';
import { sortedBy } from '../../ui/sorting.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { FreshBadge } from './FreshBadge.tsx';
import { freshSteps, newestStep } from './holdModel.ts';
import { StepCharts } from './StepCharts.tsx';
import { stepColumns } from './stepColumns.tsx';
import { useListHold } from './useListHold.ts';
import { useUrlSort } from './useUrlSort.ts';

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
  const rows = held.value ?? latest;
  const columns = stepColumns(rows);
  const [sort, setSort] = useUrlSort(
    columns.map((column) => column.id),
    { column: 'step', direction: 'ascending' },
  );
  const measure = columns.find((column) => column.id === sort.column)?.measure ?? (() => undefined);
  const sorted = sortedBy(rows, measure, sort.direction);
  const openStep = (step: number) => goTo({ view: 'step', runKey, step });
  const list = `run ${runKey} ${sort.column} ${sort.direction}`;

  const newest = newestStep(rows);
  const newestAt = sorted.findIndex(({ step }) => step === newest);
  // The table owns its scroll position; going along with the newest step means telling it to.
  useEffect(() => {
    if (isPinned && newestAt >= 0) table.current?.moveTo(newestAt);
  }, [isPinned, newestAt, table]);

  return (
    <>
      {areChartsOpen && rows.length > 0 && (
        <StepCharts
          rows={sortedBy(rows, (row) => row.step, 'ascending')}
          stages={run.stages}
          onOpenStep={openStep}
        />
      )}
      <div className="page-list">
        {held.isBehind && <FreshBadge text={freshSteps(rows, latest)} onShow={held.showNew} />}
        {rows.length === 0 ? (
          <EmptyState title="No step has been read yet" />
        ) : (
          <VirtualTable
            key={list}
            handle={table}
            label={`Steps of ${run.name}`}
            columns={columns}
            count={sorted.length}
            rowAt={(index) => sorted[index]}
            sort={sort}
            onSort={setSort}
            onOpen={(row) => openStep(row.step)}
            hrefOf={(row) => pathOfPlace({ view: 'step', runKey, step: row.step })}
            position={listPosition(list)}
            onPosition={(position) => rememberListPosition(list, position)}
          />
        )}
      </div>
    </>
  );
}
