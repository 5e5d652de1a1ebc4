/** Giving a run the vocabulary of its ids, with progress, and taking it back. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from './DataProvider.tsx';
import { useRequest } from './useRequest.ts';

/** Refused as logs when their directory was read, and so known by path; the host decides anew whether it may read them. */
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
  // Places of tokens change whatever was made of them, in this run; `library.changed` says so a little later.
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
  /** @returns the granted path; undefined when the dialog was dismissed */
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
