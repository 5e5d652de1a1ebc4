import type { CommandId } from './keymap.ts';
import { keyWord, strokeLabel, strokesOf } from './keysInForce.ts';

/** `g g` is two strokes, drawn as two keys. */
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

/** The key in force for a command, within a sentence; without one, its name in the palette. */
export function KeyOf({ command }: { readonly command: CommandId }) {
  const keys = strokesOf(command);
  return keys === undefined ? keyWord(command) : <Keys keys={keys} />;
}
