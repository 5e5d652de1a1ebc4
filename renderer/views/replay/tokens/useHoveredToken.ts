import { type RefObject, useEffect, useState } from 'react';
import { tokenAt } from '../heatModel.ts';

/** Offset in the response of the character at a point of the window. */
function offsetAt(x: number, y: number): number | undefined {
  const caret = document.caretPositionFromPoint(x, y);
  const element = caret?.offsetNode.parentElement;
  if (caret === null || !(element instanceof HTMLElement) || element.dataset.source !== 'response')
    return undefined;
  return Number(element.dataset.start) + caret.offset;
}

/** The token under the pointer, and a click on one that is no selection of text. */
export function useHoveredToken(
  pane: RefObject<HTMLElement | null>,
  ends: Uint32Array | undefined,
  onChoose: (token: number) => void,
): number | undefined {
  const [token, setToken] = useState<number>();
  useEffect(() => {
    const element = pane.current?.querySelector('.transcript');
    if (!(element instanceof HTMLElement) || ends === undefined) return;
    let frame = 0;
    const tokenOf = (event: MouseEvent) => {
      const offset = offsetAt(event.clientX, event.clientY);
      const found = offset === undefined ? ends.length : tokenAt(ends, offset);
      return found < ends.length ? found : undefined;
    };
    const onMove = (event: PointerEvent) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setToken(tokenOf(event)));
    };
    const onLeave = () => {
      cancelAnimationFrame(frame);
      setToken(undefined);
    };
    const onClick = (event: MouseEvent) => {
      const isControl = event.target instanceof Element && event.target.closest('button, a') !== null;
      if (isControl || document.getSelection()?.isCollapsed === false) return;
      const chosen = tokenOf(event);
      if (chosen !== undefined) onChoose(chosen);
    };
    element.addEventListener('pointermove', onMove);
    element.addEventListener('pointerleave', onLeave);
    element.addEventListener('click', onClick);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('pointermove', onMove);
      element.removeEventListener('pointerleave', onLeave);
      element.removeEventListener('click', onClick);
    };
  }, [pane, ends, onChoose]);
  return token;
}
