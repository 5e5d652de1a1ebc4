import { type RefObject, useLayoutEffect } from 'react';

/** What one is working in keeps the focus, whatever is mounted beside it. */
const AT_WORK = 'input, textarea, select, [role=slider], [role=textbox], .monaco-editor *';

/**
 * What has just been opened takes the focus from the link that led here, or Enter would follow that link again.
 * Before it is seen: later, a field used at once would lose the focus, and with it what was typed.
 */
export function useAutoFocus(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const isAtWork = document.activeElement?.matches(AT_WORK) ?? false;
    const taker = element.current;
    if (isAtWork || taker === null) return;
    // Nobody has moved the focus: no ring until a key is used here.
    taker.dataset['tookFocus'] = '';
    const forget = () => delete taker.dataset['tookFocus'];
    taker.addEventListener('keydown', forget, { once: true });
    taker.addEventListener('blur', forget, { once: true });
    taker.focus({ preventScroll: true });
    return () => {
      taker.removeEventListener('keydown', forget);
      taker.removeEventListener('blur', forget);
    };
  }, [element]);
}
