import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { clashesOf, useBoundCommands } from '../../app/boundKeys.ts';
import { Keys } from '../../app/Keys.tsx';
import { COMMANDS, type Command, strokeName } from '../../app/keymap.ts';
import { useKeyBindings } from '../../state/keyBindings.ts';
import { Button } from '../../ui/Controls.tsx';

/** As long as the listener waits for the second stroke of a sequence. */
const SEQUENCE_MS = 900;

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

interface KeyRowProps {
  readonly command: Command;
  readonly commands: readonly Command[];
  readonly isChanged: boolean;
}

function KeyRow({ command, commands, isChanged }: KeyRowProps) {
  const bind = useKeyBindings((state) => state.bind);
  const unbind = useKeyBindings((state) => state.unbind);
  const [isListening, setListening] = useState(false);
  const clashes = isChanged ? clashesOf(commands, command.id) : [];
  return (
    <li>
      <span className="key-label">
        {command.label} <code>{command.id}</code>
      </span>
      <span className="key-area">{command.area}</span>
      <span className="key-keys">
        {isListening ? (
          <Listening
            onTyped={(keys) => {
              bind(command.id, [keys]);
              setListening(false);
            }}
            onEnd={() => setListening(false)}
          />
        ) : command.keys.length === 0 ? (
          <span className="dim">none</span>
        ) : (
          command.keys.map((keys) => <Keys key={keys} keys={keys} />)
        )}
      </span>
      <span className="key-buttons">
        <Button onClick={() => setListening(true)} aria-label={`Change the keys of ${command.label}`}>
          Change
        </Button>
        {command.keys.length > 0 && (
          <Button onClick={() => bind(command.id, [])} aria-label={`No keys for ${command.label}`}>
            None
          </Button>
        )}
        {isChanged && (
          <Button onClick={() => unbind(command.id)} aria-label={`${command.label}: keys as they came`}>
            As it came
          </Button>
        )}
      </span>
      {clashes.length > 0 && (
        <span className="key-clash" role="alert">
          Also: {clashes.map(({ label, area }) => `${label} (${area})`).join('; ')}. Where both can run, the
          first in this list does.
        </span>
      )}
    </li>
  );
}

interface ListeningProps {
  /** One stroke, or two within the time of a sequence. */
  readonly onTyped: (keys: string) => void;
  readonly onEnd: () => void;
}

function Listening({ onTyped, onEnd }: ListeningProps) {
  const [first, setFirst] = useState<string>();
  const field = useRef<HTMLButtonElement>(null);
  const typed = useRef(onTyped);
  typed.current = onTyped;
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (first === undefined) return;
    const timer = setTimeout(() => typed.current(first), SEQUENCE_MS);
    return () => clearTimeout(timer);
  }, [first]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (['Shift', 'Control', 'Meta', 'Alt'].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') {
      onEnd();
      return;
    }
    const isMac = /mac/i.test(navigator.platform);
    const hasMod = isMac ? event.metaKey : event.ctrlKey;
    const stroke = strokeName({ key: event.key, hasMod, hasShift: event.shiftKey });
    if (first === undefined) setFirst(stroke);
    else onTyped(`${first} ${stroke}`);
  };
  return (
    <button type="button" ref={field} className="key-listening" onKeyDown={onKeyDown} onBlur={onEnd}>
      {first === undefined ? 'Press a key, or two in a row; Esc leaves it' : <Keys keys={first} />}
    </button>
  );
}
