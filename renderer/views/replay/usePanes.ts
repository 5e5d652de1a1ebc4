import { useSyncExternalStore } from 'react';
import { useInterface } from '../../state/interface.ts';

export interface Panes {
  readonly isOutlineOpen: boolean;
  readonly isInspectorOpen: boolean;
  readonly flipOutline: () => void;
}

/** What stands beside the text: in a narrow window one pane, and what was asked for last is it. */
export function usePanes(): Panes {
  const isFocused = useInterface((state) => state.isFocused);
  const isInspectorOpen = useInterface((state) => state.isInspectorOpen) && !isFocused;
  const isInTheWay = useIsNarrow() && isInspectorOpen;
  const isOutlineOpen = useInterface((state) => state.isOutlineOpen) && !isFocused && !isInTheWay;
  const flipOutline = () => {
    const { flip } = useInterface.getState();
    if (isInTheWay) flip('isInspectorOpen');
    if (!isInTheWay || !useInterface.getState().isOutlineOpen) flip('isOutlineOpen');
  };
  return { isOutlineOpen, isInspectorOpen, flipOutline };
}

/** A remembered layout counts only for the very panes that are open now: its shares add up to 100. */
export function layoutFor(
  layout: Readonly<Record<string, number>>,
  hasOutline: boolean,
  hasInspector: boolean,
): Record<string, number> | undefined {
  const panes = ['transcript', ...(hasOutline ? ['outline'] : []), ...(hasInspector ? ['inspector'] : [])];
  const fits = panes.length === Object.keys(layout).length && panes.every((pane) => pane in layout);
  return fits ? { ...layout } : undefined;
}

/** Below this a text between two panes would be a column of a few words. */
const NARROW = '(max-width: 1080px)';

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the window has room for one pane beside the text, and not for two. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}
