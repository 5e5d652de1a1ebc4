/**
 * Labels of a command's effective keys, for tooltips, placeholders and sentences, so that none of them names a key
 * that was rebound. They are read during rendering; `App` renders everything again after a key was rebound.
 */

import { useMemo } from 'react';
import { useKeyBindings } from '../../state/keyBindings.ts';
import { COMMANDS, type Command, type CommandId, isEverywhere } from './keymap.ts';

const BY_ID = new Map(COMMANDS.map((command) => [command.id, command]));

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Delete: 'Del',
  Escape: 'Esc',
  PageDown: 'Page ↓',
  PageUp: 'Page ↑',
};
const IS_MAC = /mac/i.test(navigator.platform);

/** The label of a stroke on a drawn key: `Esc`, `Ctrl ⇧ O`. */
export function strokeLabel(stroke: string): string {
  return (
    NAMES[stroke] ??
    capital(stroke)
      .replace('Mod+', IS_MAC ? '⌘ ' : 'Ctrl ')
      .replace('Shift+', '⇧ ')
  );
}

/** With `Mod` a letter names its key, so it is capitalised. Without, `g` and `G` differ. */
function capital(stroke: string): string {
  return stroke.replace(/(?<=\+)[a-z]$/, (letter) => letter.toUpperCase());
}

/** The label of a stroke in a sentence: `Esc`, `Ctrl+Shift+O`. */
function strokeText(stroke: string): string {
  return NAMES[stroke] ?? capital(stroke).replace('Mod+', IS_MAC ? 'Cmd+' : 'Ctrl+');
}

/**
 * The first key of a command, in the table's notation: `g p`, `Mod+k`.
 * @returns undefined if it has none
 */
export function strokesOf(id: CommandId): string | undefined {
  const { bindings } = useKeyBindings.getState();
  return (Object.hasOwn(bindings, id) ? bindings[id] : BY_ID.get(id)?.keys)?.[0];
}

/**
 * `g p`, `Ctrl+Enter`.
 * @returns undefined if it has none
 */
export function keyOf(id: CommandId): string | undefined {
  return strokesOf(id)?.split(' ').map(strokeText).join(' ');
}

/** The text of a tooltip, followed by the keys: `Query the library in SQL (g q)`. */
export function keyed(words: string, id: CommandId): string {
  const keys = keyOf(id);
  return keys === undefined ? words : `${words} (${keys})`;
}

/** The key for use in a sentence. Without a key, the command's name in the palette. */
export function keyWord(id: CommandId): string {
  return keyOf(id) ?? `“${BY_ID.get(id)?.label ?? id}”`;
}

type Bindings = Readonly<Record<string, readonly string[]>>;

export function withBindings(bindings: Bindings): readonly Command[] {
  return COMMANDS.map((command) => {
    const keys = Object.hasOwn(bindings, command.id) ? bindings[command.id] : undefined;
    return keys === undefined ? command : { ...command, keys };
  });
}

export function useBoundCommands(): readonly Command[] {
  const bindings = useKeyBindings((state) => state.bindings);
  return useMemo(() => withBindings(bindings), [bindings]);
}

/**
 * Commands that conflict with this one: they have the same keys in the same area, or the keys of one are a prefix of
 * the other's, in any area.
 */
export function clashesOf(commands: readonly Command[], id: CommandId): readonly Command[] {
  const command = commands.find((one) => one.id === id);
  if (command === undefined) return [];
  return commands.filter(
    (other) =>
      other.id !== id &&
      other.keys.some((keys) =>
        command.keys.some((own) => (keys === own ? isSameTarget(command, other) : isBegun(keys, own))),
      ),
  );
}

function isSameTarget(a: Command, b: Command): boolean {
  return a.area === b.area || isEverywhere(a.area) || isEverywhere(b.area);
}

/** Applies in all areas, since strokes are matched before it is known which commands can run. */
function isBegun(a: string, b: string): boolean {
  return a.startsWith(`${b} `) || b.startsWith(`${a} `);
}
