import { useSyncExternalStore } from 'react';
import { useInterface } from '../../state/interface.ts';

export interface Panes {
  readonly isOutlineOpen: boolean;
  readonly isInspectorOpen: boolean;
  readonly flipOutline: () => void;
}

/**
 * The panes beside the text. A narrow window has room for one only: the last one that was opened. The context takes the
 * place of the inspector.
 */
export function usePanes(isContextOpen = false): Panes {
  const isFocused = useInterface((state) => state.isFocused);
  const isInspectorOpen = useInterface((state) => state.isInspectorOpen) && !isFocused && !isContextOpen;
  const isInTheWay = useIsNarrow() && (isInspectorOpen || isContextOpen);
  const isOutlineOpen = useInterface((state) => state.isOutlineOpen) && !isFocused && !isInTheWay;
  const flipOutline = () => {
    const { flip } = useInterface.getState();
    if (isInTheWay) flip('isInspectorOpen');
    if (!isInTheWay || !useInterface.getState().isOutlineOpen) flip('isOutlineOpen');
  };
  return { isOutlineOpen, isInspectorOpen, flipOutline };
}

/** The saved layout, if it is for exactly the panes that are open now, since its shares must add up to 100. */
export function layoutFor(
  layout: Readonly<Record<string, number>>,
  open: Readonly<Record<'outline' | 'context' | 'inspector', boolean>>,
): Record<string, number> | undefined {
  const panes = [
    'transcript',
    ...(['outline', 'context', 'inspector'] as const).filter((pane) => open[pane]),
  ];
  const fits = panes.length === Object.keys(layout).length && panes.every((pane) => pane in layout);
  return fits ? { ...layout } : undefined;
}

/** Below this width, text between two panes would be only a few words wide. */
const NARROW = '(max-width: 1080px)';

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the window has room for only one pane beside the text. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}
