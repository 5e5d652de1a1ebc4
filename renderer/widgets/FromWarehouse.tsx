/** Copies a step from the warehouse when a page of it is opened, and shows the page then. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { isCancelled } from '../../shared/api/errors.ts';
import { useClient } from '../data/DataProvider.tsx';
import { pathOfRoute, type Route } from '../data/route.ts';
import { useLongTask } from '../data/useLongQuery.ts';
import { useRequest } from '../data/useRequest.ts';
import { useHasWarehouse, useSteps } from '../data/warehouse.ts';
import { readLogs } from '../shell/useIngestActions.ts';
import { Button } from '../ui/Controls.tsx';
import { Link } from '../ui/Link.tsx';
import { count, counted } from '../ui/numbers.ts';
import { EmptyState, FailedState, WaitingState } from '../ui/States.tsx';

interface FromWarehouseProps {
  readonly route: Route;
  readonly children: ReactNode;
}

export function FromWarehouse({ route, children }: FromWarehouseProps) {
  const hasWarehouse = useHasWarehouse();
  if (!hasWarehouse || !('runKey' in route)) return children;
  return (
    <OfRun key={route.runKey} runKey={route.runKey} step={'step' in route ? route.step : undefined}>
      {children}
    </OfRun>
  );
}

interface OfRunProps {
  readonly runKey: string;
  /** Absent: a page of the whole run, which needs one step here. */
  readonly step: number | undefined;
  readonly children: ReactNode;
}

function OfRun({ runKey, step, children }: OfRunProps) {
  const runs = useRequest('run.list', {}).data;
  const copies = copiedInto(useQueryClient());
  const run = runs?.find((each) => each.runKey === runKey);
  const { all, elsewhere, missing, replaced, isAsking, hasSteps, warehouseError, askAgain } = useSteps(
    runKey,
    run?.runId,
  );
  /** The copy that was read last. */
  const [read, setRead] = useState<{ readonly copied: string; readonly replacedBy: string | undefined }>();
  if (runs === undefined || all === undefined) return <WaitingState title="Opening the run…" />;
  const wanted =
    step === undefined && run === undefined ? all.at(-1) : all.find((each) => each.step === step);
  if (wanted !== undefined && elsewhere.has(wanted.step)) {
    const copied = `${runKey} ${JSON.stringify(wanted)}`;
    // A copy differs for good if some of its records cannot be read.
    const isMissing = run === undefined || missing.has(wanted.step);
    if (isMissing && read?.copied === copied)
      return (
        <FailedState
          isPage
          title={`${nameOf(hasSteps ? wanted.step : undefined)} was copied, but none of its rollouts could be read`}
          error={new Error('The copy has rows in a form that this version of Turnwise does not read.')}
          onRetry={() => setRead(undefined)}
        >
          <p>
            <Link className="is-link" href={pathOfRoute({ view: 'issues' })}>
              Issues of the sources
            </Link>
          </p>
        </FailedState>
      );
    const replacedBy = replaced.get(wanted.step);
    // The list of steps still has it if the warehouse could not be asked after the copy.
    const isReplaced = replacedBy !== undefined && replacedBy !== read?.replacedBy;
    if (isMissing || isReplaced || !copies.has(copied))
      return (
        <Copying
          key={copied}
          run={runKey}
          {...(hasSteps ? { step: wanted.step } : {})}
          rollouts={wanted.rollouts}
          onCopied={() => copies.add(copied)}
          onRead={() => setRead({ copied, replacedBy })}
        />
      );
  }
  const isHere = run !== undefined && (step === undefined || wanted !== undefined);
  if (!isHere && warehouseError !== null)
    return (
      <FailedState
        isPage
        title={`${step === undefined ? 'The run' : `Step ${step}`} is not here, and the warehouse could not be asked`}
        error={warehouseError}
        onRetry={askAgain}
      />
    );
  // The page itself names what does not exist.
  return isHere || !isAsking ? children : <WaitingState title="Asking the warehouse…" />;
}

/** Pages whose numbers are of every step of a run. The run's own page has a note of its own. */
const OF_ALL_STEPS: ReadonlySet<Route['view']> = new Set<Route['view']>([
  'problems',
  'problem',
  'roc',
  'tokens',
]);

/** Names the number of copied steps on a page of the whole run. */
export function PartHereNote({ route }: { readonly route: Route }) {
  const hasWarehouse = useHasWarehouse();
  if (!hasWarehouse || !('runKey' in route) || !OF_ALL_STEPS.has(route.view)) return null;
  return <PartHere runKey={route.runKey} />;
}

function PartHere({ runKey }: { readonly runKey: string }) {
  const run = useRequest('run.list', {}).data?.find((each) => each.runKey === runKey);
  const { all = [], elsewhere } = useSteps(runKey, run?.runId);
  if (run === undefined || elsewhere.size === 0) return null;
  return (
    <p className="page-note" role="note">
      This page knows the {count(all.length - elsewhere.size)} of {counted(all.length, 'step')} that are here.{' '}
      <Link className="is-link" href={pathOfRoute({ view: 'run', runKey })}>
        Copy more of them
      </Link>
    </p>
  );
}

/** Steps that this window has copied into a library, as they were in the warehouse. */
const COPIED = new WeakMap<QueryClient, Set<string>>();

function copiedInto(library: QueryClient): Set<string> {
  const copied = COPIED.get(library) ?? new Set();
  COPIED.set(library, copied);
  return copied;
}

interface CopyingProps {
  readonly run: string;
  /** Absent: the run has no steps. */
  readonly step?: number;
  readonly rollouts: number;
  readonly onCopied: () => void;
  /** The copy is in the library as far as it can be read, and the pages have asked for it again. */
  readonly onRead: () => void;
}

const nameOf = (step: number | undefined): string => (step === undefined ? 'The run' : `Step ${step}`);

function Copying({ run, step, rollouts, onCopied, onRead }: CopyingProps) {
  const client = useClient();
  const queryClient = useQueryClient();
  const task = useLongTask('warehouse.keep', {
    onRunning: () => undefined,
    afterwards: ({ path }) => readLogs(client, [path]),
    onSuccess: () => {
      onCopied();
      void queryClient.invalidateQueries().then(onRead);
    },
  });
  const begin = () => task.start({ run, filter: '', ...(step === undefined ? {} : { steps: [step] }) });
  const name = nameOf(step);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a copy begins once, and ends with its page
  useEffect(() => {
    begin();
    return task.stop;
  }, []);
  if (task.error !== null)
    return isCancelled(task.error) ? (
      <EmptyState isPage title={`${name} is in the warehouse`}>
        <p>Nothing of it is here.</p>
        <Button onClick={begin}>Copy {counted(rollouts, 'rollout')}</Button>
      </EmptyState>
    ) : (
      <FailedState isPage title={`${name} was not copied`} error={task.error} onRetry={begin} />
    );
  return (
    <EmptyState isPage title={`Copying ${name.toLowerCase()} from the warehouse…`}>
      <p>
        {counted(rollouts, 'rollout')}, with texts and tokens. They stay in the library, and open at once the
        next time.
      </p>
      <p>
        <progress aria-label="Rollouts copied" value={task.progress?.share ?? 0} max={1} />{' '}
        <Button onClick={task.stop}>Stop</Button>
      </p>
    </EmptyState>
  );
}
