import { useSyncExternalStore } from 'react';

/** Below this a text between two panes would be a column of a few words. */
const NARROW = '(max-width: 1080px)';

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the window has room for one pane beside the text, and not for two. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}
