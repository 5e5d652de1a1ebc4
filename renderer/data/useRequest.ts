import { keepPreviousData, type QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import type { Client } from '../../shared/api/transport.ts';
import { useClient } from './DataProvider.tsx';

export interface UseRequestOptions {
  /** Show the former answer while a new one is under way (another sort order, a filter). */
  readonly keepPrevious?: boolean;
}

/** One contract method as a query. `params` undefined means: not yet known, do not ask. */
export function useRequest<M extends Method>(
  method: M,
  params: ParamsOf<M> | undefined,
  options: UseRequestOptions = {},
): UseQueryResult<ResultOf<M>, Error> {
  const client = useClient();
  return useQuery({
    queryKey: [method, params],
    queryFn: ({ signal }) => {
      if (params === undefined) throw new Error(`${method} was asked before its params were known`);
      return client.request(method, params, { signal });
    },
    enabled: params !== undefined,
    placeholderData: options.keepPrevious ? keepPreviousData : undefined,
  });
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
