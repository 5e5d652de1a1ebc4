/** `roc.report` with its progress and a way to stop it: over a whole run it may take seconds. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ParamsOf, RocReport } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';

type ReportParams = Omit<ParamsOf<'roc.report'>, 'progressKey'>;

export interface RocProgress {
  readonly stepsDone: number;
  readonly steps: number;
}

export interface ReportState {
  /** The last one that arrived; of other params while `isComputing`. */
  readonly report: RocReport | undefined;
  readonly error: Error | null;
  readonly isComputing: boolean;
  readonly isStopped: boolean;
  readonly progress: RocProgress | undefined;
  readonly stop: () => void;
  /** Also after a failure, or when the host has forgotten the report. */
  readonly compute: () => Promise<RocReport | undefined>;
}

let lastKey = 0;

/** @param params undefined: nothing is to be computed */
export function useRocReport(params: ReportParams | undefined): ReportState {
  const client = useClient();
  const queryClient = useQueryClient();
  const text = JSON.stringify(params);
  const [stopped, setStopped] = useState<string>();
  const [progress, setProgress] = useState<RocProgress & { readonly key: string }>();
  // One key for each question: what a superseded one still reports is not this one's progress.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key for every question is the point
  const progressKey = useMemo(() => {
    lastKey += 1;
    return `report-${lastKey}-${Math.random().toString(36).slice(2)}`;
  }, [text]);
  useEffect(
    () =>
      client.subscribe((event) => {
        if (event.event !== 'analysis.progress' || event.payload.progressKey !== progressKey) return;
        setProgress({ key: progressKey, ...event.payload });
      }),
    [client, progressKey],
  );
  const isStopped = params !== undefined && stopped === text;
  const queryKey = ['roc.report', params] as const;
  const query = useQuery<RocReport>({
    queryKey,
    queryFn: ({ signal }) => {
      if (params === undefined) throw new Error('a report was asked for before its params were known');
      return client.request('roc.report', { ...params, progressKey }, { signal });
    },
    enabled: params !== undefined && !isStopped,
    // The former report of the same run stays in sight; another run's would be a lie.
    placeholderData: (former) =>
      former !== undefined && former.runId === params?.runId && former.step === params.step
        ? former
        : undefined,
  });
  return {
    report: query.data,
    error: query.error,
    isComputing: query.isFetching,
    isStopped,
    progress: progress?.key === progressKey ? progress : undefined,
    stop: () => {
      setStopped(text);
      void queryClient.cancelQueries({ queryKey });
    },
    compute: async () => {
      setStopped(undefined);
      const answer = await query.refetch();
      return answer.data;
    },
  };
}
