/** The number of rollouts that match a search, counted in parts. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { SearchCount, SearchCursor } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';

const NO_PARTS: readonly SearchCount[] = [];

export interface SearchCounting {
  readonly parts: readonly SearchCount[];
  readonly error: Error | null;
  readonly isRunning: boolean;
  /** Whether all rollouts in scope were counted. */
  readonly isWhole: boolean;
  /** Discards the count. */
  readonly startOver: () => void;
}

/**
 * @param query undefined: counts nothing
 * @param goesOn false: pauses the count
 */
export function useSearchCount(
  query: string | undefined,
  runId: number | undefined,
  goesOn: boolean,
): SearchCounting {
  const client = useClient();
  const queryClient = useQueryClient();
  const queryKey = ['search.count', { query, runId }] as const;
  const enabled = query !== undefined && goesOn;
  const { data, error, hasNextPage, isFetching, isError, fetchNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      client.request(
        'search.count',
        {
          query: query ?? '',
          ...(runId === undefined ? {} : { runId }),
          ...(pageParam === undefined ? {} : { after: pageParam }),
        },
        { signal },
      ),
    initialPageParam: undefined as SearchCursor | undefined,
    getNextPageParam: (last) => last.next,
    enabled,
  });
  const isDue = enabled && hasNextPage && !isError;
  useEffect(() => {
    if (isDue && !isFetching) void fetchNextPage();
  }, [isDue, isFetching, fetchNextPage]);
  return {
    parts: data?.pages ?? NO_PARTS,
    error,
    isRunning: enabled && (isFetching || isDue),
    isWhole: data !== undefined && !hasNextPage,
    startOver: () => void queryClient.resetQueries({ queryKey }),
  };
}
