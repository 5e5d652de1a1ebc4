import { useMemo, useState } from 'react';
import type { WarehouseRun, WarehouseStep } from '../../../shared/api/contract.ts';
import { ApiError } from '../../../shared/api/errors.ts';
import { withGlyphs } from '../../../shared/domain/hiddenCharacters.ts';
import { RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useLongTask } from '../../data/useLongQuery.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { useIngestActions } from '../../shell/useIngestActions.ts';
import { useInterface } from '../../state/interface.ts';
import { Button, Chip } from '../../ui/Controls.tsx';
import { amount, count, counted, percent, reward } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import type { Column } from '../../ui/tableColumns.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import type { Selected } from '../../ui/virtualTableProps.ts';
import { FilterBox } from '../../widgets/filter/FilterBox.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';

/** The runs of the warehouse, or the steps of the run in the query. */
export default function WarehouseView() {
  const [query, setQuery] = useUrlQuery();
  const found = useRequest('warehouse.runs', {}, { isFresh: true });
  const run = query.get('run') ?? undefined;
  if (found.error !== null)
    return (
      <FailedState
        isPage
        title="The warehouse could not be read"
        error={found.error}
        onRetry={() => void found.refetch()}
      />
    );
  if (found.data === undefined) return <WaitingState title="Asking the warehouse…" />;
  const { name, runs } = found.data;
  if (name === undefined)
    return (
      <EmptyState title="No warehouse was named when Turnwise was started" isPage>
        <p>
          A warehouse is a ClickHouse database that holds the runs of a team. Start with its address:{' '}
          <code>TURNWISE_WAREHOUSE=http://HOST:8123/DATABASE npm start</code>
        </p>
      </EmptyState>
    );
  const rollouts = runs.reduce((sum, each) => sum + each.rollouts, 0);
  const chosen = runs.find((each) => each.run === run);
  return (
    <div className="page">
      <header className="page-head">
        <h1>{chosen === undefined ? 'Warehouse' : <bdi>{withGlyphs(chosen.run)}</bdi>}</h1>
        <span className="muted">
          {chosen === undefined
            ? `${counted(runs.length, 'run')} · ${counted(rollouts, 'rollout')} · ${name}`
            : `${counted(chosen.rollouts, 'rollout')} from ${counted(chosen.sources, 'log')} · ${name}`}
        </span>
        {run !== undefined && (
          <div className="end">
            <Button onClick={() => setQuery({ run: undefined, q: undefined })}>All runs</Button>
          </div>
        )}
      </header>
      {run === undefined ? (
        <Runs runs={runs} onOpen={(opened) => setQuery({ run: opened.run })} />
      ) : (
        <Steps key={run} run={run} />
      )}
    </div>
  );
}

function Runs({
  runs,
  onOpen,
}: {
  readonly runs: readonly WarehouseRun[];
  readonly onOpen: (run: WarehouseRun) => void;
}) {
  const table = useTableCommands();
  if (runs.length === 0)
    return (
      <EmptyState title="No run has been sent to the warehouse yet">
        <p>
          <code>turnwise warehouse push LOGS --to URL</code> sends the logs of a node.
        </p>
      </EmptyState>
    );
  return (
    <VirtualTable
      handle={table}
      label="Runs of the warehouse"
      columns={RUN_COLUMNS}
      count={runs.length}
      rowAt={(index) => runs[index]}
      onOpen={onOpen}
    />
  );
}

const RUN_COLUMNS: readonly Column<WarehouseRun>[] = [
  {
    id: 'run',
    label: 'run',
    minWidth: 200,
    grow: 8,
    value: ({ run }) => run,
    cell: ({ run, split }) => (
      <span>
        <bdi title={withGlyphs(run)}>{withGlyphs(run)}</bdi>{' '}
        {split !== 'train' && <Chip>{RUN_KIND_NAMES[split]}</Chip>}
      </span>
    ),
  },
  {
    id: 'steps',
    label: 'steps',
    align: 'end',
    minWidth: 60,
    value: ({ steps }) => (steps === 0 ? undefined : steps),
    cell: ({ steps }) => (steps === 0 ? '' : count(steps)),
  },
  {
    id: 'range',
    label: 'first to last',
    align: 'end',
    minWidth: 100,
    cell: ({ first_step, last_step }) => (first_step === null ? '' : `${first_step} to ${last_step}`),
  },
  {
    id: 'rollouts',
    label: 'rollouts',
    align: 'end',
    minWidth: 90,
    value: ({ rollouts }) => rollouts,
    cell: ({ rollouts }) => count(rollouts),
  },
  {
    id: 'sources',
    label: 'logs',
    hint: 'Log files that its rollouts came from',
    align: 'end',
    minWidth: 60,
    value: ({ sources }) => sources,
    cell: ({ sources }) => count(sources),
  },
  {
    id: 'loaded',
    label: 'last sent',
    hint: 'When its last step arrived, by the clock of the server',
    minWidth: 150,
    value: ({ loaded_at }) => loaded_at,
    cell: ({ loaded_at }) => loaded_at.slice(0, 16),
  },
];

