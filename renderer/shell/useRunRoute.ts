import { parseRoute, type Route } from '../data/route.ts';
import { useRequest } from '../data/useRequest.ts';
import { useLimitOf } from '../data/useRunOf.ts';
import { lastRunPath } from '../state/routeMemory.ts';

/**
 * The page whose run the rail and its keys lead to: the open one, else the last visited page of the run that the open one
 * is limited to, else of any run.
 */
export function useRunRoute(route: Route): Route {
  const runs = useRequest('run.list', {}).data;
  const limit = useLimitOf(route);
  if ('runKey' in route) return route;
  const last = parseRoute(lastRunPath() ?? '/');
  const isLeft = 'runKey' in last && runs?.some(({ runKey }) => runKey === last.runKey) === true;
  if (limit === undefined) return isLeft ? last : route;
  return isLeft && last.runKey === limit ? last : { view: 'run', runKey: limit };
}
