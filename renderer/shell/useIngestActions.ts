import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { IngestProgress } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { useClient, useConnection } from '../data/DataProvider.tsx';
import { JOBS_KEY } from '../data/followHost.ts';
import { isBelow } from '../data/follows.ts';
import { mappingPath, type Route } from '../data/route.ts';
import { useRequest } from '../data/useRequest.ts';
import { goTo, navigateTo } from '../data/useRoute.ts';
import { UNKNOWN_FORMAT } from '../data/useUnmappedFiles.ts';
import { useInterface } from '../state/interface.ts';

/** Starts and stops reading logs. Used by the library page, the drop target and the palette. */
export function useIngestActions() {
  const client = useClient();
  const { pathOf } = useConnection();
  const queryClient = useQueryClient();
  const shell = useRequest('host.info', {}).data?.shell;
  const onSettled = () => queryClient.invalidateQueries({ queryKey: JOBS_KEY });

  const start = useMutation({
    mutationFn: (paths: string[]) => client.request('ingest.start', { paths }),
    onSettled,
  });
  const open = useMutation({ mutationFn: (paths: readonly string[]) => openLogs(client, paths), onSettled });
  const demo = useMutation({
    mutationFn: () => openDemoRun(client),
    onSuccess: (runKey) => runKey !== undefined && goTo({ view: 'run', runKey }),
    onSettled,
  });
  const cancel = useMutation({
    mutationFn: (jobId: number) => client.request('ingest.cancel', { jobId }),
    onSettled,
  });
  const openDialog = useMutation({
    mutationFn: (kind: 'files' | 'directory') => client.request('shell.openDialog', { kind }),
    onSuccess: ({ paths }) => paths.length > 0 && open.mutate(paths),
  });
  const startMapped = useMutation({
    mutationFn: ({ paths, mapping }: { readonly paths: readonly string[]; readonly mapping: string }) =>
      openLogs(client, paths, mapping),
    onSettled,
  });
  /** The dialog grants access to the file. Nothing is read before its fields are mapped. */
  const openFileToMap = useMutation({
    mutationFn: () => client.request('shell.openDialog', { kind: 'files' }),
    onSuccess: ({ paths: [path] }) => {
      if (path !== undefined) goTo({ view: 'mapping' }, `?path=${encodeURIComponent(path)}`);
    },
  });
  const canOpenDialog = shell === 'desktop';
  /** Opens the system's dialog, or in a browser the page's own. */
  const chooseLogs = () =>
    canOpenDialog ? openDialog.mutate('files') : useInterface.getState().showDialog({ kind: 'openLogs' });
  return {
    start,
    open,
    startMapped,
    demo,
    cancel,
    openDialog,
    chooseLogs,
    openFileToMap,
    pathOf,
    canOpenDialog,
  };
}

/**
 * Imports the demo run, unless it exists already.
 * @returns its key; undefined if it could not be read
 */
export async function openDemoRun(client: Client): Promise<string | undefined> {
  await startJob(
    client,
    () => client.request('ingest.demo', {}),
    ({ state }) => state !== 'running',
  ).settled;
  const runs = await client.request('run.list', {});
  const synthetic = runs.filter((run) => run.isSynthetic);
  // The demo log also contains an evaluation. Open its training run first.
  return (synthetic.find((run) => run.kind === 'train') ?? synthetic[0])?.runKey;
}

/**
 * The page that shows what a job has read: its run, or the library if its files are of several runs, or if all that it
 * found was read before from another path, which a card there says.
 * @returns undefined while that is unknown
 */
export function openedRoute(job: IngestProgress): Route | undefined {
  const { runKey, runs = 0, isOneRun = false, state, rollouts, duplicates = 0 } = job;
  if (runKey === undefined) return undefined;
  if (duplicates > 0 && rollouts === 0) return state === 'running' ? undefined : { view: 'library' };
  // The files of a run can hold its evaluation, too, as the demo does.
  if (runs > 1 && !isOneRun) return { view: 'library' };
  return isOneRun || state !== 'running' ? { view: 'run', runKey } : undefined;
}

