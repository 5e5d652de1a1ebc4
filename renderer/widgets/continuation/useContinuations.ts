/** Samples continuations, resumes a request, or reads the answers of a batch. Texts arrive while they are sampled. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type {
  AnsweredBatch,
  ContinuationRow,
  InterruptedContinuations,
  ParamsOf,
  ReadAnswers,
  SampledContinuations,
} from '../../../shared/api/contract.ts';
import { useClient } from '../../data/DataProvider.tsx';
import { count, counted } from '../../ui/numbers.ts';
import { newProgressKey, partsOfLines, summaryOf } from './continuationModel.ts';

export interface ContinuationLine {
  readonly index: number;
  readonly text: string;
  readonly row?: ContinuationRow;
}

export interface Continuations {
  readonly state: 'form' | 'running' | 'ended' | 'stopped';
  readonly lines: readonly ContinuationLine[];
  readonly sampled?: SampledContinuations;
  /** A file of answers that was read, or is being read. */
  readonly file?: { readonly name: string; readonly read?: ReadAnswers };
  readonly failure?: string;
}

/** UTF-16 units of a text that is kept for the screen. */
const KEPT_TEXT = 2_000;
/** UTF-16 units of answers in one request. A page sends at most 8 MiB at once, and a unit can take 3 bytes. */
const PART = 2_000_000;

/** The state as a sentence. */
export function statusText({ state, lines, sampled, file }: Continuations): string {
  const done = lines.filter(({ row }) => row !== undefined).length;
  switch (state) {
    case 'form':
      return '';
    case 'running':
      return file === undefined
        ? `${count(done)} of ${counted(lines.length, 'continuation')} ended`
        : `Reading ${file.name}…`;
    case 'stopped':
      return file === undefined ? `Stopped. ${counted(done, 'continuation')} stored.` : 'Stopped.';
    case 'ended':
      if (file !== undefined) return `${counted(file.read?.answers ?? 0, 'answer')} read from ${file.name}`;
      return summaryOf(sampled?.continuations ?? []);
  }
}

const FORM: Continuations = { state: 'form', lines: [] };

export function useContinuations(): Continuations & {
  readonly start: (params: ParamsOf<'sampling.preview'>) => void;
  readonly resume: (request: InterruptedContinuations) => void;
  readonly read: (file: File) => void;
  readonly stop: () => void;
  readonly again: () => void;
} {
  const client = useClient();
  const queryClient = useQueryClient();
  const [state, setState] = useState(FORM);
  const running = useRef<AbortController>(undefined);
  const stop = (): void => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);

  const begin = (before: Pick<Continuations, 'lines' | 'file'>): AbortSignal => {
    const abort = new AbortController();
    running.current = abort;
    setState({ state: 'running', ...before });
    return abort.signal;
  };
  const ended = async (asked: Promise<Partial<Continuations>>, signal: AbortSignal): Promise<void> => {
    try {
      const result = await asked;
      setState((before) => ({ ...before, ...result, state: 'ended' }));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      setState((before) =>
        signal.aborted ? { ...before, state: 'stopped' } : { ...before, state: 'form', failure },
      );
    }
    await queryClient.invalidateQueries({ queryKey: ['sampling.interrupted'] });
  };

  /** @param indices those that are sampled */
  const sample = (
    indices: readonly number[],
    ask: (progressKey: string, signal: AbortSignal) => Promise<SampledContinuations>,
  ): void => {
    const progressKey = newProgressKey();
    const signal = begin({ lines: indices.map((index) => ({ index, text: '' })) });
    const texts = new Map<number, string>();
    const unsubscribe = client.subscribe((event) => {
      if (event.event !== 'sampling.progress' || event.payload.progressKey !== progressKey) return;
      const { index, text = '', ended: row } = event.payload;
      const kept = ((texts.get(index) ?? '') + text).slice(-KEPT_TEXT);
      texts.set(index, kept);
      setState((before) => ({
        ...before,
        lines: before.lines.map((line) =>
          line.index === index ? { ...line, text: kept, ...(row === undefined ? {} : { row }) } : line,
        ),
      }));
    });
    const asked = ask(progressKey, signal)
      .then((sampled) => ({
        sampled,
        lines: sampled.continuations.map((row) => ({
          index: row.index,
          text: texts.get(row.index) ?? '',
          row,
        })),
      }))
      .finally(unsubscribe);
    void ended(asked, signal);
  };

  const readFile = async (file: File, signal: AbortSignal): Promise<Partial<Continuations>> => {
    const continuations = new Map<string, AnsweredBatch>();
    const failures: ReadAnswers['failures'][number][] = [];
    let answers = 0;
    for (const { firstLine, lines } of partsOfLines(await file.text(), PART)) {
      const read = await client.request('sampling.read', { lines }, { signal });
      for (const one of read.continuations) continuations.set(one.id, one);
      failures.push(...read.failures.map(({ line, message }) => ({ line: firstLine - 1 + line, message })));
      answers += read.answers;
    }
    const read = { continuations: [...continuations.values()], failures, answers };
    return { file: { name: file.name, read } };
  };

  return {
    ...state,
    start: (params) =>
      sample([...Array(params.settings?.n ?? 1).keys()], (progressKey, signal) =>
        client.request('sampling.start', { ...params, progressKey }, { signal }),
      ),
    resume: ({ id, missing }) =>
      sample(missing, (progressKey, signal) =>
        client.request('sampling.resume', { id, progressKey }, { signal }),
      ),
    read: (file) => {
      const signal = begin({ lines: [], file: { name: file.name } });
      void ended(readFile(file, signal), signal);
    },
    stop,
    again: () => setState(FORM),
  };
}
