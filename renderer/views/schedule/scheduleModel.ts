/** Layout of the timeline: lanes and rows vertically, seconds horizontally, and the visible part of both. */

import type { StepSchedule } from '../../../shared/api/contract.ts';
import { plainLogText } from '../../ui/LogText.tsx';

export const GUTTER = 188;
/** px for the axis and the concurrency chart above the lanes. */
export const HEAD = 96;
export const AXIS = 20;
const CACHE = 30;
const LANE_GAP = 6;
const RIGHT = 14;
const ROW = { least: 3, most: 14 } as const;
/** The shortest visible span, in seconds. */
const LEAST_SECONDS = 0.05;

export interface PlacedLane {
  readonly name: string;
  /** Share of the wall time. Undefined if the worker is unknown, or had nothing to do. */
  readonly busyShare: number | undefined;
  readonly top: number;
  readonly height: number;
  /** The bars `[first, end)` belong to this lane. */
  readonly first: number;
  readonly end: number;
  /** Intervals in which something ran, as pairs of from and to, in seconds. */
  readonly busy: Float32Array;
  readonly gpu: string | undefined;
}

interface PlacedCache {
  readonly top: number;
  readonly height: number;
  readonly line: StepSchedule['kvCache'][number];
}

export interface Layout {
  readonly lanes: readonly PlacedLane[];
  readonly caches: readonly PlacedCache[];
  readonly rowHeight: number;
  /** Height of all lanes, without the head. */
  readonly height: number;
}

/** Seconds since the first start. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const isNamed = ({ worker, gpu }: StepSchedule['lanes'][number]): boolean =>
  worker !== undefined || gpu !== undefined;

export function laneName({ worker, gpu }: StepSchedule['lanes'][number]): string {
  if (worker === undefined && gpu === undefined) return 'worker not logged';
  return [
    ...(worker === undefined ? [] : [plainLogText(worker)]),
    ...(gpu === undefined ? [] : [`GPU ${plainLogText(gpu)}`]),
  ].join(' · ');
}

/** @param room height for the lanes; rows use it up, within their minimum and maximum height */
export function layoutOf(schedule: StepSchedule, room: number): Layout {
  const { lanes, kvCache, idleWorkers, bars, facts } = schedule;
  const rows = lanes.reduce((sum, lane) => sum + lane.rows, 0) + idleWorkers.length;
  const rest = room - kvCache.length * CACHE - (lanes.length + idleWorkers.length) * LANE_GAP;
  const wanted = Math.max(ROW.least, Math.min(ROW.most, rest / Math.max(1, rows)));
  // Use whole pixels if rows are high enough, so that edges are sharp.
  const rowHeight = wanted >= 4 ? Math.floor(wanted) : wanted;
  const placed: PlacedLane[] = [];
  const caches: PlacedCache[] = [];
  const linesLeft = new Map(kvCache.map((line) => [line.gpu, line]));
  let top = 0;
  let first = 0;
  lanes.forEach((lane, i) => {
    const height = Math.max(lane.rows * rowHeight, 12);
    const end = first + lane.rollouts;
    const wall = facts?.wallSeconds ?? 0;
    placed.push({
      name: laneName(lane),
      busyShare: wall > 0 && isNamed(lane) ? lane.busySeconds / wall : undefined,
      top,
      height,
      first,
      end,
      busy: busySpans(bars, first, end),
      gpu: lane.gpu,
    });
    first = end;
    top += height + LANE_GAP;
    const line = linesLeft.get(lane.gpu);
    if (line === undefined || lanes[i + 1]?.gpu === lane.gpu) return;
    linesLeft.delete(lane.gpu);
    caches.push({ top: top - LANE_GAP / 2, height: CACHE - LANE_GAP, line });
    top += CACHE;
  });
  for (const worker of idleWorkers) {
    placed.push({
      name: plainLogText(worker),
      busyShare: undefined,
      top,
      height: 12,
      first,
      end: first,
      busy: new Float32Array(),
      gpu: undefined,
    });
    top += 12 + LANE_GAP;
  }
  return { lanes: placed, caches, rowHeight, height: top };
}

/** Bars of a lane are sorted by start. */
function busySpans({ start, end }: StepSchedule['bars'], first: number, last: number): Float32Array {
  const spans: number[] = [];
  for (let i = first; i < last; i++) {
    const [from, to] = [start[i] ?? 0, end[i] ?? 0];
    const until = spans.at(-1);
    if (until === undefined || from > until) spans.push(from, to);
    else spans[spans.length - 1] = Math.max(until, to);
  }
  return Float32Array.from(spans);
}

export function secondsAt(x: number, span: Span, width: number): number {
  return span.from + ((x - GUTTER) / plotWidth(width)) * (span.to - span.from);
}

