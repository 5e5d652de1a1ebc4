import { useState } from 'react';
import { clashesOf } from '../../app/boundKeys.ts';
import { Keys } from '../../app/Keys.tsx';
import type { Command } from '../../app/keymap.ts';
import { beyondReach, holdersOf } from '../../app/typedKeys.ts';
import { useKeyBindings } from '../../state/keyBindings.ts';
import { Button } from '../../ui/Controls.tsx';
import { ListeningKeys } from './ListeningKeys.tsx';

interface KeyRowProps {
  readonly command: Command;
  /** All of them, with the keys in force. */
  readonly commands: readonly Command[];
  readonly isChanged: boolean;
}

/** Keys that were typed and are somebody else's: whose they are to be is asked. */
interface Asked {
  readonly keys: string;
  readonly holders: readonly Command[];
}

/** A command, its keys, and what can be done with them. */
export function KeyRow({ command, commands, isChanged }: KeyRowProps) {
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
          <Button onClick={() => unbind(command.id)} aria-label={`${command.label}: keys as they came`}>
            As it came
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
          <Button onClick={() => setAsked(undefined)}>Leave it</Button>
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
