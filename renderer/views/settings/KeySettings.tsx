import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Keys } from '../../shell/keys/Keys.tsx';
import { COMMANDS, type Command } from '../../shell/keys/keymap.ts';
import { clashesOf, useBoundCommands } from '../../shell/keys/keysInForce.ts';
import { beyondReach, holdersOf, typedStroke } from '../../shell/keys/typedKeys.ts';
import { useInterface } from '../../state/interface.ts';
import { useKeyBindings } from '../../state/keyBindings.ts';
import { Button } from '../../ui/Controls.tsx';
import { useFocusReturn } from '../../ui/useAutoFocus.ts';

/** Every command with its keys, which can be changed. */
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
        <Button onClick={() => useInterface.getState().showDialog({ kind: 'keys' })}>
          Show the keys that work here
        </Button>
        <span>
          {changed === 0
            ? 'All keys have their defaults.'
            : `${changed} of ${COMMANDS.length} commands have your own keys.`}
        </span>
        {changed > 0 && <Button onClick={unbindAll}>Reset all</Button>}
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
  /** All commands, with their effective keys. */
  readonly commands: readonly Command[];
  readonly isChanged: boolean;
}

/** A typed key that belongs to another command, which needs a confirmation. */
interface Asked {
  readonly keys: string;
  readonly holders: readonly Command[];
}

/** A command, its keys, and the buttons to change them. */
function KeyRow({ command, commands, isChanged }: KeyRowProps) {
  const { bind, unbind } = useKeyBindings.getState();
  const [isListening, setListening] = useState(false);
  const [refused, setRefused] = useState<string>();
  const [asked, setAsked] = useState<Asked>();
  const clashes = isChanged && asked === undefined ? clashesOf(commands, command.id) : [];
  const stop = () => setListening(false);
  const typed = (keys: string) => {
    stop();
    const why = beyondReach(commands, command.id, keys);
    const holders = holdersOf(commands, command.id, keys);
    setRefused(why);
    if (why !== undefined) return;
    if (holders.length > 0) setAsked({ keys, holders });
    else bind(command.id, [keys]);
  };
  const answer = ({ keys, holders }: Asked, isTaken: boolean) => {
    setAsked(undefined);
    if (isTaken)
      for (const holder of holders)
        bind(
          holder.id,
          holder.keys.filter((each) => each !== keys),
        );
    bind(command.id, [keys]);
  };
  return (
    <li>
      <span className="key-label">
        {command.label} <code>{command.id}</code>
      </span>
      <span className="key-area">{command.area}</span>
      <span className="key-keys">
        {isListening ? (
          <ListeningKeys
            onTyped={typed}
            onRefused={(why) => {
              stop();
              setRefused(why);
            }}
            onEnd={stop}
          />
        ) : command.keys.length === 0 ? (
          <span className="dim">none</span>
        ) : (
          command.keys.map((keys) => <Keys key={keys} keys={keys} />)
        )}
      </span>
      <span className="key-buttons">
        <Button
          onClick={() => {
            setRefused(undefined);
            setAsked(undefined);
            setListening(true);
          }}
          aria-label={`Change the keys of ${command.label}`}
        >
          Change
        </Button>
        {command.keys.length > 0 && (
          <Button onClick={() => bind(command.id, [])} aria-label={`No keys for ${command.label}`}>
            None
          </Button>
        )}
        {isChanged && (
          <Button onClick={() => unbind(command.id)} aria-label={`${command.label}: reset keys`}>
            Reset
          </Button>
        )}
      </span>
      {refused !== undefined && (
        <span className="key-clash" role="alert">
          {refused}
        </span>
      )}
      {asked !== undefined && (
        <span className="key-clash" role="alert">
          <Keys keys={asked.keys} /> is {asked.holders.map(({ label }) => `“${label}”`).join(' and ')}.{' '}
          <Button onClick={() => answer(asked, true)}>
            Take it from {asked.holders.map(({ label }) => `“${label}”`).join(' and ')}
          </Button>{' '}
          <Button onClick={() => answer(asked, false)}>Give it to both</Button>{' '}
          <Button onClick={() => setAsked(undefined)}>Cancel</Button>
        </span>
      )}
      {clashes.length > 0 && (
        <span className="key-clash" role="alert">
          Also: {clashes.map(({ label, area }) => `${label} (${area})`).join('; ')}. Where both can run, the
          first in this list does.
        </span>
      )}
    </li>
  );
}

/** Same as in the key listener: time for the second stroke of a sequence. */
const SEQUENCE_MS = 900;

interface ListeningKeysProps {
  /** Called with one stroke, or with two that were typed as a sequence. */
  readonly onTyped: (keys: string) => void;
  /** @param why a stroke cannot be bound, as a sentence */
  readonly onRefused: (why: string) => void;
  readonly onEnd: () => void;
}

function ListeningKeys({ onTyped, onRefused, onEnd }: ListeningKeysProps) {
  const [first, setFirst] = useState<string>();
  const field = useRef<HTMLButtonElement>(null);
  const typed = useRef(onTyped);
  typed.current = onTyped;
  useFocusReturn(field);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (first === undefined) return;
    const timer = setTimeout(() => typed.current(first), SEQUENCE_MS);
    return () => clearTimeout(timer);
  }, [first]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onEnd();
      return;
    }
    const press = typedStroke(event, /mac/i.test(navigator.platform));
    if (press === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if ('refused' in press) onRefused(press.refused);
    else if (first === undefined) setFirst(press.stroke);
    else onTyped(`${first} ${press.stroke}`);
  };
  return (
    <button type="button" ref={field} className="key-listening" onKeyDown={onKeyDown} onBlur={onEnd}>
      {first === undefined ? 'Press a key, or two in a row; Esc cancels' : <Keys keys={first} />}
    </button>
  );
}
