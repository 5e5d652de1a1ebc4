import { FolderOpen, Search, Warehouse } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { RunSummary } from '../../../shared/api/contract.ts';
import { pathOfRoute } from '../../data/route.ts';
import { partsApart } from '../../data/runNames.ts';
import { useRequest } from '../../data/useRequest.ts';
import { goTo, useUrlQuery } from '../../data/useRoute.ts';
import { useHasWarehouse } from '../../data/warehouse.ts';
import { useCommands } from '../../shell/keys/commands.ts';
import { keyed, keyOf } from '../../shell/keys/keysInForce.ts';
import { useIngestActions } from '../../shell/useIngestActions.ts';
import { useInterface } from '../../state/interface.ts';
import { listPosition, rememberListPosition } from '../../state/routeMemory.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../../ui/States.tsx';
import { parseSorts, type Sort, sortedByKeys, sortsText, withSort } from '../../ui/sorting.ts';
import { leaveField } from '../../ui/useAutoFocus.ts';
import { VirtualTable } from '../../ui/VirtualTable.tsx';
import { missingOf, unreadReason, useUnreadOf } from '../../widgets/PartlyRead.tsx';
import { useTableCommands } from '../../widgets/tables/useTableCommands.ts';
import { useTableLayout } from '../../widgets/tables/useTableLayout.ts';
import { JobCards } from './JobCards.tsx';
import { jobsToShow, matchesText } from './libraryModel.ts';
import { OpenLibraries } from './OpenLibraries.tsx';
import { type MenuPoint, RunMenu } from './RunMenu.tsx';
import { blankColumns, menuColumn, runColumns } from './runColumns.tsx';
import './library.css';

const NO_RUNS: readonly RunSummary[] = [];
const AS_LISTED: readonly Sort[] = [];
/** Only their `measure` is used, which does not depend on the arguments. */
const RUN_COLUMNS = runColumns(
  () => undefined,
  () => undefined,
);
const SORTABLE = RUN_COLUMNS.filter((column) => column.measure !== undefined).map((column) => column.id);

