import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Client } from '../../shared/api/transport.ts';
import { useClient, useConnection } from '../data/DataProvider.tsx';
import { JOBS_KEY } from '../data/followHost.ts';
import { useRequest } from '../data/useRequest.ts';
import { goTo } from '../data/useRoute.ts';

/** Start and stop reading logs, for the library page, the drop target and the palette alike. */
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
    mutationFn: async (kind: 'files' | 'directory') => {
      const { paths } = await client.request('shell.openDialog', { kind });
      return paths.length > 0 ? client.request('ingest.start', { paths: [...paths] }) : undefined;
    },
    onSettled,
  });
  const startMapped = useMutation({
    mutationFn: ({ path, mapping }: { path: string; mapping: string }) =>
      client.request('ingest.start', { paths: [path], mapping }),
    onSettled,
  });
  /** The dialog grants the file; nothing is read before its fields are mapped. */
  const openFileToMap = useMutation({
    mutationFn: () => client.request('shell.openDialog', { kind: 'files' }),
    onSuccess: ({ paths: [path] }) => {
      if (path !== undefined) goTo({ view: 'mapping' }, `?path=${encodeURIComponent(path)}`);
    },
  });
  const canOpenDialog = shell === 'desktop';
  return { start, startMapped, demo, cancel, openDialog, openFileToMap, pathOf, canOpenDialog };
}

/** Reads the demo run, unless it is there already, and says under which key; undefined when it could not be read. */
export async function openDemoRun(client: Client): Promise<string | undefined> {
  const ended = new Set<number>();
  let wake = (): void => undefined;
  // Listening begins before the request: a small job may be over before its number is known here.
  const stop = client.subscribe((event) => {
    if (event.event !== 'ingest.progress' || event.payload.state === 'running') return;
    ended.add(event.payload.jobId);
    wake();
  });
  try {
    const { jobId } = await client.request('ingest.demo', {});
    const jobs = await client.request('ingest.jobs', {});
    const isRunning = jobs.some((job) => job.jobId === jobId && job.state === 'running');
    if (isRunning && !ended.has(jobId)) {
      await new Promise<void>((resolve) => {
        wake = () => ended.has(jobId) && resolve();
      });
    }
  } finally {
    stop();
  }
  const runs = await client.request('run.list', {});
  const synthetic = runs.filter((run) => run.isSynthetic);
  // The demo log holds an evaluation, too; its training run is the one to look at first.
  return (synthetic.find((run) => run.kind === 'train') ?? synthetic[0])?.runKey;
}
