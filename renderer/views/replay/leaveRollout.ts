import { labelsPath } from '../../data/labelsLink.ts';
import { type Place, parentPlace, pathOfPlace } from '../../data/place.ts';
import type { QueueLink } from '../../data/queueLink.ts';
import { goTo } from '../../data/usePlace.ts';
import { queryLeftAt } from '../../state/placeMemory.ts';

/** Up, to the list as it was left; out of a queue to where it was begun: lists say what a blind reader is not to know. */
export function leaveRollout(place: Place, queue: QueueLink | undefined): void {
  const parent = parentPlace(place);
  if (queue !== undefined) {
    const [, search] = labelsPath({ ...queue, tab: 'read' }).split('?');
    goTo({ view: 'labels' }, `?${search}`);
  } else if (parent !== undefined) goTo(parent, queryLeftAt(pathOfPlace(parent)));
}
