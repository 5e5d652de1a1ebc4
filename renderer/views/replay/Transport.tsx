import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, Pause, Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { TurnView } from '../../data/segmentViews.ts';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { PLAY_SPEEDS, useInterface } from '../../state/interface.ts';
import { IconButton } from '../../ui/Controls.tsx';
import { Hint } from '../../ui/Hint.tsx';
import { dwellMs } from './text/replayModel.ts';

interface TransportProps {
  readonly turn: number;
  readonly lastTurn: number;
  readonly isPlaying: boolean;
  readonly onFirst: () => void;
  readonly onLast: () => void;
  readonly onStep: (by: number) => void;
  readonly onFlipPlaying: () => void;
  /** What the strip beside the buttons shows. */
  readonly legend: string;
}

export function Transport(props: TransportProps) {
  const { turn, lastTurn, isPlaying } = props;
  const speed = useInterface((state) => state.playSpeed);
  const setSpeed = useInterface((state) => state.setPlaySpeed);
  const nextSpeed = PLAY_SPEEDS[(PLAY_SPEEDS.indexOf(speed) + 1) % PLAY_SPEEDS.length] ?? 1;
  return (
    <div>
      <div className="transport">
        <IconButton isOutlined label="First turn" keys={keyOf('turn.first')} onClick={props.onFirst}>
          <ChevronsLeft size={15} />
        </IconButton>
        <IconButton
          isOutlined
          label="Previous turn"
          keys={keyOf('turn.previous')}
          onClick={() => props.onStep(-1)}
        >
          <ChevronLeft size={15} />
        </IconButton>
        <IconButton
          isOutlined
          label={isPlaying ? 'Pause' : 'Play, turn by turn'}
          keys={keyOf('play.flip')}
          onClick={props.onFlipPlaying}
        >
          {isPlaying ? <Pause size={14} /> : <Play size={14} />}
        </IconButton>
        <IconButton isOutlined label="Next turn" keys={keyOf('turn.next')} onClick={() => props.onStep(1)}>
          <ChevronRight size={15} />
        </IconButton>
        <IconButton isOutlined label="Last turn" keys={keyOf('turn.last')} onClick={props.onLast}>
          <ChevronsRight size={15} />
        </IconButton>
      </div>
      <div className="transport-facts">
        {turn === 0 ? 'prompt' : `turn ${turn} of ${lastTurn}`}
        <button type="button" title="Playback speed" onClick={() => setSpeed(nextSpeed)}>
          {speed}×
        </button>
        <Hint side="top" text={props.legend}>
          <button type="button">legend</button>
        </Hint>
      </div>
    </div>
  );
}

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
    /** At the end playback restarts. The caller goes to the first turn. */
    flip: () => setPlaying(!isRunning),
    isAtEnd,
  };
}
