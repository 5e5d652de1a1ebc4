import { useCommands } from '../../app/commands.ts';
import { splitLibrary } from '../../data/libraryLink.ts';
import { type Place, parsePlace, pathOfPlace } from '../../data/place.ts';
import { goTo, navigateTo } from '../../data/usePlace.ts';
import { cameFrom, leaveTrail, queryLeftAt } from '../../state/placeMemory.ts';

/**
 * Escape leads to where one came from: these views are opened from a replay, a list, a tree, and from each other.
 *
 * @param otherwise where a link was opened that nothing led to
 * @param isHeld Escape has something else to do first, and did it when this returns true
 * @returns goes back, as Escape does
 */
export function useWayBack(otherwise: Place, isHeld?: () => boolean): () => void {
  const back = () => {
    const path = pathOfPlace(parsePlace(splitLibrary(window.location.pathname).path));
    const from = cameFrom(path);
    leaveTrail(path);
    if (from !== undefined) navigateTo(from);
    else goTo(otherwise, queryLeftAt(pathOfPlace(otherwise)));
  };
  useCommands({
    'place.up': () => {
      if (isHeld?.() !== true) back();
    },
  });
  return back;
}
