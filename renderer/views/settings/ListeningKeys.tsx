import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Keys } from '../../app/Keys.tsx';
import { typedStroke } from '../../app/typedKeys.ts';

/** As long as the listener waits for the second stroke of a sequence. */
const SEQUENCE_MS = 900;

interface ListeningKeysProps {
  /** One stroke, or two within the time of a sequence. */
  readonly onTyped: (keys: string) => void;
  /** @param why a press that cannot be bound, in a sentence */
  readonly onRefused: (why: string) => void;
  readonly onEnd: () => void;
}

export function ListeningKeys({ onTyped, onRefused, onEnd }: ListeningKeysProps) {
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
      {first === undefined ? 'Press a key, or two in a row; Esc leaves it' : <Keys keys={first} />}
    </button>
  );
}
