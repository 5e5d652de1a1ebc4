import { useEffect, useRef } from 'react';
import { runCommand } from './commands.ts';
import { matchStroke, strokeName } from './keymap.ts';
import { useBoundCommands } from './keysInForce.ts';

/** Milliseconds in which a sequence such as `g g` must be completed. */
const SEQUENCE_MS = 900;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches('input, textarea, select') ||
    target.closest('.monaco-editor') !== null
  );
}

/** A focused control handles Enter and Space itself. */
function isOperating(target: EventTarget | null, key: string): boolean {
  if (key !== 'Enter' && key !== ' ') return false;
  return target instanceof HTMLElement && target.closest('a, button, summary') !== null;
}

/** An open dialog gets all keys, so that the page below does not react. */
function hasOpenDialog(): boolean {
  return document.querySelector('[role="dialog"]') !== null;
}

export function KeyListener() {
  const bound = useBoundCommands();
  const commands = useRef(bound);
  commands.current = bound;
  useEffect(() => {
    let pending = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isMac = /mac/i.test(navigator.platform);

    const onKeyDown = (event: KeyboardEvent) => {
      const hasMod = isMac ? event.metaKey : event.ctrlKey;
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      if ((isMac ? event.ctrlKey : event.metaKey) || event.key === 'Shift') return;
      if (isOperating(event.target, event.key)) return;
      if ((isTyping(event.target) || hasOpenDialog()) && !hasMod) return;

      clearTimeout(timer);
      const stroke = strokeName({ key: event.key, hasMod, hasShift: event.shiftKey });
      const match = matchStroke(pending, stroke, commands.current);
      pending = match.pending;
      if (pending !== '') {
        timer = setTimeout(() => {
          pending = '';
        }, SEQUENCE_MS);
      }
      for (const id of match.commands) {
        if (!runCommand(id)) continue;
        event.preventDefault();
        return;
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', onKeyDown);
    };
  }, []);
  return null;
}
