import { splitLibrary } from '../data/libraryLink.ts';
import { parseRoute, pathOfRoute, type Route } from '../data/route.ts';
import { goTo, navigateTo } from '../data/useRoute.ts';
import { useCommands } from '../shell/keys/commands.ts';
import { cameFrom, leaveTrail, queryLeftAt } from '../state/routeMemory.ts';

/**
 * Escape leads to where one came from: these views are opened from a replay, a list, a tree, and from each other.
 *
 * @param otherwise where a link was opened that nothing led to
 * @param isHeld Escape has something else to do first, and did it when this returns true
 * @returns goes back, as Escape does
 */
export function useWayBack(otherwise: Route, isHeld?: () => boolean): () => void {
  const back = () => {
    const path = pathOfRoute(parseRoute(splitLibrary(window.location.pathname).path));
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
