import type { PointerEvent, SyntheticEvent } from 'react';

const byPointer = new WeakSet<EventTarget>();

/**
 * A control used with the pointer gives the focus back, so that `n` and `r` go on: keys stand down while a field
 * has it. Whoever came by Tab keeps it.
 */
export const pointerFocus = {
  onPointerDown: (event: PointerEvent<HTMLElement>) => {
    byPointer.add(event.currentTarget);
  },
  onKeyDown: (event: SyntheticEvent<HTMLElement>) => {
    byPointer.delete(event.currentTarget);
  },
};

export function releaseFocus(element: HTMLElement): void {
  if (byPointer.delete(element)) element.blur();
}
