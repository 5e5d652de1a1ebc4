import { pathOfRoute, type Route } from '../data/route.ts';
import { goTo, navigateTo, presentPath } from '../data/useRoute.ts';
import { useCommands } from '../shell/keys/commands.ts';
import { cameFrom, leaveTrail, queryLeftAt } from '../state/routeMemory.ts';

/**
 * Escape returns to the previous page, since these views are opened from replays, lists, trees, and each other.
 *
 * @param otherwise the target if the page was opened directly
 * @param isHeld called first; returns true if it has handled Escape itself
 * @returns goes back, as Escape does
 */
export function useWayBack(otherwise: Route, isHeld?: () => boolean): () => void {
  const back = () => {
    const path = presentPath();
    const from = cameFrom(path);
    leaveTrail(path);
    if (from !== undefined) navigateTo(from);
    else goTo(otherwise, queryLeftAt(pathOfRoute(otherwise)));
  };
  useCommands({
    'place.up': () => {
      if (isHeld?.() !== true) back();
    },
  });
  return back;
}
