/** Consecutive turns of a transcript. Far away they are one empty element, about as tall as they will be. */
import { type ReactNode, useRef } from 'react';
import type { TurnView } from '../../data/segmentViews.ts';
import { guessedHeight } from './TurnSection.tsx';
import { useNear } from './text/WhenNear.tsx';

/** A screen shows one or two of them, and 2,000 turns are 84 elements. */
const TURNS = 24;

export function stretchesOf(turns: readonly TurnView[]): readonly (readonly TurnView[])[] {
  return Array.from({ length: Math.ceil(turns.length / TURNS) }, (_, i) =>
    turns.slice(i * TURNS, (i + 1) * TURNS),
  );
}

interface TurnStretchProps {
  readonly turns: readonly TurnView[];
  /** Holds the turn that is read, or one that is scrolled to: rendered wherever it is. */
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
