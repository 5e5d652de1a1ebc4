/** The table of commands with the keys that are in force. */
import { useMemo } from 'react';
import { useKeyBindings } from '../state/keyBindings.ts';
import { COMMANDS, type Command, type CommandId } from './keymap.ts';

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
 * Commands that would answer to the same keys in the same place, or of which one would never be reached because the
 * other's keys begin its own, wherever either is.
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
  return a.area === b.area || a.area === 'Everywhere' || b.area === 'Everywhere';
}

/** Wherever their commands run: strokes are matched before anyone asks who can run. */
function isBegun(a: string, b: string): boolean {
  return a.startsWith(`${b} `) || b.startsWith(`${a} `);
}
