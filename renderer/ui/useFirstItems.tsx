/** The first items of a list from a log, which may be of any length, and a button that shows the next ones. */
import { type ReactNode, useState } from 'react';
import { Button } from './Controls.tsx';
import { count, counted } from './numbers.ts';

/** An item may be a list, too, and 20 of 20 items are 400 rows. */
const STEP = 20;

interface FirstItems<Item> {
  readonly shown: readonly Item[];
  /** How many items are left out, with the button. Null if all are shown. */
  readonly more: ReactNode;
}

/** @param noun one item, such as `metric` */
export function useFirstItems<Item>(
  items: readonly Item[],
  noun: string,
  step = STEP,
  plural = `${noun}s`,
): FirstItems<Item> {
  const [most, setMost] = useState(step);
  const left = items.length - most;
  if (left <= 0) return { shown: items, more: null };
  return {
    shown: items.slice(0, most),
    more: (
      <p className="more-items dim">
        {counted(left, `more ${noun}`, `more ${plural}`)} not shown.
        <Button onClick={() => setMost(most + step)}>Show {count(Math.min(step, left))} more</Button>
      </p>
    ),
  };
}
