/** A search, page by page, until enough is found or everything was searched. Also the state of the index. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SearchCursor, SearchPage, SearchState } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';
import { useStop } from './useLongQuery.ts';

/** Rollouts found before it waits for the user to scroll. */
const FIRST_FOUND = 200;
const NO_PAGES: readonly SearchPage[] = [];

export interface SearchPages {
  readonly pages: readonly SearchPage[];
  readonly error: Error | null;
  readonly isRunning: boolean;
  /** Whether everything was searched. */
  readonly isWhole: boolean;
  readonly isStopped: boolean;
  readonly stop: () => void;
  /** Continues after a stop or a failure. */
  readonly restart: () => void;
  /** Called when the end of the results becomes visible. */
  readonly more: () => void;
  /** Searches again from the first page. */
  readonly startOver: () => void;
}

/** @param query undefined: searches nothing */
export function useSearchPages(query: string | undefined, runId: number | undefined): SearchPages {
  const client = useClient();
  const queryClient = useQueryClient();
  const key = JSON.stringify([query, runId]);
  const [wanted, setWanted] = useState({ key, rollouts: FIRST_FOUND });
  const queryKey = ['search.page', { query, runId }] as const;
  const { isStopped, stop, resume } = useStop(key, [queryKey]);
  const { data, error, hasNextPage, isFetching, isError, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      client.request(
        'search.page',
        {
          query: query ?? '',
          ...(runId === undefined ? {} : { runId }),
          ...(pageParam === undefined ? {} : { after: pageParam }),
        },
        { signal },
      ),
    initialPageParam: undefined as SearchCursor | undefined,
    getNextPageParam: (last) => last.next,
    enabled: query !== undefined && !isStopped,
  });
  const pages = data?.pages ?? NO_PAGES;
  const found = pages.reduce(
    (sum, page) => sum + page.groups.reduce((n, group) => n + group.found.length, 0),
    0,
  );
  const enough = wanted.key === key ? wanted.rollouts : FIRST_FOUND;
  const goesOn = query !== undefined && !isStopped && hasNextPage && !isError && found < enough;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  return {
    pages,
    error,
    isRunning: query !== undefined && !isStopped && (isFetching || goesOn),
    isWhole: data !== undefined && !hasNextPage,
    isStopped,
    stop,
    restart: () => {
      resume();
      if (data === undefined || isError) void refetch();
    },
    more: () => {
      if (hasNextPage && found >= enough) setWanted({ key, rollouts: found + FIRST_FOUND });
    },
    startOver: () => {
      resume();
      setWanted({ key, rollouts: FIRST_FOUND });
      void queryClient.resetQueries({ queryKey });
    },
  };
}

const LOOK_EVERY = 700;

/** State of the full-text index. Polled until the index is complete. */
export function useSearchState(): SearchState | undefined {
  const client = useClient();
  return useQuery({
    queryKey: ['search.state', {}],
    queryFn: ({ signal }) => client.request('search.state', {}, { signal }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.indexed < state.data.rollouts ? LOOK_EVERY : false,
  }).data;
}
