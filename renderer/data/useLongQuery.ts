/** Requests that take seconds to minutes, with progress and cancellation. */
import {
  skipToken,
  type UseQueryOptions,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { GroupOrder, Method, ParamsOf, ResultOf, RolloutOrder } from '../../shared/api/contract.ts';
import { useClient, useConnection, useLibrary } from './DataProvider.tsx';
import { seedRows } from './usePage.ts';
import { requestKey } from './useRequest.ts';

type LongMethod =
  | 'rollout.order'
  | 'group.order'
  | 'roc.report'
  | 'token.statistics'
  | 'token.occurrences'
  | 'eval.summary'
  | 'eval.retries'
  | 'step.schedule'
  | 'step.series'
  | 'run.latencies'
  | 'problem.failures'
  | 'detector.report'
  | 'compare.alike'
  | 'library.sizes'
  | 'warehouse.rollouts'
  | 'warehouse.latencies';
export type LongParams<M extends LongMethod> = Omit<ParamsOf<M>, 'progressKey'>;

export interface Progress {
  readonly stepsDone: number;
  readonly steps: number;
  /** Overall progress, 0…1. */
  readonly share: number;
}

export interface LongState<Data> {
  /** The latest response. While `isFormer`, it belongs to other params of the same scope. */
  readonly data: Data | undefined;
  readonly isFormer: boolean;
  readonly error: Error | null;
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly progress: Progress | undefined;
  readonly stop: () => void;
  /** Requests again after a stop, a failure, or when the host has evicted the result. */
  readonly restart: () => Promise<Data | undefined>;
}

/**
 * @param params undefined: requests nothing
 * @param isReady false: does not request yet, but keeps the previous response of the same scope
 * @param library absent: the current one
 */
export function useLongQuery<M extends LongMethod>(
  method: M,
  params: LongParams<M> | undefined,
  isReady = true,
  library?: string,
): LongState<ResultOf<M>> {
  const client = useClient(library);
  const here = useLibrary();
  const queryClient = useQueryClient();
  const isAsked = params !== undefined && isReady;
  const question = JSON.stringify(params);
  const { progressKey, progress } = useProgress([library ?? here], question, isAsked);
  const queryKey = [method, params, ...(library === undefined || library === here ? [] : [library])];
  const { isStopped, stop, resume } = useStop(question, [queryKey]);
  const query = useQuery<ResultOf<M>>({
    queryKey,
    queryFn: async ({ signal }) => {
      if (params === undefined) throw new Error(`${method} was asked before its params were known`);
      // The cast adds the rest of ParamsOf<M>, which a generic method hides from the compiler.
      const asked = { ...params, progressKey } as unknown as ParamsOf<M>;
      const askedAt = Date.now();
      const answer = await client.request(method, asked, { signal });
      if (isListOrder(answer)) seedRows(queryClient, askedAt, answer);
      return answer;
    },
    enabled: isAsked && !isStopped,
    // Keep the previous response of the same scope on screen. One of another run would be wrong.
    placeholderData: (former, query) => (isSameScope(query?.queryKey[1], params) ? former : undefined),
  });
  return {
    data: query.data,
    isFormer: query.isPlaceholderData,
    error: query.error,
    isRunning: query.isFetching,
    isStopped: isAsked && isStopped,
    progress,
    stop,
    restart: async () => {
      resume();
      return (await query.refetch()).data;
    },
  };
}

export interface SeriesRun {
  /** Absent: nothing of the run is in a library. */
  readonly runId?: number | undefined;
  /** Absent: the current library. */
  readonly library?: string | undefined;
  /** Empty: all rollouts. */
  readonly filter: string;
  /** The run in the warehouse, and the steps whose values are counted there. Without steps: all that it has. */
  readonly elsewhere?: { readonly run: string; readonly steps?: ReadonlySet<number> } | undefined;
}

type Series = ResultOf<'step.series'>;

export interface StepSeriesState extends Omit<LongState<never>, 'data' | 'isFormer' | 'restart'> {
  /** In the order of the request. Undefined: loading. */
  readonly data: readonly (Series['steps'] | undefined)[];
  /** Only the warehouse is still counting, and the progress is that of the warehouse. */
  readonly isElsewhere: boolean;
  readonly restart: () => void;
}

/**
 * The values of charts, for several runs or for one run under several filters. They are requested together, so they
 * share progress and cancellation.
 * @param runs empty: requests nothing
 */
export function useStepSeries(runs: readonly SeriesRun[]): StepSeriesState {
  const { clientOf } = useConnection();
  const here = useLibrary();
  const isAsked = runs.length > 0;
  const question = JSON.stringify(
    runs.map(({ runId, library, filter, elsewhere }) => [runId, library, filter, elsewhere?.run]),
  );
  const libraries = runs.map(({ library }) => library ?? here);
  const { progressKey, progress } = useProgress(libraries, question, isAsked);
  const there = useProgress([here], question, isAsked);
  const keys = runs.map(({ runId, library, filter }) =>
    requestKey('step.series', runId === undefined ? undefined : { runId, filter }, library),
  );
  const keysThere = runs.map(({ filter, elsewhere }) =>
    requestKey('warehouse.steps', { run: elsewhere?.run ?? '', filter }),
  );
  const { isStopped, stop, resume } = useStop(question, [...keys, ...keysThere]);
  const queries = useQueries({
    queries: runs.map(
      ({ runId, library, filter }, i): UseQueryOptions<Series> => ({
        queryKey: keys[i] ?? [],
        queryFn:
          runId === undefined
            ? skipToken
            : ({ signal }) =>
                clientOf(library ?? here).request('step.series', { runId, filter, progressKey }, { signal }),
        enabled: !isStopped,
      }),
    ),
  });
  const queriesThere = useQueries({
    queries: runs.map(
      ({ filter, elsewhere }, i): UseQueryOptions<ResultOf<'warehouse.steps'>> => ({
        queryKey: keysThere[i] ?? [],
        queryFn: ({ signal }) =>
          clientOf(here).request(
            'warehouse.steps',
            { run: elsewhere?.run ?? '', filter, progressKey: there.progressKey },
            { signal },
          ),
        enabled: !isStopped && isAskedThere({ elsewhere }),
      }),
    ),
  });
  const data = runs.map((run, i) =>
    withElsewhere(
      run.runId === undefined ? [] : queries[i]?.data?.steps,
      isAskedThere(run) ? run.elsewhere : undefined,
      queriesThere[i]?.data,
    ),
  );
  const asked = [...queries, ...queriesThere];
  const isElsewhere = isAnyFetching(queriesThere) && !isAnyFetching(queries);
  return {
    data,
    error: asked.find(({ error }) => error !== null)?.error ?? null,
    isRunning: isAnyFetching(asked),
    isStopped: isAsked && isStopped,
    isElsewhere,
    progress: isElsewhere ? there.progress : progress,
    stop,
    restart: () => {
      resume();
      const again = [
        ...queries.filter((_, i) => runs[i]?.runId !== undefined),
        ...queriesThere.filter((_, i) => isAskedThere(runs[i])),
      ];
      for (const query of again) if (query.data === undefined || query.error !== null) void query.refetch();
    },
  };
}

const isAnyFetching = (queries: readonly { readonly isFetching: boolean }[]): boolean =>
  queries.some(({ isFetching }) => isFetching);

const isAskedThere = (run: Pick<SeriesRun, 'elsewhere'> | undefined): boolean =>
  run?.elsewhere !== undefined && run.elsewhere.steps?.size !== 0;

/** Values of the steps that are elsewhere are added to those here, or take their place. */
function withElsewhere(
  here: Series['steps'] | undefined,
  elsewhere: SeriesRun['elsewhere'],
  there: ResultOf<'warehouse.steps'> | undefined,
): Series['steps'] | undefined {
  if (here === undefined || elsewhere === undefined) return here;
  // Without the others, a part of the run would look like all of it.
  if (there === undefined) return undefined;
  const { steps = new Set(there.map(({ facts }) => facts.step)) } = elsewhere;
  const others = there.flatMap(({ facts }) => (steps.has(facts.step) ? [facts] : []));
  return [...here.filter(({ step }) => !steps.has(step)), ...others].sort((a, b) => a.step - b.step);
}

interface LongTaskOptions<M extends Method> {
  readonly onRunning: (isRunning: boolean) => void;
  /** A follow-up step of the task. It fails and is cancelled with the task. */
  readonly afterwards?: (result: ResultOf<M>, signal: AbortSignal) => Promise<void>;
  readonly onSuccess: (result: ResultOf<M>) => void | Promise<void>;
}

/**
 * A long request that changes something, started by the user. It continues when its component unmounts.
 * @param method whose params have a `progressKey`
 */
export function useLongTask<M extends Method>(
  method: M,
  { onRunning, afterwards, onSuccess }: LongTaskOptions<M>,
) {
  const library = useLibrary();
  const client = useClient();
  const [attempt, setAttempt] = useState(0);
  const { progressKey, progress } = useProgress([library], `${method} ${attempt}`, true);
  const { begin, stop } = useAbort();
  const task = useMutation({
    mutationFn: async (params: ParamsOf<M>) => {
      onRunning(true);
      const signal = begin();
      const result = await client.request(method, { ...params, progressKey }, { signal });
      await afterwards?.(result, signal);
      return result;
    },
    onSettled: () => {
      onRunning(false);
      setAttempt((before) => before + 1);
    },
    onSuccess,
  });
  return { start: task.mutate, isRunning: task.isPending, error: task.error, progress, stop };
}

interface Abort {
  readonly begin: () => AbortSignal;
  readonly stop: () => void;
  /** Whether no later work has begun. */
  readonly isLatest: (signal: AbortSignal) => boolean;
}

/** Allows one piece of work at a time: `begin` aborts the previous one. */
export function useAbort(): Abort {
  const running = useRef<AbortController>(undefined);
  return useMemo(() => {
    const stop = () => running.current?.abort();
    const begin = () => {
      stop();
      running.current = new AbortController();
      return running.current.signal;
    };
    return { begin, stop, isLatest: (signal) => running.current?.signal === signal };
  }, []);
}

interface Stop {
  readonly isStopped: boolean;
  readonly stop: () => void;
  readonly resume: () => void;
}

/** Stops one question: cancels its requests, and keeps it stopped until `resume`. Other questions are not affected. */
export function useStop(question: string | undefined, queryKeys: readonly (readonly unknown[])[]): Stop {
  const queryClient = useQueryClient();
  const [stopped, setStopped] = useState<{ readonly question: string | undefined }>();
  return {
    isStopped: stopped !== undefined && stopped.question === question,
    stop: () => {
      setStopped({ question });
      for (const queryKey of queryKeys) void queryClient.cancelQueries({ queryKey });
    },
    resume: () => setStopped(undefined),
  };
}

let lastKey = 0;

/** @param question each gets its own key, so that progress of a superseded request is ignored */
function useProgress(libraries: readonly string[], question: string | undefined, isAsked: boolean) {
  const { clientOf } = useConnection();
  const [progress, setProgress] = useState<Progress & { readonly key: string }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each question needs a new key
  const progressKey = useMemo(() => {
    lastKey += 1;
    return `analysis-${lastKey}-${Math.random().toString(36).slice(2)}`;
  }, [question]);
  const asked = [...new Set(libraries)].join('\n');
  useEffect(() => {
    if (!isAsked) return;
    const unsubscribes = asked.split('\n').map((library) =>
      clientOf(library).subscribe((event) => {
        if (event.event !== 'analysis.progress' || event.payload.progressKey !== progressKey) return;
        const { stepsDone, steps, share = stepsDone / Math.max(1, steps) } = event.payload;
        setProgress({ key: progressKey, stepsDone, steps, share });
      }),
    );
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
    };
  }, [clientOf, asked, progressKey, isAsked]);
  return { progressKey, progress: progress?.key === progressKey ? progress : undefined };
}

function isListOrder(answer: unknown): answer is GroupOrder | RolloutOrder {
  return typeof answer === 'object' && answer !== null && 'ids' in answer && 'rows' in answer;
}

const SCOPE = ['runId', 'runKey', 'run', 'step', 'groupId', 'rolloutId'] as const;

/** Whether the params of two requests cover the same rollouts. */
function isSameScope(former: unknown, params: unknown): boolean {
  if (typeof former !== 'object' || former === null) return false;
  if (typeof params !== 'object' || params === null) return false;
  const before: Partial<Record<string, unknown>> = { ...former };
  const now: Partial<Record<string, unknown>> = { ...params };
  const isOfRun = ['runId', 'runKey', 'run'].some((name) => before[name] !== undefined);
  return isOfRun && SCOPE.every((name) => before[name] === now[name]);
}
