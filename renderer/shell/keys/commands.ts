/**
 * Registry of command handlers. Mounted views register handlers, and the latest registration wins, so a dialog's
 * Escape takes precedence over the view's. The key listener, the palette and the desktop menu all run commands through
 * here.
 */
import { useLayoutEffect, useRef } from 'react';
import type { CommandId } from './keymap.ts';

export type Handlers = Partial<Record<CommandId, () => void>>;

const offers: { readonly current: Handlers }[] = [];

export function canRun(id: CommandId): boolean {
  return offers.some((offer) => offer.current[id] !== undefined);
}

/** False if no handler is registered. */
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
 * Registers `handlers` while the component is mounted. They may be new functions on every render. The shell registers
 * `'fallback'` handlers: React runs a parent's effects after its children's, so otherwise the shell would register
 * last and win over the view.
 */
export function useCommands(handlers: Handlers, rank: 'view' | 'fallback' = 'view'): void {
  const offer = useRef(handlers);
  // A layout effect, so that handlers are registered before the user can see the view and press a key.
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