export const plotWidth = (width: number): number => Math.max(1, width - GUTTER - RIGHT);

/**
 * The bar under a point.
 * @param y from the top of the lanes
 */
export function barAt(
  { bars }: Pick<StepSchedule, 'bars'>,
  { lanes, rowHeight }: Layout,
  { seconds, y, slack }: { readonly seconds: number; readonly y: number; readonly slack: number },
): number | undefined {
  const lane = lanes.find(({ top, height }) => y >= top && y < top + height);
  if (lane === undefined) return undefined;
  const row = Math.floor((y - lane.top) / rowHeight);
  for (let i = lane.first; i < lane.end; i++) {
    if (bars.row[i] !== row) continue;
    if ((bars.start[i] ?? 0) - slack <= seconds && seconds <= (bars.end[i] ?? 0) + slack) return i;
  }
  return undefined;
}

export function laneOfBar({ lanes }: Layout, bar: number): PlacedLane | undefined {
  return lanes.find(({ first, end }) => bar >= first && bar < end);
}

export const wholeSpan = ({ facts }: StepSchedule): Span => ({
  from: 0,
  to: Math.max(facts?.wallSeconds ?? 0, 1),
});

/** Clips a span to the step, and to the shortest visible span. */
export function fitted(span: Span, whole: Span): Span {
  const length = Math.min(whole.to - whole.from, Math.max(LEAST_SECONDS, span.to - span.from));
  const from = Math.max(whole.from, Math.min(whole.to - length, span.from));
  return { from, to: from + length };
}

/**
 * @param factor below 1 zooms in
 * @param at the time that keeps its screen position
 */
export function zoomed(span: Span, factor: number, at: number, whole: Span): Span {
  const before = (at - span.from) / (span.to - span.from);
  const length = Math.min(whole.to - whole.from, Math.max(LEAST_SECONDS, (span.to - span.from) * factor));
  return fitted({ from: at - before * length, to: at + (1 - before) * length }, whole);
}

export function panned(span: Span, by: number, whole: Span): Span {
  return fitted({ from: span.from + by, to: span.to + by }, whole);
}

/** Centres the span on a bar that is out of view. Returns the same span if the bar is visible. */
export function revealed(span: Span, from: number, to: number, whole: Span): Span {
  if (to >= span.from && from <= span.to) return span;
  const half = (span.to - span.from) / 2;
  const middle = (from + to) / 2;
  return fitted({ from: middle - half, to: middle + half }, whole);
}

/** Parses `12.5..40`. Anything else is undefined. */
export function readSpan(text: string | null, whole: Span): Span | undefined {
  const [, from, to] = /^(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)$/.exec(text ?? '') ?? [];
  if (from === undefined || to === undefined || Number(to) <= Number(from)) return undefined;
  return fitted({ from: Number(from), to: Number(to) }, whole);
}

export function spanText(span: Span, whole: Span): string | undefined {
  if (span.from <= whole.from && span.to >= whole.to) return undefined;
  return `${Number(span.from.toFixed(2))}..${Number(span.to.toFixed(2))}`;
}

/** `0:45`, `12:30`, `1:02:30`. `digits` adds decimals to the seconds. */
export function clock(seconds: number, digits = 0): string {
  const rounded = Number(seconds.toFixed(digits));
  const rest = rounded % 60;
  const minutes = Math.floor(rounded / 60) % 60;
  const hours = Math.floor(rounded / 3600);
  const tail = rest.toFixed(digits).padStart(digits === 0 ? 2 : 3 + digits, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

const TICKS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400,
];

export function timeTicks(
  span: Span,
  width: number,
): { readonly at: readonly number[]; readonly digits: number } {
  const most = Math.max(2, Math.floor(plotWidth(width) / 90));
  const length = span.to - span.from;
  const step = TICKS.find((tick) => length / tick <= most) ?? length / most;
  const at: number[] = [];
  for (let i = Math.ceil(span.from / step); i * step <= span.to; i++) at.push(i * step);
  return { at, digits: step < 1 ? 1 : 0 };
}

/**
 * The bar `by` positions further on among those that count. Without a current bar, the first of them.
 * @param bars how many there are
 */
export function walked(
  bars: number,
  from: number | undefined,
  by: number,
  counts: (bar: number) => boolean,
): number | undefined {
  const way = by < 0 ? -1 : 1;
  let found: number | undefined;
  let left = from === undefined ? 1 : Math.abs(by);
  for (let i = from === undefined ? 0 : from + way; i >= 0 && i < bars && left > 0; i += way) {
    if (!counts(i)) continue;
    found = i;
    left--;
  }
  return found ?? from;
}

/** Index of the last entry at or before a time. -1 if none exists. */
export function lastUpTo(at: Float32Array, seconds: number): number {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
