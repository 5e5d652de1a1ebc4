import { type RefObject, useLayoutEffect } from 'react';

/** What one is working in keeps the focus, whatever is mounted beside it. */
const AT_WORK = 'input, textarea, select, [role=slider]';

/**
 * What has just been opened takes the focus from the link that led here, or Enter would follow that link again.
 * Before it is seen: later, a field used at once would lose the focus, and with it what was typed.
 */
export function useTakenFocus(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const isAtWork = document.activeElement?.matches(AT_WORK) ?? false;
    if (!isAtWork) element.current?.focus({ preventScroll: true });
  }, [element]);
}
