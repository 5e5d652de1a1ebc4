import type { RunSummary } from '../../shared/api/contract.ts';
import type { Route } from './route.ts';
import { useRequest } from './useRequest.ts';
import { useUrlQuery } from './useRoute.ts';

/** The run of a route, from the library's list. */
export function useRunOf(route: Route): RunSummary | undefined {
  const runs = useRequest('run.list', {}).data;
  return 'runKey' in route ? runs?.find(({ runKey }) => runKey === route.runKey) : undefined;
}

/** Pages of the library that their link (`?run=`) may limit to one run. */
const LIMITABLE: ReadonlySet<Route['view']> = new Set(['search', 'labels']);

/** Key of the run that a page of the library is limited to. Undefined: it covers all runs. */
export function useLimitOf(route: Route): string | undefined {
  const runs = useRequest('run.list', {}).data;
  const [query] = useUrlQuery();
  const wanted = LIMITABLE.has(route.view) ? query.get('run') : null;
  return runs?.find(({ runKey }) => runKey === wanted)?.runKey;
}
