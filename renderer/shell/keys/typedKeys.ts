/** Validates key bindings: which strokes can be distinguished, and which sequences would become unreachable. */
import { COMMANDS, type Command, isEverywhere, strokeName } from './keymap.ts';
import { strokeLabel } from './keysInForce.ts';

/** The relevant properties of a `KeyboardEvent`. */
export interface Press {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/** The name of a stroke, or the reason why it cannot be bound. Undefined while only a modifier is held. */
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

/** The reason why a binding is rejected: it would make another command unreachable, or be unreachable itself. */
export function beyondReach(commands: readonly Command[], id: string, keys: string): string | undefined {
  // Compares with all areas, since a sequence is matched everywhere.
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

/** Commands of the same area with exactly these keys. */
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
