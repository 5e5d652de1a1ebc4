import { useState } from 'react';
import { useBoundCommands } from '../../app/boundKeys.ts';
import { COMMANDS } from '../../app/keymap.ts';
import { useKeyBindings } from '../../state/keyBindings.ts';
import { Button } from '../../ui/Controls.tsx';
import { KeyRow } from './KeyRow.tsx';

/** Every command with its keys, each of which can be given others. */
export function KeySettings() {
  const commands = useBoundCommands();
  const bindings = useKeyBindings((state) => state.bindings);
  const unbindAll = useKeyBindings((state) => state.unbindAll);
  const [wanted, setWanted] = useState('');
  const [isOpen, setOpen] = useState(false);
  const changed = Object.keys(bindings).length;
  const words = wanted.toLowerCase().split(/\s+/);
  const shown = commands.filter((command) =>
    words.every((word) => `${command.label} ${command.id} ${command.area}`.toLowerCase().includes(word)),
  );
  return (
    <section className="key-settings">
      <h2>Keys</h2>
      <p className="key-settings-head">
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Close' : 'Change keys'}
        </Button>
        <span>
          {changed === 0
            ? 'All keys are as they came.'
            : `${changed} of ${COMMANDS.length} commands have keys of yours.`}
        </span>
        {changed > 0 && <Button onClick={unbindAll}>All as they came</Button>}
      </p>
      {isOpen && (
        <>
          <input
            className="text-field"
            aria-label="Find a command"
            placeholder="Find a command"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
          <ul>
            {shown.map((command) => (
              <KeyRow
                key={command.id}
                command={command}
                commands={commands}
                isChanged={Object.hasOwn(bindings, command.id)}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
