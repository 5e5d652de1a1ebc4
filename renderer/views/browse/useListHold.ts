/** Lists of a followed run are held still unless the run is pinned; this is how a list of it asks. */
import { useLive } from '../../data/useLive.ts';
import { useInterface } from '../../state/interface.ts';

export interface ListHold {
  readonly isHeld: boolean;
  readonly isPinned: boolean;
}

export function useListHold(runKey: string): ListHold {
  const isFollowed = useLive(runKey).follow !== undefined;
  const isPinned = useInterface((state) => state.pinnedRuns[runKey]) === true && isFollowed;
  return { isPinned, isHeld: isFollowed && !isPinned };
}
