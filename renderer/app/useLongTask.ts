/** Something the host does once and for long: how far it is, and that it can be given up. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { useClient } from '../data/DataProvider.tsx';

interface LongTaskOptions<M extends Method> {
  /** Until it ends, only its own button ends it. */
  readonly onRunning: (isRunning: boolean) => void;
  readonly onSuccess: (result: ResultOf<M>) => void | Promise<void>;
}

/** @param method whose params take a `progressKey` */
export function useLongTask<M extends Method>(method: M, { onRunning, onSuccess }: LongTaskOptions<M>) {
  const client = useClient();
  /** 0 … 1; unknown before the first news. */
  const [share, setShare] = useState<number>();
  const [progressKey] = useState(() => `${method}-${Math.random().toString(36).slice(2)}`);
  const abort = useRef<AbortController>(undefined);
  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.event === 'analysis.progress' && event.payload.progressKey === progressKey)
          setShare(event.payload.share);
      }),
    [client, progressKey],
  );
  const task = useMutation({
    mutationFn: (params: ParamsOf<M>) => {
      abort.current = new AbortController();
      onRunning(true);
      const { signal } = abort.current;
      return client.request(method, { ...params, progressKey }, { signal });
    },
    onSettled: () => {
      onRunning(false);
      setShare(undefined);
    },
    onSuccess,
  });
  return { task, share, cancel: () => abort.current?.abort() };
}
