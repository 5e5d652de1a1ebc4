/** Samples the value by turn of a rollout. What has ended is stored, and shown by the query of stored continuations. */
import { useEffect, useRef, useState } from 'react';
import type { ParamsOf, SampledValue } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { newProgressKey } from './continuationModel.ts';

interface ValueSampling {
  readonly state: 'form' | 'running' | 'stopped' | 'ended';
  /** Continuations of this request that have ended. */
  readonly ended: number;
  /** The turn from whose end was sampled last. */
  readonly turn?: number;
  readonly sampled?: SampledValue;
  readonly failure?: string;
}

export function useSampledValue(): ValueSampling & {
  readonly start: (params: ParamsOf<'sampling.value'>) => void;
  readonly stop: () => void;
} {
  const client = useClient();
  const [state, setState] = useState<ValueSampling>({ state: 'form', ended: 0 });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = (params: ParamsOf<'sampling.value'>): void => {
    const abort = new AbortController();
    running.current = abort;
    const progressKey = newProgressKey();
    setState({ state: 'running', ended: 0 });
    const unsubscribe = client.subscribe((event) => {
      if (event.event !== 'sampling.progress' || event.payload.progressKey !== progressKey) return;
      const { turn, ended } = event.payload;
      if (ended?.failure === undefined && ended !== undefined)
        setState((before) => ({
          ...before,
          ended: before.ended + 1,
          ...(turn === undefined ? {} : { turn }),
        }));
    });
    client
      .request('sampling.value', { ...params, progressKey }, { signal: abort.signal })
      .then(
        (sampled) => setState((before) => ({ ...before, state: 'ended', sampled })),
        (error: unknown) => {
          const failure = error instanceof Error ? error.message : String(error);
          setState((before) => ({
            ...before,
            state: 'stopped',
            ...(abort.signal.aborted ? {} : { failure }),
          }));
        },
      )
      .finally(unsubscribe);
  };
  return { ...state, start, stop: () => running.current?.abort() };
}
