import { keepPreviousData, type QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { useClient, useLibrary } from './DataProvider.tsx';

export interface UseRequestOptions<M extends Method = Method> {
  /** Show the former answer while a new one is under way (another sort order, a filter), or only that of some params. */
  readonly keepPrevious?: boolean | ((previous: ParamsOf<M>) => boolean);
  /** Asks again whenever a component begins to use it: no event tells of changes. */
  readonly isFresh?: boolean;
  /** Asked of another library than is looked at. */
  readonly library?: string | undefined;
}

/** One contract method as a query. `params` undefined means: not yet known, do not ask. */
export function useRequest<M extends Method>(
  method: M,
  params: ParamsOf<M> | undefined,
  options: UseRequestOptions<M> = {},
): UseQueryResult<ResultOf<M>, Error> {
  const client = useClient(options.library);
  const here = useLibrary();
  const { keepPrevious, isFresh = false } = options;
  return useQuery<ResultOf<M>, Error, ResultOf<M>, readonly unknown[]>({
    queryKey: requestKey(method, params, options.library === here ? undefined : options.library),
    queryFn: ({ signal }) => {
      if (params === undefined) throw new Error(`${method} was asked before its params were known`);
      return client.request(method, params, { signal });
    },
    enabled: params !== undefined,
    ...(isFresh ? { staleTime: 0 } : {}),
    placeholderData:
      typeof keepPrevious === 'function'
        ? (answer, query) => (keepPrevious(query?.queryKey[1] as ParamsOf<M>) ? answer : undefined)
        : keepPrevious
          ? keepPreviousData
          : undefined,
  });
}

/** @param library another one than is looked at; see `followHost.ts` */
export function requestKey<M extends Method>(
  method: M,
  params: ParamsOf<M> | undefined,
  library?: string,
): readonly unknown[] {
  return library === undefined ? [method, params] : [method, params, library];
}

/** The same answer from the cache, or from the host, outside a component. */
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
