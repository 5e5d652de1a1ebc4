import type { RunSummary } from '../../shared/api/contract.ts';
import type { Route } from './route.ts';
import { useRequest } from './useRequest.ts';

/** The run of a route, from the library's list. */
export function useRunOf(route: Route): RunSummary | undefined {
  const runs = useRequest('run.list', {}).data;
  return 'runKey' in route ? runs?.find(({ runKey }) => runKey === route.runKey) : undefined;
}
