/**
 * The whole rollout in one line: a profile of the signal if one was logged, else the length of each author's text. A
 * click seeks. Dragging selects tokens, or seeks if none exist. With focus, the arrow keys step by turn.
 */
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { RolloutDetail } from '../../../shared/api/contract.ts';
import { changeText, type PolicyValue } from '../../../shared/domain/valueByTurn.ts';
import { useWidth } from '../../charts/useWidth.ts';
import type { LabelMark } from './labels/labelModel.ts';
import { PROFILE_HEIGHT, paintProfile } from './paintProfile.ts';
import { columnStatistics, type MarkCluster, markClusters, profileOf } from './text/profileModel.ts';
import type { Heat } from './text/tokenHeat.ts';
import { ValueLine } from './ValueLine.tsx';
import './scrubber.css';

interface ScrubberProps {
  readonly detail: RolloutDetail;
  readonly heat: Heat | undefined;
  /** Absent: nothing was sampled from the ends of turns. */
  readonly value: PolicyValue | undefined;
  readonly turn: number;
  readonly lastTurn: number;
  readonly themeKey: string;
  /** 0…1 of the response. */
  readonly onSeek: (fraction: number) => void;
  readonly onStep: (by: number) => void;
  /** Called when tokens were selected by dragging; both 0…1 of the response. */
  readonly onBrush: (from: number, to: number) => void;
  readonly selected: Stretch | undefined;
  /** Position of the current token, 0…1 of the response. */
  readonly tokenAt: number | undefined;
  /** Annotations of positions in the rollout. */
  readonly labels: readonly LabelMark[];
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

const MARK_GLYPH = { call: '●', 'failed-call': '✕', user: '▲' } as const;
const MARK_LABEL = {
  call: 'tool call',
  'failed-call': 'failed tool call',
  user: 'user message',
} as const;

const BELOW = 'under the line: what the environment wrote';
const BANDS = 'grey bands: tool calls; blue band: the current turn';
const BY_KIND = `Length by author. Low: prose. High: tool calls. Full: the answer; ${BELOW}; blue band: the current turn`;

const MEANS =
  'column: least to highest value, tick at the mean; top rows: forking tokens, then reflection tokens; click to go there, drag to select tokens';

const MARKS = 'below: ● tool call, ✕ failed tool call, ▲ user message';

const isProfile = (heat: Heat | undefined): heat is Heat => heat?.ends !== undefined && !heat.isConstant;

/** The sentence of the line of values. */
function valueLegend({ losing, saving }: PolicyValue): string {
  const changes = [
    losing === undefined ? [] : `largest drop: ${changeText(losing)}`,
    saving === undefined ? [] : `largest rise: ${changeText(saving)}`,
  ].flat();
  return [
    'line: pass rate of continuations from the end of each turn, with its 95 % interval',
    ...changes,
  ].join('; ');
}

/** What the strip shows, in words. */
export const stripLegend = (heat: Heat | undefined, value: PolicyValue | undefined): string =>
  `${isProfile(heat) ? `${heat.words.name} along the rollout; ${MEANS}; ${BANDS}; ${BELOW}` : BY_KIND}; ${MARKS}${value === undefined ? '' : `; ${valueLegend(value)}`}`;

/** Width of one mark. */
const MARK_PIXELS = 8;

function markTitle({ turn, what, marks, failed }: MarkCluster): string {
  if (marks === 1) return `turn ${turn}: ${MARK_LABEL[what]}`;
  const failures = failed === 0 ? '' : `, ${failed} failed`;
  return `from turn ${turn}: ${marks} marks too close to draw${failures}`;
}

export function Scrubber(props: ScrubberProps) {
  const { detail, heat, turn, lastTurn, themeKey, onStep, selected, tokenAt } = props;
  const [box, width] = useWidth<HTMLDivElement>(900);
  const canvas = useRef<HTMLCanvasElement>(null);
  const profile = useMemo(
    () => profileOf(detail.segments, detail.toolCalls, detail.response.length),
    [detail],
  );
  const columns = useMemo(
    () =>
      isProfile(heat)
        ? columnStatistics(heat, detail.response.length, Math.max(1, Math.floor(width / 2)))
        : undefined,
    [heat, detail, width],
  );
  const brush = useBrush({ isOn: heat?.ends !== undefined, onSeek: props.onSeek, onBrush: props.onBrush });
  const marked = brush.stretch ?? selected;

  useLayoutEffect(() => {
    if (canvas.current === null) return;
    paintProfile(canvas.current, {
      width,
      profile,
      columns,
      cuts: heat?.cuts ?? [],
      highest: heat?.known.at(-1) ?? 1,
      themeKey,
    });
  }, [width, profile, columns, heat, themeKey]);

  const marks = useMemo(
    () => markClusters(profile.marks, Math.max(1, Math.floor(width / MARK_PIXELS))),
    [profile, width],
  );
  const here = profile.turns.find((one) => one.turn === turn);
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
      title={stripLegend(heat, props.value)}
      role="slider"
      tabIndex={0}
      aria-label="Position in the rollout, by turn"
      aria-valuemin={0}
      aria-valuemax={lastTurn}
      aria-valuenow={turn}
      aria-valuetext={turn === 0 ? 'prompt' : `turn ${turn} of ${lastTurn}`}
      onKeyDown={onKeyDown}
      {...brush.handlers}
    >
      {here !== undefined && (
        <div
          className="scrubber-here"
          style={{ left: `${here.from * 100}%`, width: `${(here.to - here.from) * 100}%` }}
        />
      )}
      <canvas ref={canvas} style={{ width: '100%', height: PROFILE_HEIGHT }} />
      {props.value !== undefined && <ValueLine value={props.value} turns={profile.turns} width={width} />}
      {here !== undefined && <div className="scrubber-head" style={{ left: `${here.from * 100}%` }} />}
      {marked !== undefined && (
        <div
          className="scrubber-selection"
          style={{ left: `${marked.from * 100}%`, width: `${(marked.to - marked.from) * 100}%` }}
        />
      )}
      {tokenAt !== undefined && <div className="scrubber-token" style={{ left: `${tokenAt * 100}%` }} />}
      {props.labels.map((mark, i) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: several marks may share a position
          key={i}
          className="scrubber-label"
          data-colour={mark.colour}
          style={{ left: `${mark.at * 100}%` }}
          title={mark.title}
        />
      ))}
      {marks.map((mark) => (
        <span
          key={`${mark.what} ${mark.at}`}
          className={`scrubber-mark is-${mark.what}`}
          style={{ left: `${mark.at * 100}%` }}
          title={markTitle(mark)}
        >
          {MARK_GLYPH[mark.what]}
        </span>
      ))}
    </div>
  );
}