/**
 * Reads logs that the user has just chosen. Their page opens once it is known; files that may be of several runs are
 * read on the library page, and a single file of unknown format opens in the mapping editor. If nothing was read, the
 * library page says why. None of it happens if the user has gone elsewhere.
 *
 * @param mapping name of the saved mapping to read them with
 */
async function openLogs(client: Client, paths: readonly string[], mapping?: string): Promise<void> {
  let { pathname } = window.location;
  const toLibrary = () => {
    // The mapping editor stays, since the other paths are those that its mapping has read before.
    if (mapping !== undefined || window.location.pathname !== pathname) return;
    goTo({ view: 'library' });
    ({ pathname } = window.location);
  };
  const { started, settled } = startJob(
    client,
    () =>
      client.request('ingest.start', { paths: [...paths], ...(mapping === undefined ? {} : { mapping }) }),
    (job) => {
      if (job.state === 'running' && job.files > 0 && job.isOneRun !== true) toLibrary();
      return openedRoute(job) !== undefined || job.state !== 'running';
    },
  );
  const openPage = async (job: IngestProgress) => {
    const isUnknown = job.rollouts === 0 && job.issues > 0;
    const unknown = isUnknown ? await unknownFiles(client, paths) : [];
    if (window.location.pathname !== pathname) return;
    const route = openedRoute(job);
    const [file, ...others] = unknown;
    if (route !== undefined) goTo(route);
    else if (file !== undefined && others.length === 0) navigateTo(mappingPath(file));
    else if (isUnknown && mapping === undefined) goTo({ view: 'library' });
  };
  const shown = started.then(() => paths.length > 1 && toLibrary());
  // The caller handles a failure to start. The job's card shows a failure of the job.
  settled.then((job) => shown.then(() => openPage(job))).catch(() => undefined);
  await shown;
}

/** Files below the chosen paths that no format knows. */
async function unknownFiles(client: Client, chosen: readonly string[]): Promise<readonly string[]> {
  const { issues } = await client.request('issue.list', { code: UNKNOWN_FORMAT, limit: 1000 });
  const unknown = issues.map(({ path }) => path).filter((path) => chosen.some((root) => isBelow(path, root)));
  return [...new Set(unknown)];
}

/**
 * Reads logs without leaving the page.
 *
 * @throws Error when they could not be read
 */
export async function readLogs(client: Client, paths: readonly string[]): Promise<void> {
  const start = () => client.request('ingest.start', { paths: [...paths] });
  const { message } = await startJob(client, start, ({ state }) => state !== 'running').settled;
  if (message !== undefined) throw new Error(message);
}

/**
 * @param isSettled called with each state of this job until it returns true
 * @returns when the host has accepted the job, and the first of its states that is settled
 */
function startJob(
  client: Client,
  start: () => Promise<{ readonly jobId: number }>,
  isSettled: (job: IngestProgress) => boolean,
): { readonly started: Promise<unknown>; readonly settled: Promise<IngestProgress> } {
  const latest = new Map<number, IngestProgress>();
  let wake = (): void => undefined;
  const take = (job: IngestProgress): void => {
    latest.set(job.jobId, job);
    wake();
  };
  // Subscribe before the request: a small job may end before its id is known here.
  const stop = client.subscribe((event) => event.event === 'ingest.progress' && take(event.payload));
  const started = start();
  const settle = async (): Promise<IngestProgress> => {
    const { jobId } = await started;
    for (const job of await client.request('ingest.jobs', {})) take(job);
    return new Promise((resolve) => {
      wake = () => {
        const job = latest.get(jobId);
        if (job !== undefined && isSettled(job)) resolve(job);
      };
      wake();
    });
  };
  return { started, settled: settle().finally(stop) };
}
