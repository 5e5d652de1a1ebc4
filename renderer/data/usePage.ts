/**
 * Opens a page by its address with a single request, whose response also fills the cache for the page's first
 * requests.
 */
import {
  keepPreviousData,
  type QueryClient,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import {
  FIRST_ROWS,
  type GroupRow,
  type OpenedPage,
  type ParamsOf,
  type RolloutRow,
} from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';

type PageIds = Omit<OpenedPage, 'answers'>;
type PageParams = ParamsOf<'page.open'>;

/**
 * @param params undefined: nothing is to be opened
 * @param keepPrevious keeps the previous page on screen until the new one has loaded
 */
export function usePage(
  params: PageParams | undefined,
  keepPrevious = false,
): UseQueryResult<PageIds, Error> {
  const client = useClient();
  const queryClient = useQueryClient();
  const address = params && addressOf(params);
  const queryKey = ['page.open', address] as const;
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      if (params === undefined || address === undefined)
        throw new Error('a page was opened before its address was known');
      // A refetch sends only the address, since the page's own queries refetch the rest.
      const isOpen = queryClient.getQueryData(queryKey) !== undefined;
      const askedAt = Date.now();
      const { answers, ...ids } = await client.request('page.open', isOpen ? address : params, { signal });
      for (const { method, params: asked, value } of answers)
        seed(queryClient, askedAt, method, asked, value);
      return ids;
    },
    enabled: params !== undefined,
    placeholderData: keepPrevious ? keepPreviousData : undefined,
  });
}

/** The ids of a page that another component opens. Undefined until then. Nothing is requested. */
export function useOpenedPage(params: PageParams | undefined): PageIds | undefined {
  const queryClient = useQueryClient();
  return useSyncExternalStore(
    (onChange) => queryClient.getQueryCache().subscribe(onChange),
    () => params && queryClient.getQueryData<PageIds>(['page.open', addressOf(params)]),
  );
}

/**
 * Puts the rows that came with a list's order into the cache, where the list looks for them.
 * @param askedAt when the order was requested, in milliseconds since 1970
 */
export function seedRows(
  queryClient: QueryClient,
  askedAt: number,
  order: {
    readonly ids: Uint32Array;
    readonly rows?: readonly RolloutRow[] | readonly GroupRow[];
    readonly groups?: readonly GroupRow[];
  },
): void {
  const { ids, rows, groups } = order;
  if (rows === undefined) return;
  const first = [...ids.subarray(0, FIRST_ROWS)];
  if (groups === undefined) seed(queryClient, askedAt, 'group.rows', { groupIds: first }, rows);
  else {
    seed(queryClient, askedAt, 'rollout.rows', { rolloutIds: first }, rows);
    const groupIds = groups.map(({ groupId }) => groupId);
    seed(queryClient, askedAt, 'group.rows', { groupIds }, groups);
  }
}

function seed(
  queryClient: QueryClient,
  askedAt: number,
  method: string,
  params: unknown,
  value: unknown,
): void {
  const known = queryClient.getQueryState([method, params]);
  // The cached row may include a change that this response does not.
  if (known !== undefined && known.dataUpdatedAt >= askedAt) return;
  queryClient.setQueryData([method, params], value);
}

function addressOf({ runKey, step, groupKey, ordinal }: PageParams): PageParams {
  return { runKey, step, groupKey, ordinal };
}
