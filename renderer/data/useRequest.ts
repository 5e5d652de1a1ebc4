import { keepPreviousData, type QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { useClient, useLibrary } from './DataProvider.tsx';

export interface UseRequestOptions<M extends Method = Method> {
  /**
   * Keeps the previous response while a new one is loading (another sort order, a filter). A function limits it to
   * some params.
   */
  readonly keepPrevious?: boolean | ((previous: ParamsOf<M>) => boolean);
  /** Refetches whenever a component mounts, since no event reports changes. */
  readonly isFresh?: boolean;
  /** Milliseconds until it is requested again, while a component uses it. For what no event reports. */
  readonly every?: number;
  /** The library to ask, if it is not the current one. */
  readonly library?: string | undefined;
}

/** One contract method as a query. `params` undefined: not known yet, so nothing is requested. */
export function useRequest<M extends Method>(
  method: M,
  params: ParamsOf<M> | undefined,
  options: UseRequestOptions<M> = {},
): UseQueryResult<ResultOf<M>, Error> {
  const client = useClient(options.library);
  const here = useLibrary();
  const { keepPrevious, isFresh = false, every } = options;
  return useQuery<ResultOf<M>, Error, ResultOf<M>, readonly unknown[]>({
    queryKey: requestKey(method, params, options.library === here ? undefined : options.library),
    queryFn: ({ signal }) => {
      if (params === undefined) throw new Error(`${method} was asked before its params were known`);
      return client.request(method, params, { signal });
    },
    enabled: params !== undefined,
    ...(isFresh ? { staleTime: 0 } : {}),
    ...(every === undefined ? {} : { refetchInterval: every }),
    placeholderData:
      typeof keepPrevious === 'function'
        ? (answer, query) => (keepPrevious(query?.queryKey[1] as ParamsOf<M>) ? answer : undefined)
        : keepPrevious
          ? keepPreviousData
          : undefined,
  });
}

/** @param library if it is not the current one; see `followHost.ts` */
export function requestKey<M extends Method>(
  method: M,
  params: ParamsOf<M> | undefined,
  library?: string,
): readonly unknown[] {
  return library === undefined ? [method, params] : [method, params, library];
}

/** The same response from the cache, or from the host, outside a component. */
export function fetchCached<M extends Method>(
  queryClient: QueryClient,
  client: Client,
  method: M,
  params: ParamsOf<M>,
): Promise<ResultOf<M>> {
  return queryClient.fetchQuery({
    queryKey: [method, params],
    queryFn: ({ signal }) => client.request(method, params, { signal }),
  });
}
