import { ChevronDown, ChevronRight } from 'lucide-react';
import { useCommands } from '../../app/commands.ts';
import { useTableCommands } from '../../app/useTableCommands.ts';
import { pathOfPlace } from '../../data/place.ts';
import { goTo } from '../../data/usePlace.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/listMemory.ts';
import { Button, Chip } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { sortedBy } from '../../ui/sorting.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { StepCharts } from './StepCharts.tsx';
import { stepColumns } from './stepColumns.tsx';
import { useUrlSort } from './useUrlSort.ts';

export default function RunView({ runKey }: { readonly runKey: string }) {
  const run = useRequest('run.get', { runKey });
  const steps = useRequest('step.list', run.data === undefined ? undefined : { runId: run.data.runId });
  const areChartsOpen = useInterface((state) => state.areChartsOpen);
  const flip = useInterface((state) => state.flip);
  const table = useTableCommands();
  useCommands({ 'charts.flip': () => flip('areChartsOpen') });

  const rows = steps.data ?? [];
  const columns = stepColumns(rows);
  const [sort, setSort] = useUrlSort(
    columns.map((column) => column.id),
    { column: 'step', direction: 'ascending' },
  );

  const error = run.error ?? steps.error;
  if (error !== null) {
    return (
      <FailedState
        title="This run could not be opened"
        error={error}
        onRetry={() => void (run.error === null ? steps.refetch() : run.refetch())}
      >
        <p>It may not be in this library. The library page lists the runs that are.</p>
      </FailedState>
    );
  }
  if (run.data === undefined || steps.data === undefined) return <WaitingState title="Opening the run…" />;

  const measure = columns.find((column) => column.id === sort.column)?.measure ?? (() => undefined);
  const sorted = sortedBy(rows, measure, sort.direction);
  const openStep = (step: number) => goTo({ view: 'step', runKey, step });
  const list = `run ${runKey} ${sort.column} ${sort.direction}`;
  const { data } = run;

  return (
    <div className="page">
      <header className="page-head">
        <h1 title={data.name}>{data.name}</h1>
        {data.model !== undefined && <Chip title="Model">{data.model}</Chip>}
        {data.dataset !== undefined && <Chip title="Data set">{data.dataset}</Chip>}
        <Chip title={data.directory}>{data.format}</Chip>
        {data.issues > 0 && (
          <Link href="/issues">
            <Chip isWarning title="Lines that could not be read in full">
              {counted(data.issues, 'issue')}
            </Chip>
          </Link>
        )}
        <div className="end">
          <span>
            {counted(data.rollouts, 'rollout')} · {counted(data.groups, 'group')} ·{' '}
            {counted(data.steps, 'step')}
          </span>
          <Button onClick={() => flip('areChartsOpen')} title="Show or hide the charts (v)">
            {areChartsOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} />} Charts
          </Button>
        </div>
      </header>
      {areChartsOpen && rows.length > 0 && (
        <StepCharts
          rows={sortedBy(rows, (row) => row.step, 'ascending')}
          stages={data.stages}
          onOpenStep={openStep}
        />
      )}
      <div className="page-list">
        {rows.length === 0 ? (
          <EmptyState title="No step has been read yet" />
        ) : (
          <VirtualTable
            key={list}
            handle={table}
            label={`Steps of ${data.name}`}
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
    </div>
  );
}
