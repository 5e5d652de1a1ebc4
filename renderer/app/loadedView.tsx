import { type ComponentType, useEffect, useState } from 'react';
import { WaitingState } from '../ui/States.tsx';

/** A view in its own chunk. */
export interface LoadedView<Props> {
  (props: Props): React.ReactElement;
  /** Loads the chunk in advance, so that the view renders at once when it is opened. */
  load(): Promise<unknown>;
}

/**
 * Replaces `React.lazy`, which keeps a rendered fallback for 300 ms, and renders it briefly even if the chunk is
 * loaded.
 */
export function loadedView<Props extends object>(
  importView: () => Promise<{ readonly default: ComponentType<Props> }>,
): LoadedView<Props> {
  let loaded: ComponentType<Props> | undefined;
  async function load(): Promise<ComponentType<Props>> {
    loaded = (await importView()).default;
    return loaded;
  }
  function View(props: Props) {
    const [Loaded, setLoaded] = useState(() => loaded);
    useEffect(() => {
      if (Loaded !== undefined) return;
      let isGone = false;
      load().then(
        (view) => isGone || setLoaded(() => view),
        // Thrown while rendering, so that the error boundary of views handles it.
        (error: unknown) =>
          isGone ||
          setLoaded(() => {
            throw error;
          }),
      );
      return () => {
        isGone = true;
      };
    }, [Loaded]);
    return Loaded === undefined ? <WaitingState title="Loading…" /> : <Loaded {...props} />;
  }
  return Object.assign(View, { load });
}
