import { useQuery } from '@tanstack/react-query';
import type { SearchState } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';

const LOOK_EVERY = 700;

/** How far the index of all texts has come; looked at again and again until it is whole. */
export function useSearchState(): SearchState | undefined {
  const client = useClient();
  return useQuery({
    queryKey: ['search.state', {}],
    queryFn: ({ signal }) => client.request('search.state', {}, { signal }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && state.data.indexed < state.data.rollouts ? LOOK_EVERY : false,
  }).data;
}
