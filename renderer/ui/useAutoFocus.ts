/** Focus management: what a view focuses first, and where the focus goes when a field is left. */
import { type RefObject, useLayoutEffect, useState } from 'react';

/** Elements that keep the focus when something else mounts. */
const AT_WORK =
  'input, textarea, select, [role=slider], [role=textbox], [data-keeps-focus], .monaco-editor *';

/** Lists, texts and drawings on the page, in the order of mounting. */
const mounted = new Set<HTMLElement>();

/**
 * Focuses a newly opened element, or Enter would follow the link that opened it again. A layout effect: any later, a
 * field that is used at once would lose the focus, and with it the input.
 */
export function useAutoFocus(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const taker = element.current;
    if (taker === null) return;
    mounted.add(taker);
    const remove = () => {
      mounted.delete(taker);
    };
    if (document.activeElement?.matches(AT_WORK)) return remove;
    takeFocus(taker);
    return remove;
  }, [element]);
}

/** The user did not move the focus, so no focus ring is shown until a key is pressed. */
export function takeFocus(taker: HTMLElement): void {
  taker.dataset['tookFocus'] = '';
  const forget = () => delete taker.dataset['tookFocus'];
  taker.addEventListener('keydown', forget, { once: true });
  taker.addEventListener('blur', forget, { once: true });
  taker.focus({ preventScroll: true });
}

/**
 * Moves the focus out of a field: to the element that opened it, else to the list, text or drawing of the page, else
 * to the page's content. On the body the focus would be invisible.
 */
export function leaveField(field: Element, opener?: Element | null): void {
  const candidates = [opener, ...[...mounted].reverse()];
  const target = candidates.find(
    (one) => one?.isConnected && one !== document.body && !one.contains(field) && one instanceof HTMLElement,
  );
  const next = target ?? document.querySelector('main');
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/**
 * For content that opens in place, such as a form: if it closes with the focus inside, its opener gets the focus back.
 * @returns a function that returns the focus while it stays open
 */
export function useFocusReturn(element: RefObject<HTMLElement | null>): () => void {
  const [opener] = useState(() => document.activeElement);
  useLayoutEffect(() => {
    const closed = element.current;
    return () => {
      if (closed === null || !closed.contains(document.activeElement)) return;
      queueMicrotask(() => {
        const isLost = !closed.isConnected && document.activeElement === document.body;
        if (isLost) leaveField(closed, opener);
      });
    };
  }, [element, opener]);
  return () => {
    if (element.current !== null) leaveField(element.current, opener);
  };
}
