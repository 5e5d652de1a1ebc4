import { useEffect, useRef, useState } from 'react';
import { readingMs } from '../../../data/pace.ts';
import { useInterface } from '../../../state/interface.ts';

/** Folded rows are passed, not read. */
const PASSING_MS = 350;

interface Playing {
  readonly row: number;
  readonly lastRow: number;
  /** What there is to read in the current row. */
  readonly chars: number;
  /** The row is equal in all lanes, and equal rows are not read. */
  readonly isPassed: boolean;
  readonly onRow: (row: number) => void;
  /** Playing stops when it comes to such a row. */
  readonly hasStop: (row: number) => boolean;
}

/** Plays row by row at a reading pace; stops at a breakpoint and at the end. */
export function usePlaying({ row, lastRow, chars, isPassed, onRow, hasStop }: Playing) {
  const [isPlaying, setPlaying] = useState(false);
  const speed = useInterface((state) => state.playSpeed);
  const isAtEnd = row >= lastRow;
  const isRunning = isPlaying && !isAtEnd;
  const step = useRef(() => {});
  useEffect(() => {
    step.current = () => {
      onRow(row + 1);
      if (hasStop(row + 1)) setPlaying(false);
    };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each row has its own time, also where it is as long
  useEffect(() => {
    if (!isRunning) return;
    const wait = isPassed ? PASSING_MS / speed : readingMs(chars, speed);
    const timer = setTimeout(() => step.current(), wait);
    return () => clearTimeout(timer);
  }, [isRunning, row, chars, isPassed, speed]);
  return {
    isPlaying: isRunning,
    /** At the end playing begins anew. */
    flip: () => {
      if (isAtEnd && lastRow > 0) {
        onRow(0);
        setPlaying(true);
      } else setPlaying(!isRunning);
    },
  };
}
