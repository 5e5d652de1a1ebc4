/** Arithmetic of panels: lines over one step axis, and their placement, smoothing, brushing and zooming. */
import { type ScaleLinear, scaleLinear, scaleLog } from 'd3-scale';
import {
  axisRoom,
  type Frame,
  stepScale,
  stepTicks,
  tickLabels,
  type Values,
  valueScale,
} from './chartModel.ts';

/** A second cue beside colour: the lines of a chart also differ in their strokes. */
export const STROKES = ['solid', 'dashed', 'dotted', 'dash-dot', 'long', 'sparse'] as const;
export type Stroke = (typeof STROKES)[number];

const DASHES: Readonly<Record<Stroke, string | undefined>> = {
  solid: undefined,
  dashed: '5 3',
  dotted: '1.5 2.5',
  'dash-dot': '7 2.5 1.5 2.5',
  long: '10 3',
  sparse: '3 5',
};

export function dashOf(stroke: Stroke): string | undefined {
  return DASHES[stroke];
}

/** The role of a line among the others of its chart. */
export type LineRole =
  | 'main'
  /** Drawn in the background: raw values under a smoothed line, or all rollouts behind a filter. */
  | 'under'
  /** Values that the trainer logged. */
  | 'logged';

export interface PanelLine {
  /** Unique in its chart. */
  readonly key: string;
  readonly name: string;
  readonly color: string;
  readonly stroke: Stroke;
  readonly role: LineRole;
  /** Number of steps that each value is averaged over. Absent: not smoothed. */
  readonly meanOver?: number;
  /** Which values a line of the role `under` has. */
  readonly underOf?: 'raw' | 'all rollouts' | 'as logged';
  /** Shown beside filtered values, but the filter does not apply to it. */
  readonly isOfAll?: true;
  /** Ascending. Lines of a chart may have different steps. */
  readonly steps: readonly number[];
  readonly values: Values;
  /** Lower end of an interval around the values, drawn as a band. */
  readonly low?: Values;
  readonly high?: Values;
  /** An upper bound. It does not extend the scale if it is far above the other lines. */
  readonly isLimit?: true;
  /** Describes the line in a sentence. */
  readonly describe?: string;
  /** Opens the rollouts of a point. */
  readonly onOpen?: (step: number) => void;
  /** Names the page that `onOpen` opens, for all steps or for one. */
  readonly opens?: string | ((step: number) => string);
}

export interface StepRange {
  readonly from: number;
  readonly to: number;
}

export function opensText({ opens }: Pick<PanelLine, 'opens'>, step: number | undefined): string | undefined {
  return typeof opens !== 'function' ? opens : step === undefined ? undefined : opens(step);
}

/** All steps for which some line has a value, ascending. */
export function axisOf(lines: readonly { readonly steps: readonly number[] }[]): readonly number[] {
  return [...new Set(lines.flatMap(({ steps }) => steps))].sort((a, b) => a - b);
}

