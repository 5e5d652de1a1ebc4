import { type ComponentType, useEffect, useState } from 'react';
import { WaitingState } from '../ui/States.tsx';

/** A view in a chunk of its own. */
export interface LoadedView<Props> {
  (props: Props): React.ReactElement;
  /** Loads the chunk, so that the view is drawn at once when it is opened. */
  load(): Promise<unknown>;
}

/**
 * As `React.lazy`, which waits 300 ms with a view whose fallback it has drawn, and draws the fallback for a moment even
 * where the chunk is there.
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
        // Thrown while drawing, so that the window shows it as it shows any failure of a view.
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
