import type { WarehouseRun } from '../../../shared/api/contract.ts';
import { RUN_KIND_NAMES } from '../../../shared/domain/words.ts';
import { pathOfRoute } from '../../data/route.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo } from '../../data/useRoute.ts';
import { useLibraryActions } from '../../shell/useLibraryActions.ts';
import { Button, Chip } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import type { Column } from '../../ui/tableColumns.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';

/** The runs of the warehouse. One opens as a run of the library does; its steps are copied when they are opened. */
export default function WarehouseView() {
  const found = useRequest('warehouse.runs', {}, { isFresh: true });
  const { openWarehouse, canOpenDialog } = useLibraryActions();
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
      <EmptyState title="No warehouse has been named for this library" isPage>
        <p>
          A warehouse is a ClickHouse database that holds the runs of a team. Start with its address:{' '}
          <code>npm start -- --library clickhouse://HOST:8123/DATABASE</code>
        </p>
        {canOpenDialog && (
          <Button isPrimary onClick={() => void openWarehouse()}>
            Open warehouse…
          </Button>
        )}
      </EmptyState>
    );
  const rollouts = runs.reduce((sum, each) => sum + each.rollouts, 0);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Warehouse</h1>
        <span className="muted">{`${counted(runs.length, 'run')} · ${counted(rollouts, 'rollout')} · ${name}`}</span>
      </header>
      <Runs runs={runs} />
    </div>
  );
}

function Runs({ runs }: { readonly runs: readonly WarehouseRun[] }) {
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
      onOpen={({ run }) => goTo({ view: 'run', runKey: run })}
      hrefOf={({ run }) => pathOfRoute({ view: 'run', runKey: run })}
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
    cell: ({ run, split, isOwn }) => (
      <span>
        <bdi>{plainLogText(run)}</bdi> {split !== 'train' && <Chip>{RUN_KIND_NAMES[split]}</Chip>}
        {isOwn === true && (
          <Chip title="This library has it from its own logs or another warehouse, and shows those">
            from elsewhere
          </Chip>
        )}
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