function Steps({ run }: { readonly run: string }) {
  const { applied } = useFilterLink();
  const table = useTableCommands();
  const setNotice = useInterface((state) => state.setNotice);
  const found = useRequest(
    'warehouse.steps',
    { run, filter: applied },
    { keepPrevious: true, isFresh: true },
  );
  const { open } = useIngestActions();
  const [isRunning, setRunning] = useState(false);
  const task = useLongTask('warehouse.keep', {
    onRunning: setRunning,
    onSuccess: ({ path, rollouts, steps }) => {
      setNotice(`${counted(rollouts, 'rollout')} of ${counted(steps, 'step')} copied`);
      open.mutate([path]);
    },
  });
  const columns = useMemo(() => stepColumns(applied !== ''), [applied]);
  const steps = found.data ?? [];
  const matching = steps.reduce((sum, step) => sum + step.matching, 0);
  const keep = (chosen: readonly WarehouseStep[]) =>
    task.start({
      run,
      filter: applied,
      // A log without steps has one row, which is everything.
      ...(chosen.some(({ step }) => step === undefined) || chosen.length === steps.length
        ? {}
        : { steps: chosen.flatMap(({ step }) => step ?? []) }),
    });
  const keepSelected = async (selected: Selected<WarehouseStep>) =>
    keep(await selected.rows(new AbortController().signal));
  return (
    <>
      <div className="filters">
        <FilterBox runId={undefined} runKey={undefined} what="rollouts" />
        {isRunning ? (
          <>
            <progress aria-label="Rollouts copied" value={task.progress?.share} max={1} />
            <Button onClick={task.stop}>Stop</Button>
          </>
        ) : (
          <Button
            isPrimary
            disabled={matching === 0}
            title="Copies them beside the library and opens them. Select steps to copy only those"
            onClick={() => keep(steps)}
          >
            Keep a copy of {counted(matching, 'rollout')}
          </Button>
        )}
      </div>
      {task.error !== null && !isCancelled(task.error) && (
        <p className="filters is-wrong" role="alert">
          {task.error.message}
        </p>
      )}
      {found.error !== null ? (
        <FailedState
          title="The steps could not be counted"
          error={found.error}
          onRetry={() => void found.refetch()}
        />
      ) : found.data === undefined ? (
        <WaitingState title="Counting the steps…" />
      ) : (
        <VirtualTable
          handle={table}
          label="Steps of the run"
          columns={columns}
          count={steps.length}
          rowAt={(index) => steps[index]}
          isQuiet={(step) => step.matching === 0}
          // A copy may be large, so a click only selects.
          onOpen={() => table.current?.toggle()}
          selection={{
            of: found.data,
            notify: setNotice,
            actions: (selected) => (
              <Button disabled={isRunning} onClick={() => void keepSelected(selected)}>
                Keep a copy of {counted(selected.count, 'step')}
              </Button>
            ),
          }}
        />
      )}
    </>
  );
}

const isCancelled = (error: Error): boolean => error instanceof ApiError && error.code === 'cancelled';

const stepColumns = (isFiltered: boolean): readonly Column<WarehouseStep>[] => [
  {
    id: 'step',
    label: 'step',
    minWidth: 70,
    value: ({ step }) => step,
    cell: ({ step }) => (step === undefined ? 'all' : String(step)),
  },
  ...(isFiltered
    ? [
        {
          id: 'matching',
          label: 'matching',
          align: 'end' as const,
          minWidth: 90,
          value: ({ matching }: WarehouseStep) => matching,
          cell: ({ matching }: WarehouseStep) => count(matching),
        },
      ]
    : []),
  {
    id: 'rollouts',
    label: 'rollouts',
    align: 'end',
    minWidth: 90,
    value: ({ rollouts }) => rollouts,
    cell: ({ rollouts }) => count(rollouts),
  },
  {
    id: 'reward',
    label: 'reward',
    hint: 'Mean of the matching rollouts with a reward',
    align: 'end',
    minWidth: 80,
    value: (step) => step.reward,
    cell: (step) => reward(step.reward),
  },
  {
    id: 'correct',
    label: 'correct',
    unit: '%',
    hint: 'Share of the matching rollouts whose correctness is known',
    align: 'end',
    minWidth: 80,
    value: ({ correct }) => correct,
    cell: ({ correct }) => percent(correct),
  },
  {
    id: 'turns',
    label: 'turns',
    hint: 'Mean of the matching rollouts',
    align: 'end',
    minWidth: 70,
    value: ({ turns }) => turns,
    cell: ({ turns }) => amount(turns),
  },
  {
    id: 'toolCalls',
    label: 'tool calls',
    hint: 'Mean of the matching rollouts',
    align: 'end',
    minWidth: 80,
    value: ({ toolCalls }) => toolCalls,
    cell: ({ toolCalls }) => amount(toolCalls),
  },
  {
    id: 'toolErrors',
    label: 'tool errors',
    unit: '%',
    hint: 'Share of the tool calls of the matching rollouts',
    align: 'end',
    minWidth: 90,
    value: ({ toolErrors }) => toolErrors,
    cell: ({ toolErrors }) => percent(toolErrors),
  },
];
