/** Consecutive turns of a transcript. Far from the viewport they are one empty element of estimated height. */
import { type ReactNode, useRef } from 'react';
import type { TurnView } from '../../data/segmentViews.ts';
import { guessedHeight } from './TurnSection.tsx';
import { useNear } from './text/WhenNear.tsx';

/** A screen shows one or two stretches, and 2,000 turns make 84 elements. */
const TURNS = 24;

export function stretchesOf(turns: readonly TurnView[]): readonly (readonly TurnView[])[] {
  return Array.from({ length: Math.ceil(turns.length / TURNS) }, (_, i) =>
    turns.slice(i * TURNS, (i + 1) * TURNS),
  );
}

interface TurnStretchProps {
  readonly turns: readonly TurnView[];
  /** Contains the current turn or one to scroll to, so it is always rendered. */
  readonly isWanted: boolean;
  readonly children: (turn: TurnView) => ReactNode;
}

export function TurnStretch({ turns, isWanted, children }: TurnStretchProps) {
  const element = useRef<HTMLDivElement>(null);
  const { isNear, height } = useNear(element, isWanted);
  if (isNear || isWanted) return <div ref={element}>{turns.map(children)}</div>;
  const guessed = turns.reduce((sum, view) => sum + guessedHeight(view), 0);
  return <div ref={element} data-turn={turns[0]?.turn} style={{ height: height ?? guessed }} />;
}
