/** Adds a tokenizer to a run whose ids have no text, with progress, and removes it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from './DataProvider.tsx';
import { useRequest } from './useRequest.ts';

/**
 * Such files were rejected as logs when their directory was read, so their paths are known. The host checks access
 * again.
 */
const TOKENIZER_FILE = /(^|[/\\])[^/\\]*tokenizer[^/\\]*(?<!_config)\.json$/i;

export function useTokenizer(runKey: string) {
  const client = useClient();
  const queryClient = useQueryClient();
  const shell = useRequest('host.info', {}).data?.shell;
  const files = useRequest('file.list', {}).data ?? [];
  const [share, setShare] = useState<number>();
  const [progressKey] = useState(() => `tokenizer-${Math.random().toString(36).slice(2)}`);
  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.event === 'analysis.progress' && event.payload.progressKey === progressKey)
          setShare(event.payload.share);
      }),
    [client, progressKey],
  );
  // A tokenizer changes all data about the run's tokens. `library.changed` reports that only a little later.
  const onSuccess = () => queryClient.invalidateQueries();
  const give = useMutation({
    mutationFn: (path: string) => client.request('run.setTokenizer', { runKey, path, progressKey }),
    onSuccess,
    onSettled: () => setShare(undefined),
  });
  const takeBack = useMutation({
    mutationFn: () => client.request('run.removeTokenizer', { runKey }),
    onSuccess,
  });
  /** @returns the granted path; undefined if the dialog was dismissed */
  const choose = async (): Promise<string | undefined> => {
    const { paths } = await client.request('shell.openDialog', { kind: 'files' });
    return paths[0];
  };
  return {
    give,
    takeBack,
    choose,
    canChoose: shell === 'desktop',
    share,
    known: files.map(({ path }) => path).filter((path) => TOKENIZER_FILE.test(path)),
  };
}
