/**
 * Who can carry out which command now. A mounted view offers handlers; the last one to come
 * wins, so a dialog's Escape goes before the view's. The key listener, the palette and the
 * desktop menu all run commands through here.
 */
import { useLayoutEffect, useRef } from 'react';
import type { CommandId } from './keymap.ts';

export type Handlers = Partial<Record<CommandId, () => void>>;

const offers: { readonly current: Handlers }[] = [];

export function canRun(id: CommandId): boolean {
  return offers.some((offer) => offer.current[id] !== undefined);
}

/** False when no one offers it. */
export function runCommand(id: CommandId): boolean {
  for (let i = offers.length - 1; i >= 0; i -= 1) {
    const handler = offers[i]?.current[id];
    if (handler !== undefined) {
      handler();
      return true;
    }
  }
  return false;
}

/**
 * Offers `handlers` while the component is mounted; they may be new functions on every render.
 * The shell offers `'fallback'` handlers: React runs a parent's effects after its children's, so
 * without it the shell would come last and win over the view.
 */
export function useCommands(handlers: Handlers, rank: 'view' | 'fallback' = 'view'): void {
  const offer = useRef(handlers);
  // Before it is seen: a key pressed at what has just appeared would find no one.
  useLayoutEffect(() => {
    offer.current = handlers;
  });
  useLayoutEffect(() => {
    if (rank === 'fallback') offers.unshift(offer);
    else offers.push(offer);
    return () => {
      const at = offers.indexOf(offer);
      if (at >= 0) offers.splice(at, 1);
    };
  }, [rank]);
}
