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
  return { start, demo, cancel, openDialog, pathOf, canOpenDialog: shell === 'desktop' };
}
