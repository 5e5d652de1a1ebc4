/**
 * The whole rollout in one line: an entropy profile where entropy was logged, else who wrote how
 * much. Click or drag to seek; arrow keys step by turn when it has the focus.
 */
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useMemo, useRef } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { useWidth } from '../../charts/useWidth.ts';
import { PROFILE_HEIGHT, paintProfile } from './paintProfile.ts';
import { columnMaxima, profileOf } from './profileModel.ts';
import type { Heat } from './useHeat.ts';
import './scrubber.css';

interface ScrubberProps {
  readonly detail: RolloutDetail;
  readonly heat: Heat | undefined;
  readonly turn: number;
  readonly lastTurn: number;
  readonly themeKey: string;
  /** 0…1 of the response. */
  readonly onSeek: (fraction: number) => void;
  readonly onStep: (by: number) => void;
}

const MARK_GLYPH = { call: '●', 'failed-call': '✕', user: '▲' } as const;
const MARK_LABEL = {
  call: 'tool call',
  'failed-call': 'failed tool call',
  user: 'user turn, injected',
} as const;

const BELOW = 'below the line: what the environment wrote';
const BY_KIND = `Who wrote how much. Low: prose. High: tool calls. Full: the answer; ${BELOW}`;

export function Scrubber({ detail, heat, turn, lastTurn, themeKey, onSeek, onStep }: ScrubberProps) {
  const [box, width] = useWidth<HTMLDivElement>(900);
  const canvas = useRef<HTMLCanvasElement>(null);
  const profile = useMemo(
    () => profileOf(detail.segments, detail.toolCalls, detail.response.length),
    [detail],
  );
  const maxima = useMemo(
    () =>
      heat === undefined
        ? undefined
        : columnMaxima(
            heat.signal.values,
            heat.ends,
            detail.response.length,
            Math.max(1, Math.floor(width / 2)),
          ),
    [heat, detail, width],
  );

  useLayoutEffect(() => {
    if (canvas.current === null) return;
    paintProfile(canvas.current, { width, profile, maxima, thresholds: heat?.thresholds ?? [], themeKey });
  }, [width, profile, maxima, heat, themeKey]);

  const here = profile.turns.find((one) => one.turn === turn);
  const seek = (event: PointerEvent<HTMLDivElement>) => {
    const rect = event.currentTarget.getBoundingClientRect();
    onSeek(Math.max(0, Math.min(1, (event.clientX - rect.left) / rect.width)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -1e9, End: 1e9 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onStep(by);
  };

  return (
    <div
      ref={box}
      className="scrubber"
      title={heat === undefined ? BY_KIND : `Highest ${heat.signal.kind} along the rollout; ${BELOW}`}
      role="slider"
      tabIndex={0}
      aria-label="Position in the rollout, by turn"
      aria-valuemin={0}
      aria-valuemax={lastTurn}
      aria-valuenow={turn}
      aria-valuetext={turn === 0 ? 'prompt' : `turn ${turn} of ${lastTurn}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seek(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && seek(event)}
    >
      {here !== undefined && (
        <div
          className="scrubber-here"
          style={{ left: `${here.from * 100}%`, width: `${(here.to - here.from) * 100}%` }}
        />
      )}
      <canvas ref={canvas} style={{ width: '100%', height: PROFILE_HEIGHT }} />
      {profile.turns.slice(1).map((one) => (
        <div key={one.turn} className="scrubber-turn" style={{ left: `${one.from * 100}%` }} />
      ))}
      {here !== undefined && <div className="scrubber-head" style={{ left: `${here.from * 100}%` }} />}
      {profile.marks.map((mark) => (
        <span
          key={`${mark.what} ${mark.at}`}
          className={`scrubber-mark is-${mark.what}`}
          style={{ left: `${mark.at * 100}%` }}
          title={`turn ${mark.turn}: ${MARK_LABEL[mark.what]}`}
        >
          {MARK_GLYPH[mark.what]}
        </span>
      ))}
    </div>
  );
}
