import { readCompare, rolloutRouteOf } from '../data/compareLink.ts';
import { parseRoute, type Route } from '../data/route.ts';
import { useRequest } from '../data/useRequest.ts';
import { useUrlQuery } from '../data/useRoute.ts';
import { useLimitOf } from '../data/useRunOf.ts';
import { lastRunPath } from '../state/routeMemory.ts';

/**
 * The page whose run the rail and its keys lead to: the open one, the first rollout of an open comparison, else the last
 * visited page of the run that the open one is limited to, else of any run.
 */
export function useRunRoute(route: Route): Route {
  const runs = useRequest('run.list', {}).data;
  const limit = useLimitOf(route);
  const [query] = useUrlQuery();
  if ('runKey' in route) return route;
  const lane = route.view === 'compare' ? rolloutRouteOf(readCompare(query).lanes[0] ?? '') : undefined;
  if (lane !== undefined && runs?.some(({ runKey }) => runKey === lane.runKey) === true) return lane;
  const last = parseRoute(lastRunPath() ?? '/');
  const isLeft = 'runKey' in last && runs?.some(({ runKey }) => runKey === last.runKey) === true;
  if (limit === undefined) return isLeft ? last : route;
  return isLeft && last.runKey === limit ? last : { view: 'run', runKey: limit };
}
