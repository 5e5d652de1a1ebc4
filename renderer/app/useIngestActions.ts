import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useClient, useConnection } from '../data/DataProvider.tsx';
import { openDemoRun } from '../data/demoRun.ts';
import { JOBS_KEY } from '../data/followHost.ts';
import { goTo } from '../data/usePlace.ts';
import { useRequest } from '../data/useRequest.ts';

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
