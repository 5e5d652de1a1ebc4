/**
 * Consecutive turns of a transcript, or consecutive segments of a turn that has many. Far from the viewport they are
 * one empty element of estimated height.
 */
import { type ReactNode, useRef } from 'react';
import { useNear } from './text/WhenNear.tsx';

/** A screen shows one or two stretches, and 2,000 turns make 84 elements. */
const ITEMS = 24;

export function stretchesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / ITEMS) }, (_, i) =>
    items.slice(i * ITEMS, (i + 1) * ITEMS),
  );
}

interface StretchProps {
  /** The first turn of a stretch of turns, so that scrolling finds it while the stretch is empty. */
  readonly turn?: number | undefined;
  /** Estimated height in pixels, until the stretch has been rendered. */
  readonly guessedHeight: number;
  /** Contains the current turn or a segment to scroll to, so it is always rendered. */
  readonly isWanted: boolean;
  readonly children: () => ReactNode;
}

export function Stretch({ turn, guessedHeight, isWanted, children }: StretchProps) {
  const element = useRef<HTMLDivElement>(null);
  const { isNear, height } = useNear(element, isWanted);
  if (isNear || isWanted)
    return (
      <div ref={element} className="stretch">
        {children()}
      </div>
    );
  return (
    <div ref={element} className="stretch" data-turn={turn} style={{ height: height ?? guessedHeight }} />
  );
}
