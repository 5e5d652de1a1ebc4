/** Where the rail and the keys lead from a place. */
import { type Place, tokensPlaceOf } from '../data/place.ts';

/** The path down to here: levels above the present one are links, levels below are not reachable yet. */
export function levelPlace(
  place: Place,
  view: 'run' | 'step' | 'group' | 'rollout',
  hasSteps = true,
): Place | undefined {
  if (!('runKey' in place)) return undefined;
  const { runKey } = place;
  if (view === 'run') return { view, runKey };
  if (!('step' in place)) return undefined;
  const { step } = place;
  if (view === 'step') return hasSteps ? { view, runKey, step } : undefined;
  if (!('groupKey' in place)) return undefined;
  const { groupKey } = place;
  if (view === 'group') return { view, runKey, step, groupKey };
  return 'ordinal' in place ? { ...place, view } : undefined;
}

/** Of the step where one is chosen, else of the run. */
export function rocPlace(place: Place, hasSteps = true): Place | undefined {
  if (!('runKey' in place)) return undefined;
  const { runKey } = place;
  return 'step' in place && hasSteps
    ? { view: 'stepRoc', runKey, step: place.step }
    : { view: 'roc', runKey };
}

/** Of what is open: a rollout, a group, a step, a run. Without steps a run has no level between its groups and itself. */
export function tokensPlace(place: Place, hasSteps = true): Place | undefined {
  if (!('runKey' in place)) return undefined;
  return 'groupKey' in place || hasSteps ? tokensPlaceOf(place) : tokensPlaceOf({ runKey: place.runKey });
}
