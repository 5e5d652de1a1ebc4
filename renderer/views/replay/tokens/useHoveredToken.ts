import { type RefObject, useEffect, useState } from 'react';
import { tokenAt, tokenRange } from '../text/heatModel.ts';
import { FORMULAS, formulaRange } from '../text/markPainter.ts';
import type { Heat } from '../text/tokenHeat.ts';

/** Offset in the response of the character at a point of the viewport. */
function offsetAt(x: number, y: number): number | undefined {
  const caret = document.caretPositionFromPoint(x, y);
  const element = caret?.offsetNode.parentElement;
  if (caret === null || !(element instanceof HTMLElement) || element.dataset.source !== 'response')
    return undefined;
  return Number(element.dataset.start) + caret.offset;
}

/** The token to show for a formula, whose characters KaTeX replaced: the first of its highest tokens. */
function tokenOfFormula(target: EventTarget | null, heat: Heat, ends: Uint32Array): number | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>(FORMULAS) : null;
  const range = element === null ? undefined : formulaRange(element);
  if (range === undefined) return undefined;
  let highest: number | undefined;
  for (let token = tokenAt(ends, range.start); token < ends.length; token += 1) {
    if ((ends[token - 1] ?? 0) >= range.end) break;
    if (heat.mask?.[token] === 0) continue;
    if (highest === undefined || (heat.heights[token] ?? 0) > (heat.heights[highest] ?? 0)) highest = token;
  }
  return highest;
}

/** The token under the pointer. Also handles clicks on a token that do not select text. */
export function useHoveredToken(
  pane: RefObject<HTMLElement | null>,
  heat: Heat,
  onChoose: (token: number) => void,
): number | undefined {
  const [token, setToken] = useState<number>();
  useEffect(() => {
    const { ends } = heat;
    const element = pane.current?.querySelector('.transcript');
    if (!(element instanceof HTMLElement) || ends === undefined) return;
    let frame = 0;
    const tokenOf = (event: MouseEvent) => {
      const inFormula = tokenOfFormula(event.target, heat, ends);
      if (inFormula !== undefined) return inFormula;
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
    // Scrolling moves the token away from under the pointer. The next pointer move finds the new one.
    element.addEventListener('scroll', onLeave, { passive: true });
    element.addEventListener('pointermove', onMove);
    element.addEventListener('pointerleave', onLeave);
    element.addEventListener('click', onClick);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', onLeave);
      element.removeEventListener('pointermove', onMove);
      element.removeEventListener('pointerleave', onLeave);
      element.removeEventListener('click', onClick);
    };
  }, [pane, heat, onChoose]);
  return token;
}

/** Whether the token is inside a rendered formula, whose characters cannot be pointed at. */
export function useIsInFormula(
  pane: RefObject<HTMLElement | null>,
  ends: Uint32Array | undefined,
  token: number | undefined,
): boolean {
  const [isIn, setIn] = useState(false);
  useEffect(() => {
    const at = ends === undefined || token === undefined ? undefined : tokenRange(ends, token);
    const formulas = [...(pane.current?.querySelectorAll<HTMLElement>(FORMULAS) ?? [])];
    setIn(
      at !== undefined &&
        formulas.some((element) => {
          const range = formulaRange(element);
          return range !== undefined && range.start < at.end && range.end > at.start;
        }),
    );
  }, [pane, ends, token]);
  return isIn;
}
