/** Following the pointer from a press to its release. */
import type { CssPixels } from './virtualRows.ts';

interface Drag {
  /** @param by from where it was pressed @param x of the window */
  readonly onMove: (by: CssPixels, x: CssPixels) => void;
  /** @param isGivenUp by Escape, or by the system */
  readonly onEnd: (isGivenUp: boolean) => void;
}

/** A hand that trembles does not draw. */
const SLACK: CssPixels = 5;

/** Nothing is called before the pointer has moved; a press that drew is no click. */
export function followPointer(pressed: { readonly clientX: number }, { onMove, onEnd }: Drag): void {
  let isDrawing = false;
  const listening = new AbortController();
  const { signal } = listening;
  const end = (isGivenUp: boolean) => {
    listening.abort();
    if (!isDrawing) return;
    onEnd(isGivenUp);
    // The click comes right behind the release, or not at all.
    const swallow = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener('click', swallow, { capture: true }));
  };
  window.addEventListener(
    'pointermove',
    ({ clientX }) => {
      const by = clientX - pressed.clientX;
      isDrawing ||= Math.abs(by) >= SLACK;
      if (isDrawing) onMove(by, clientX);
    },
    { signal },
  );
  window.addEventListener('pointerup', () => end(false), { signal });
  window.addEventListener('pointercancel', () => end(true), { signal });
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !isDrawing) return;
      event.preventDefault();
      event.stopPropagation();
      end(true);
    },
    { signal, capture: true },
  );
}
