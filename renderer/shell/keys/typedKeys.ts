/** What may be bound: which presses can be told apart, and what a sequence would put out of reach. */
import { COMMANDS, type Command, isEverywhere, strokeName } from './keymap.ts';
import { strokeLabel } from './keysInForce.ts';

/** Of a `KeyboardEvent`. */
export interface Press {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/** A stroke by its name; or why it cannot be one, in a sentence. Neither: a key is only held so far. */
export type Typed = { readonly stroke: string } | { readonly refused: string } | undefined;

const HELD = new Set([
  'Shift',
  'Control',
  'Meta',
  'Alt',
  'AltGraph',
  'CapsLock',
  'NumLock',
  'ScrollLock',
  'Fn',
  'OS',
]);
const NO_KEY = new Set(['Dead', 'Unidentified', 'Process', 'Compose']);

export function typedStroke(press: Press, isMac: boolean): Typed {
  const { key } = press;
  if (HELD.has(key)) return undefined;
  if (key === 'Tab')
    return { refused: 'Tab moves the focus from one control to the next; it cannot be bound.' };
  if (key === 'Escape')
    return {
      refused: 'Escape leaves, closes and cancels everywhere; it cannot be given to another command.',
    };
  if (press.altKey)
    return { refused: 'Keys with Alt write letters on many keyboards; they cannot be bound.' };
  if (isMac ? press.ctrlKey : press.metaKey)
    return {
      refused: `Keys with ${isMac ? 'Ctrl' : 'the system key'} belong to the system; they cannot be bound.`,
    };
  if (NO_KEY.has(key)) return { refused: 'This key begins another letter; it cannot be bound.' };
  const hasMod = isMac ? press.metaKey : press.ctrlKey;
  if (key === 'Enter' && !hasMod)
    return {
      refused:
        'Enter opens, or presses the button that has the focus; it can be bound only with Ctrl or Cmd.',
    };
  return { stroke: strokeName({ key, hasMod, hasShift: press.shiftKey }) };
}

/** Why keys cannot be a command's, in a sentence: one of them would put the other out of reach. */
export function beyondReach(commands: readonly Command[], id: string, keys: string): string | undefined {
  // A sequence is waited for wherever one is, whatever the area of its command.
  const others = commands.filter((command) => command.id !== id);
  const behind = others.filter((other) => other.keys.some((each) => each.startsWith(`${keys} `)));
  const [first] = behind;
  if (first !== undefined) {
    const example = first.keys.find((each) => each.startsWith(`${keys} `)) ?? '';
    const which = `${labelOf(example)} (“${first.label}”)`;
    return behind.length === 1
      ? `${labelOf(keys)} begins ${which}, which would never be reached.`
      : `${labelOf(keys)} begins the keys of ${behind.length} commands, such as ${which}: they would never be reached.`;
  }
  const before = others.find((other) => other.keys.some((each) => keys.startsWith(`${each} `)));
  const [stroke = ''] = keys.split(' ');
  return before === undefined
    ? undefined
    : `${labelOf(stroke)} is already “${before.label}”, which would run before ${labelOf(keys)} is typed.`;
}

/** Commands of the same place that have just these keys. */
export function holdersOf(commands: readonly Command[], id: string, keys: string): readonly Command[] {
  const own = COMMANDS.find((command) => command.id === id);
  return commands.filter(
    (other) =>
      other.id !== id &&
      other.keys.includes(keys) &&
      (other.area === own?.area || isEverywhere(other.area) || (own !== undefined && isEverywhere(own.area))),
  );
}

const labelOf = (keys: string): string => keys.split(' ').map(strokeLabel).join(' ');