interface BrushInput {
  /** Without tokens there is nothing to select, so dragging seeks. */
  readonly isOn: boolean;
  readonly onSeek: (fraction: number) => void;
  readonly onBrush: (from: number, to: number) => void;
}

interface Drag {
  readonly start: number;
  readonly at: number;
  readonly isWide: boolean;
}

/** A shorter movement counts as a click. */
const CLICK_PIXELS = 4;

function fractionAt(event: PointerEvent<HTMLElement>): number {
  const rect = event.currentTarget.getBoundingClientRect();
  return Math.max(0, Math.min(1, (event.clientX - rect.left) / rect.width));
}

/** A click seeks, dragging selects. */
function useBrush({ isOn, onSeek, onBrush }: BrushInput) {
  const [drag, setDrag] = useState<Drag>();
  return {
    /** The range while it is being dragged. */
    stretch:
      isOn && drag?.isWide === true
        ? { from: Math.min(drag.start, drag.at), to: Math.max(drag.start, drag.at) }
        : undefined,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const start = fractionAt(event);
        setDrag({ start, at: start, isWide: false });
        if (!isOn) onSeek(start);
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (drag === undefined) return;
        const at = fractionAt(event);
        const pixels = Math.abs(at - drag.start) * event.currentTarget.clientWidth;
        setDrag({ ...drag, at, isWide: drag.isWide || pixels > CLICK_PIXELS });
        if (!isOn) onSeek(at);
      },
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        if (drag !== undefined && isOn) {
          const at = fractionAt(event);
          if (drag.isWide) onBrush(drag.start, at);
          else onSeek(at);
        }
        setDrag(undefined);
      },
      onPointerCancel: () => setDrag(undefined),
    },
  };
}
