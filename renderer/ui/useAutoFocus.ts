/** Who has the focus: what a view opens with, and what a field gives it back to. */
import { type RefObject, useLayoutEffect, useState } from 'react';

/** What one is working in keeps the focus, whatever is mounted beside it. */
const AT_WORK =
  'input, textarea, select, [role=slider], [role=textbox], [data-keeps-focus], .monaco-editor *';

/** Lists, texts and drawings on the page, in the order in which they were mounted. */
const mounted = new Set<HTMLElement>();

/**
 * What has just been opened takes the focus from the link that led here, or Enter would follow that link again.
 * Before it is seen: later, a field used at once would lose the focus, and with it what was typed.
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

/** Nobody has moved the focus: no ring until a key is used here. */
export function takeFocus(taker: HTMLElement): void {
  taker.dataset['tookFocus'] = '';
  const forget = () => delete taker.dataset['tookFocus'];
  taker.addEventListener('keydown', forget, { once: true });
  taker.addEventListener('blur', forget, { once: true });
  taker.focus({ preventScroll: true });
}

/**
 * Moves the focus out of a field: to the element that opened it, else to the list, text or drawing of the page,
 * else to the page's content as a whole. On the body nothing would show it.
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
 * For what opens in place, such as a form: if it closes with the focus inside, its opener gets the focus back.
 * @returns gives it back while it stays open
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
