import type { CommandId } from './keymap.ts';
import { keyWord, strokeLabel, strokesOf } from './keysInForce.ts';

/** Draws each stroke of a sequence such as `g g` as a key of its own. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span>
      {keys.split(' ').map((stroke, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sequence may repeat a stroke and never reorders
        <kbd key={i}>{strokeLabel(stroke)}</kbd>
      ))}
    </span>
  );
}

/** The effective key of a command, for use in a sentence. Without a key, its name in the palette. */
export function KeyOf({ command }: { readonly command: CommandId }) {
  const keys = strokesOf(command);
  return keys === undefined ? keyWord(command) : <Keys keys={keys} />;
}