export function valueAt(
  line: Pick<PanelLine, 'steps' | 'values'>,
  step: number | undefined,
): number | undefined {
  if (step === undefined) return undefined;
  let low = 0;
  let high = line.steps.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const there = line.steps[middle] ?? 0;
    if (there === step) return line.values[middle] ?? undefined;
    if (there < step) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** The last known value. */
function lastKnown(line: Pick<PanelLine, 'steps' | 'values'>): number | undefined {
  const at = line.values.findLastIndex((value) => typeof value === 'number');
  return line.values[at] ?? undefined;
}

/** A value, and its step if that is not the requested one. */
export interface ReadValue {
  readonly value: number;
  readonly from?: number;
}

/**
 * A line's value in the legend: at the crosshair, or at rest at the last step. If it is unknown there, the
 * line's last known value with its step.
 *
 * @param step under the crosshair; undefined at rest
 * @param last the step shown at rest
 */
export function readingOf(
  line: Pick<PanelLine, 'steps' | 'values'>,
  step: number | undefined,
  last: number | undefined,
): ReadValue | undefined {
  const here = valueAt(line, step ?? last);
  if (here !== undefined) return { value: here };
  const at = step === undefined ? line.values.findLastIndex((value) => typeof value === 'number') : -1;
  const [value, from] = [line.values[at], line.steps[at]];
  return typeof value === 'number' && from !== undefined ? { value, from } : undefined;
}

/**
 * A centred moving average over the known values among `window` neighbours. The window is cut off at the ends. Unknown
 * values stay unknown, so smoothing fills no gap.
 *
 * @param window odd; 1 changes nothing
 */
export function smoothed(values: Values, window: number): Values {
  if (window <= 1) return values;
  const half = Math.floor(window / 2);
  // Prefix sums, so that the cost does not depend on the window.
  const sums = [0];
  const counts = [0];
  values.forEach((value, i) => {
    const isKnown = typeof value === 'number';
    sums.push((sums[i] ?? 0) + (isKnown ? value : 0));
    counts.push((counts[i] ?? 0) + (isKnown ? 1 : 0));
  });
  return values.map((value, i) => {
    if (typeof value !== 'number') return undefined;
    const from = Math.max(0, i - half);
    const to = Math.min(values.length, i + half + 1);
    return ((sums[to] ?? 0) - (sums[from] ?? 0)) / ((counts[to] ?? 0) - (counts[from] ?? 0));
  });
}

/** Parses `40..60`. Anything else is undefined. */
export function readRange(text: string | null): StepRange | undefined {
  const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(text ?? '') ?? [];
  if (from === undefined || to === undefined) return undefined;
  return orderedRange(Number(from), Number(to));
}

export function rangeText({ from, to }: StepRange): string {
  return `${from}..${to}`;
}

export function orderedRange(a: number, b: number): StepRange {
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

export function isWithin(step: number, range: StepRange | undefined): boolean {
  return range === undefined || (step >= range.from && step <= range.to);
}

/** The part of a line within a range. */
export function lineWithin(line: PanelLine, range: StepRange | undefined): PanelLine {
  if (range === undefined) return line;
  const kept = line.steps.flatMap((step, i) => (isWithin(step, range) ? [i] : []));
  return {
    ...line,
    steps: kept.map((i) => line.steps[i] ?? 0),
    values: kept.map((i) => line.values[i]),
    ...(line.low === undefined ? {} : { low: kept.map((i) => line.low?.[i]) }),
    ...(line.high === undefined ? {} : { high: kept.map((i) => line.high?.[i]) }),
  };
}

/** A limit farther above the greatest value than this factor would flatten all other lines. */
const FAR = 2.5;

/** Leaves out limits that are far above everything else. The legend still shows their values. */
export function withoutFarLimits(lines: readonly PanelLine[]): readonly PanelLine[] {
  const most = Math.max(...lines.filter(({ isLimit }) => isLimit !== true).map(greatest));
  return lines.filter((line) => line.isLimit !== true || greatest(line) <= FAR * most);
}

/** The limits that are not drawn, to name them at the edge of the drawing. */
export function farLimits(
  lines: readonly PanelLine[],
): readonly { readonly name: string; readonly value: number; readonly source: string }[] {
  const drawn = new Set(withoutFarLimits(lines));
  return lines.flatMap((line) => {
    const value = drawn.has(line) ? undefined : lastKnown(line);
    return value === undefined ? [] : [{ name: line.name, value, source: line.describe ?? '' }];
  });
}

function greatest({ values }: PanelLine): number {
  return values.reduce<number>(
    (most, value) => (typeof value === 'number' && value > most ? value : most),
    Number.NEGATIVE_INFINITY,
  );
}

export function hasValue(line: Pick<PanelLine, 'values'>): boolean {
  return line.values.some((value) => typeof value === 'number');
}

/** Shift with an arrow key extends or shrinks the range at the crosshair. */
export function extendedRange(
  axis: readonly number[],
  range: StepRange | undefined,
  at: number,
  by: 1 | -1,
): { readonly range: StepRange; readonly at: number } {
  const index = axis.indexOf(at);
  const moved = axis[Math.max(0, Math.min(axis.length - 1, index + by))] ?? at;
  if (range === undefined || (at !== range.from && at !== range.to))
    return { range: orderedRange(at, moved), at: moved };
  const anchor = at === range.to && range.from !== range.to ? range.from : range.to;
  const other = at === range.from && at === range.to ? at : anchor;
  return { range: orderedRange(other, moved), at: moved };
}

/** The line whose point at a step is nearest to a height, at any distance. */
export function nearestLine(
  lines: readonly PanelLine[],
  step: number,
  heightOf: (value: number) => number,
  height: number,
): PanelLine | undefined {
  let best: PanelLine | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const value = valueAt(line, step);
    if (value === undefined || line.role === 'under') continue;
    const away = Math.abs(heightOf(value) - height);
    if (away < least) {
      best = line;
      least = away;
    }
  }
  return best;
}

/** For stacked shares: the line whose band contains a share. `lines` are from the bottom up. */
export function bandAt(lines: readonly PanelLine[], step: number, share: number): PanelLine | undefined {
  let base = 0;
  for (const line of lines) {
    base += valueAt(line, step) ?? 0;
    if (share <= base) return line;
  }
  return lines.findLast((line) => valueAt(line, step) !== undefined);
}

export interface PanelShape {
  readonly width: number;
  readonly height: number;
  /** Width in px reserved beside the drawing. */
  readonly beside: number;
  readonly axis: readonly number[];
  /** By step: seconds since the first step, to place steps by time. Absent: steps are placed by number. */
  readonly seconds?: ReadonlyMap<number, number> | undefined;
  /** The lines to draw. */
  readonly lines: readonly PanelLine[];
  readonly isStacked: boolean;
  /** Requests a logarithmic axis. Values of 0 and below cannot be drawn on it. */
  readonly isLog: boolean;
  readonly isFromZero: boolean;
  /** Values that the scale must include. */
  readonly levels: readonly number[];
  /** Values that a logarithmic scale includes as well, since that flattens nothing. */
  readonly references: readonly number[];
  readonly format: (value: number) => string;
}

interface PanelPlace {
  readonly frame: Frame;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  /** Ticks of the step axis, px from the left. */
  readonly ticks: readonly AxisTick[];
  readonly isLog: boolean;
}

export interface AxisTick {
  readonly at: number;
  readonly label: string;
}

export function panelPlace(shape: PanelShape): PanelPlace {
  const { width, height, beside, axis, lines, isStacked, levels, references, format } = shape;
  const room = { width, height, left: 32, right: 12 + beside, top: 8, bottom: 17 };
  const known = isStacked
    ? [[0, 1]]
    : [...lines.flatMap(({ values, high }) => (high === undefined ? [values] : [values, high])), levels];
  const log = shape.isLog && !isStacked ? logValueScale([...known, references], room) : undefined;
  const y = log ?? valueScale(known, room, { fromZero: shape.isFromZero });
  const frame = { ...room, left: 4 + axisRoom(tickLabels(y.ticks(3), format), room.left) };
  const plain = stepScale(axis, frame);
  const { x, ticks } = timeAxis(axis, shape.seconds, frame) ?? {
    x: plain,
    ticks: stepTicks(axis, plain).map((step) => ({ at: plain(step), label: String(step) })),
  };
  return { frame, x: x.clamp(true), y, ticks, isLog: log !== undefined };
}

const UNITS = [
  { seconds: 1, name: 's' },
  { seconds: 60, name: 'min' },
  { seconds: 3600, name: 'h' },
  { seconds: 86_400, name: 'd' },
] as const;
const [LEAST_UNIT] = UNITS;
const TIME_TICKS = 4;

/**
 * A scale that places steps by time.
 * @returns undefined unless every step has a later time than the previous one
 */
function timeAxis(
  axis: readonly number[],
  seconds: ReadonlyMap<number, number> | undefined,
  frame: Frame,
): { readonly x: ScaleLinear<number, number>; readonly ticks: readonly AxisTick[] } | undefined {
  if (seconds === undefined || !hasTimes(axis, seconds)) return undefined;
  const times = axis.map((step) => seconds.get(step) ?? 0);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const place = scaleLinear()
    .domain([first, last])
    .range([frame.left, frame.width - frame.right]);
  const unit = UNITS.findLast((one) => (last - first) / one.seconds >= 2) ?? LEAST_UNIT;
  const inUnit = scaleLinear().domain([0, (last - first) / unit.seconds]);
  return {
    x: scaleLinear().domain(axis).range(times.map(place)),
    ticks: inUnit
      .ticks(TIME_TICKS)
      .map((tick) => ({ at: place(first + tick * unit.seconds), label: `${tick} ${unit.name}` })),
  };
}

/** Whether every step has a known time that is later than the previous one. */
export function hasTimes(axis: readonly number[], seconds: ReadonlyMap<number, number>): boolean {
  const times = axis.map((step) => seconds.get(step) ?? Number.NaN);
  return times.length > 1 && times.every((time, i) => time > (times[i - 1] ?? Number.NEGATIVE_INFINITY));
}

/** On a logarithmic axis, breaks the line at values that cannot be drawn instead of drawing them at the bottom. */
export function withoutNoughts(lines: readonly PanelLine[]): readonly PanelLine[] {
  const kept = (values: Values): Values => values.map((value) => ((value ?? 0) > 0 ? value : undefined));
  return lines.map((line) => ({
    ...line,
    values: kept(line.values),
    ...(line.low === undefined ? {} : { low: kept(line.low) }),
    ...(line.high === undefined ? {} : { high: kept(line.high) }),
  }));
}

/**
 * From the smallest value above 0 to the greatest, both rounded outwards to 1, 2 or 5 times a power of ten.
 * @returns undefined if no value is above 0
 */
export function logValueScale(
  series: readonly Values[],
  frame: Frame,
): ScaleLinear<number, number> | undefined {
  const known = series.flatMap((values) => values.filter((value) => typeof value === 'number' && value > 0));
  if (known.length === 0) return undefined;
  const low = roundedOut(Math.min(...(known as number[])), Math.floor);
  const high = Math.max(roundedOut(Math.max(...(known as number[])), Math.ceil), low * 2);
  const scale = scaleLog()
    .domain([low, high])
    .range([frame.height - frame.bottom, frame.top]);
  const ticks = logTicksBetween(low, high);
  // Callers use only what both kinds of scale share, so the cast is safe. The ticks are thinned in advance.
  return Object.assign(scale, { ticks: () => [...ticks] }) as unknown as ScaleLinear<number, number>;
}

const HEADS = [1, 2, 5] as const;

function roundedOut(value: number, round: (power: number) => number): number {
  const isDown = round === Math.floor;
  const power = 10 ** Math.floor(Math.log10(value));
  const heads = [...HEADS, 10].map((head) => head * power);
  const near = (a: number): boolean => Math.abs(a / value - 1) < 1e-9;
  const found = isDown
    ? heads.findLast((head) => head <= value || near(head))
    : heads.find((head) => head >= value || near(head));
  return found ?? value;
}

/**
 * Powers of ten, thinned if there are many. Within two decades also 2 and 5 times each, since a power alone says
 * little.
 */
function logTicksBetween(low: number, high: number): readonly number[] {
  const [from, to] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  const within = (tick: number): boolean => tick >= low * 0.999 && tick <= high * 1.001;
  const powers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const tens = powers.map((power) => 10 ** power).filter(within);
  const every = Math.ceil(tens.length / 4);
  if (tens.length >= 3) return tens.filter((_, i) => i % every === 0);
  const heads = powers.flatMap((power) => HEADS.map((head) => head * 10 ** power)).filter(within);
  const step = Math.ceil((heads.length - 1) / 3) || 1;
  return heads.filter((_, i) => i % step === 0);
}
