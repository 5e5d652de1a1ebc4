import { useEffect, useRef, useState } from 'react';
import type { TurnView } from '../../data/segmentViews.ts';
import { useInterface } from '../../state/interface.ts';
import { dwellMs } from './replayModel.ts';

/** Plays turn by turn at a reading pace and stops at the end. */
export function usePlayback(turns: readonly TurnView[], turn: number, onStep: () => void) {
  const [isPlaying, setPlaying] = useState(false);
  const speed = useInterface((state) => state.playSpeed);
  const step = useRef(onStep);
  useEffect(() => {
    step.current = onStep;
  });
  const isAtEnd = turn === turns.at(-1)?.turn;
  const view = turns.find((one) => one.turn === turn);
  const isRunning = isPlaying && !isAtEnd;

  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(() => step.current(), dwellMs(view, speed));
    return () => clearTimeout(timer);
  }, [isRunning, view, speed]);

  return {
    isPlaying: isRunning,
    pause: () => setPlaying(false),
    /** At the end playing begins anew, which the caller does by going to the first turn. */
    flip: () => setPlaying(!isRunning),
    isAtEnd,
  };
}
