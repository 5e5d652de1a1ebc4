/** Samples continuations of a rollout. Their texts arrive while they are sampled. */
import { useEffect, useRef, useState } from 'react';
import type { ContinuationRow, ParamsOf, SampledContinuations } from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { newProgressKey } from './progressKey.ts';

interface ContinuationLine {
  readonly index: number;
  readonly text: string;
  readonly row?: ContinuationRow;
}

export interface Continuations {
  readonly state: 'form' | 'running' | 'ended' | 'stopped';
  readonly lines: readonly ContinuationLine[];
  readonly sampled?: SampledContinuations;
  readonly failure?: string;
}

/** UTF-16 units of a text that is kept for the screen. */
const KEPT_TEXT = 2_000;

export function useContinuations(): Continuations & {
  readonly start: (params: ParamsOf<'sampling.preview'>) => void;
  readonly stop: () => void;
  readonly again: () => void;
} {
  const client = useClient();
  const [state, setState] = useState<Continuations>({ state: 'form', lines: [] });
  const running = useRef<AbortController>(undefined);
  const stop = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);
  const start = (params: ParamsOf<'sampling.preview'>): void => {
    const abort = new AbortController();
    running.current = abort;
    const progressKey = newProgressKey();
    const lines = Array.from({ length: params.settings?.n ?? 1 }, (_, index) => ({ index, text: '' }));
    setState({ state: 'running', lines });
    const change = (index: number, by: (line: ContinuationLine) => ContinuationLine): void =>
      setState((before) => ({
        ...before,
        lines: before.lines.map((line) => (line.index === index ? by(line) : line)),
      }));
    const unsubscribe = client.subscribe((event) => {
      if (event.event !== 'sampling.progress' || event.payload.progressKey !== progressKey) return;
      const { index, text, ended } = event.payload;
      change(index, (line) => ({
        ...line,
        text: (line.text + (text ?? '')).slice(-KEPT_TEXT),
        ...(ended === undefined ? {} : { row: ended }),
      }));
    });
    client
      .request('sampling.start', { ...params, progressKey }, { signal: abort.signal })
      .then(
        (sampled) =>
          setState((before) => ({
            state: 'ended',
            sampled,
            lines: sampled.continuations.map((row) => ({
              index: row.index,
              text: before.lines.find(({ index }) => index === row.index)?.text ?? '',
              row,
            })),
          })),
        (error: unknown) => {
          const failure = error instanceof Error ? error.message : String(error);
          setState((before) =>
            abort.signal.aborted ? { ...before, state: 'stopped' } : { ...before, state: 'form', failure },
          );
        },
      )
      .finally(unsubscribe);
  };
  return { ...state, start, stop, again: () => setState({ state: 'form', lines: [] }) };
}
