/** Where the rail and the keys lead from a route. */
import { type Route, tokensRouteOf } from '../data/route.ts';

/** The path down to here: levels above the present one are links, levels below are not reachable yet. */
export function levelRoute(
  route: Route,
  view: 'run' | 'step' | 'group' | 'rollout',
  hasSteps = true,
): Route | undefined {
  if (!('runKey' in route)) return undefined;
  const { runKey } = route;
  if (view === 'run') return { view, runKey };
  if (!('step' in route)) return undefined;
  const { step } = route;
  if (view === 'step') return hasSteps ? { view, runKey, step } : undefined;
  if (!('groupKey' in route)) return undefined;
  const { groupKey } = route;
  if (view === 'group') return { view, runKey, step, groupKey };
  return 'ordinal' in route ? { ...route, view } : undefined;
}

/** Of the step where one is chosen, else of the run. */
export function rocRoute(route: Route, hasSteps = true): Route | undefined {
  if (!('runKey' in route)) return undefined;
  const { runKey } = route;
  return 'step' in route && hasSteps
    ? { view: 'stepRoc', runKey, step: route.step }
    : { view: 'roc', runKey };
}

/** Of what is open: a rollout, a group, a step, a run. Without steps a run has no level between its groups and itself. */
export function tokensRoute(route: Route, hasSteps = true): Route | undefined {
  if (!('runKey' in route)) return undefined;
  return 'groupKey' in route || hasSteps ? tokensRouteOf(route) : tokensRouteOf({ runKey: route.runKey });
}