export default function LibraryView() {
  const runs = useRequest('run.list', {});
  const hasWarehouse = useHasWarehouse();
  const jobs = useRequest('ingest.jobs', {}).data ?? [];
  const { total: issues = 0, refused = 0 } = useRequest('issue.list', { limit: 1 }).data ?? {};
  const { demo, openDialog, chooseLogs, canOpenDialog } = useIngestActions();
  const [query, setQuery] = useUrlQuery();
  const field = useRef<HTMLInputElement>(null);
  const table = useTableCommands();
  const [menu, setMenu] = useState<MenuPoint>();
  const unread = useUnreadOf();
  const columns = useMemo(() => {
    const all = runs.data ?? [];
    const parts = new Map(partsApart(all, { isKindSaid: true }).map((part, i) => [all[i]?.runKey, part]));
    const partlyRead = (run: RunSummary) => {
      const files = unread(run);
      return files.length === 0 ? undefined : `${unreadReason(files)}: ${missingOf(files)} missing`;
    };
    return [...runColumns(({ runKey }) => parts.get(runKey), partlyRead), menuColumn(setMenu)];
  }, [runs.data, unread]);
  const unknown = useMemo(() => blankColumns(RUN_COLUMNS, runs.data ?? []), [runs.data]);
  const cursor = useRef(0);
  const closed = useInterface((state) => state.closedCards);
  const setNotice = useInterface((state) => state.setNotice);
  const arrangement = useTableLayout('runs');
  const showDialog = useInterface((state) => state.showDialog);
  const atCursor = (act: (run: RunSummary) => void) => () => {
    const run = sorted[Math.min(cursor.current, sorted.length - 1)];
    if (run !== undefined) act(run);
  };
  useCommands({
    'search.focus': () => field.current?.focus(),
    'row.select': () => table.current?.toggle(),
    'run.sources': atCursor(({ runKey }) => goTo({ view: 'run', runKey }, '?tab=sources')),
    'run.remove': atCursor(({ runKey }) => showDialog({ kind: 'removeRun', runKey })),
    'run.export': atCursor(({ runKey }) => showDialog({ kind: 'exportRun', runKey })),
    'run.move': atCursor(({ runKey }) => showDialog({ kind: 'moveRun', runKey })),
  });

  const text = query.get('filter') ?? '';
  const sorts = parseSorts(query.get('sort'), SORTABLE, AS_LISTED);
  const all = runs.data ?? NO_RUNS;
  const shown = all.filter((run) => matchesText(run, text));
  // The host lists the newest first. That order is used until a column is chosen.
  const sorted = sortedByKeys(
    shown,
    sorts.map(({ column, direction }) => ({
      measure: RUN_COLUMNS.find(({ id }) => id === column)?.measure ?? (() => undefined),
      direction,
    })),
  );

  if (runs.error !== null) {
    return (
      <FailedState
        isPage
        title="The library could not be read"
        error={runs.error}
        onRetry={() => void runs.refetch()}
      />
    );
  }
  if (runs.data === undefined) return <WaitingState title="Opening the library…" />;
  const hasNews = jobsToShow(jobs, closed).length > 0 || issues > 0;
  if (runs.data.length === 0 && !hasNews) {
    return (
      <div className="page library">
        <OpenLibraries />
        <Welcome />
      </div>
    );
  }

  const rollouts = shown.reduce((sum, run) => sum + run.rollouts, 0);

  return (
    <div className="page library">
      <header className="page-head">
        <h1>Library</h1>
        <span className="muted">
          {text !== '' && `${count(shown.length)} of `}
          {counted(runs.data.length, 'run')}
          {text !== '' && ' match the filter'} · {counted(rollouts, 'rollout')}
          {issues > 0 && text === '' && (
            <>
              {' · '}
              <Link href="/issues" className={refused > 0 ? 'is-wrong' : undefined}>
                {refused > 0 ? counted(refused, 'issue') : counted(issues, 'caveat')}
              </Link>
              {refused > 0 && issues > refused && `, ${counted(issues - refused, 'caveat')}`}
            </>
          )}
          {sorts.length === 0 && shown.length > 1 && ' · last added first'}
        </span>
        <div className="end">
          <label className="search-field">
            <Search size={13} />
            <input
              ref={field}
              type="search"
              placeholder={`Filter runs  ${keyOf('search.focus') ?? ''}`}
              aria-label="Filter runs"
              value={text}
              onChange={(event) => setQuery({ filter: event.target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Escape' && event.key !== 'Enter') return;
                // Escape would clear a search field.
                event.preventDefault();
                leaveField(event.currentTarget);
              }}
            />
          </label>
          <Button
            title={
              canOpenDialog
                ? keyed('Open a directory of logs', 'ingest.openDirectory')
                : keyed('Open logs', 'ingest.openFiles')
            }
            onClick={() => (canOpenDialog ? openDialog.mutate('directory') : chooseLogs())}
          >
            <FolderOpen size={14} /> Open logs…
          </Button>
          {hasWarehouse && (
            <Link href="/warehouse" className="button">
              <Warehouse size={14} /> Warehouse
            </Link>
          )}
          <Button disabled={demo.isPending} onClick={() => demo.mutate()}>
            Open the demo run
          </Button>
        </div>
      </header>
      <OpenLibraries />
      <JobCards />
      <RunMenu at={menu} onClose={() => setMenu(undefined)} />
      <div className="library-list">
        {sorted.length === 0 ? (
          <EmptyState title={text === '' ? 'No rollout has been read yet' : 'No run matches the filter'} />
        ) : (
          <VirtualTable
            key={sortsText(sorts)}
            handle={table}
            label="Runs"
            columns={columns}
            unknown={unknown}
            arrangement={arrangement}
            selection={{ of: all, notify: setNotice }}
            count={sorted.length}
            rowAt={(index) => sorted[index]}
            rowHeight={52}
            sort={sorts}
            onSort={(column, direction, isFurther) =>
              setQuery({ sort: sortsText(withSort(sorts, { column, direction }, isFurther)) })
            }
            canSortFurther
            onOpen={(run) => goTo({ view: 'run', runKey: run.runKey })}
            hrefOf={(run) => pathOfRoute({ view: 'run', runKey: run.runKey })}
            position={listPosition('runs')}
            onPosition={(position) => {
              cursor.current = position.cursor;
              rememberListPosition('runs', position);
            }}
          />
        )}
      </div>
    </div>
  );
}

/** Shown in an empty library. */
function Welcome() {
  const hasWarehouse = useHasWarehouse();
  const { demo, open, openDialog, chooseLogs, canOpenDialog } = useIngestActions();
  const failure = demo.error ?? openDialog.error ?? open.error;
  return (
    <div className="welcome">
      <div className="welcome-card">
        <h1>Read the rollouts behind a run</h1>
        <p>
          Turnwise opens the logs of a reinforcement-learning run and shows, turn by turn, what the policy
          wrote, what its tools answered, and what the trainer kept. Logs are opened read-only and nothing
          leaves this machine.
        </p>
        <ul className="welcome-ways">
          {canOpenDialog ? (
            <li>
              <span>A log directory, or single files. Dropping them here does the same.</span>
              <span style={{ display: 'flex', gap: 8 }}>
                <Button onClick={() => openDialog.mutate('files')}>Files…</Button>
                <Button isPrimary onClick={() => openDialog.mutate('directory')}>
                  Directory…
                </Button>
              </span>
            </li>
          ) : (
            <li>
              <span>Your own logs: by their path, or files from this computer. Dropping them works too.</span>
              <Button isPrimary onClick={chooseLogs}>
                Open logs…
              </Button>
            </li>
          )}
          {hasWarehouse && (
            <li>
              <span>Runs of your team, in the warehouse that was named at the start.</span>
              <Link href="/warehouse" className="button">
                Warehouse
              </Link>
            </li>
          )}
          <li>
            <span>A small generated run, to look around.</span>
            <Button disabled={demo.isPending} onClick={() => demo.mutate()}>
              Open the demo run
            </Button>
          </li>
        </ul>
        <p>
          <Link href="/formats">Formats that are read</Link> ·{' '}
          <Link href="/mapping">Map the fields of another log</Link>
        </p>
        {failure !== null && (
          <p className="is-wrong" role="alert">
            {failure.message}
          </p>
        )}
      </div>
    </div>
  );
}
