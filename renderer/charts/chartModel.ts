/** Arithmetic of charts over steps and over values. React renders the DOM; d3 only computes. */
import { bisectCenter, extent, max, min } from 'd3-array';
import { type ScaleLinear, scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { decimal } from '../ui/numbers.ts';

/** One value per step. An unknown value is undefined and breaks the line. */
export type Values = readonly (number | null | undefined)[];

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Width of the axis labels in px. A digit of their font is about 6 px wide. */
export function axisRoom(labels: readonly string[], least: number): number {
  return Math.max(least, 10 + 6.2 * Math.max(0, ...labels.map((label) => label.length)));
}

export function stepScale(steps: readonly number[], frame: Frame): ScaleLinear<number, number> {
  const [first = 0, last = 1] = [steps[0], steps.at(-1)];
  const domain = first === last ? [first - 1, last + 1] : [first, last];
  return scaleLinear()
    .domain(domain)
    .range([frame.left, frame.width - frame.right]);
}

/**
 * Shares start at 0, so that heights can be compared. Other quantities use the range of their values. A flat line gets
 * a margin, or its axis would be a single number.
 */
export function valueScale(
  series: readonly Values[],
  frame: Frame,
  options: { readonly fromZero: boolean },
): ScaleLinear<number, number> {
  const known = series.flatMap((values) => values.filter((value) => value !== null && value !== undefined));
  const [low = 0, high = 1] = extent(known);
  const base = options.fromZero ? Math.min(0, low) : low;
  const top = high > base ? high : base + (base === 0 ? 1 : Math.abs(base) * 0.1);
  return scaleLinear()
    .domain([base, top])
    .nice(3)
    .range([frame.height - frame.bottom, frame.top]);
}

export function linePath(
  steps: readonly number[],
  values: Values,
  x: (step: number) => number,
  y: (value: number) => number,
): string {
  const isKnown = (index: number) => typeof values[index] === 'number';
  const path = line<number>()
    .defined(isKnown)
    .x((index) => x(steps[index] ?? 0))
    .y((index) => y(values[index] ?? 0));
  return path(steps.map((_, index) => index)) ?? '';
}

export function bandPath(
  steps: readonly number[],
  low: readonly number[],
  high: Values,
  x: (step: number) => number,
  y: (value: number) => number,
): string {
  const path = area<number>()
    .defined((index) => typeof high[index] === 'number')
    .x((index) => x(steps[index] ?? 0))
    .y0((index) => y(low[index] ?? 0))
    .y1((index) => y(high[index] ?? 0));
  return path(steps.map((_, index) => index)) ?? '';
}

export function nearestStep(steps: readonly number[], step: number): number | undefined {
  return steps.length === 0 ? undefined : bisectCenter(steps, step);
}

/** px. Points of several series may overlap: the nearest within this distance is selected. */
const REACH = 10;

export function nearestPoint(
  places: readonly { readonly name: string; readonly y: number | undefined }[],
  y: number,
): string | undefined {
  const near = places
    .map((place) => ({ name: place.name, away: Math.abs((place.y ?? Number.POSITIVE_INFINITY) - y) }))
    .filter(({ away }) => away <= REACH)
    .sort((a, b) => a.away - b.away);
  return near[0]?.name;
}

/** First, last and a few round steps between them, spaced so that labels do not touch. Only whole steps. */
export function stepTicks(steps: readonly number[], x: ScaleLinear<number, number>): readonly number[] {
  const first = steps[0];
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return [];
  if (first === last) return [first];
  const room = (tick: number, edge: number) => 12 + 3.1 * (String(tick).length + String(edge).length);
  const inner = x
    .ticks(4)
    .filter(
      (tick) =>
        Number.isInteger(tick) &&
        x(tick) - x(first) > room(tick, first) &&
        x(last) - x(tick) > room(tick, last),
    );
  return [first, ...inner, last];
}

/** Stacked shares from the bottom up. Each is 0…1, and together they add up to 1. All are unknown at the same steps. */
export interface Band {
  readonly name: string;
  readonly shares: Values;
  readonly color: string;
}

export function stackedBands(bands: readonly Band[]) {
  let low: readonly number[] = [];
  return bands.map((band) => {
    const base = low;
    const high = band.shares.map((share, index) => (base[index] ?? 0) + (share ?? 0));
    low = high;
    return {
      name: band.name,
      color: band.color,
      low: band.shares.map((_, index) => base[index] ?? 0),
      high: high.map((value, index) => (typeof band.shares[index] === 'number' ? value : undefined)),
    };
  });
}

export type ChartAct =
  | { readonly kind: 'step'; readonly at: number }
  /** -1: no point, the step itself. */
  | { readonly kind: 'point'; readonly at: number }
  | { readonly kind: 'open' };

/** The action of a key in a focused chart. Undefined: the chart does not use the key. */
export function chartKey(
  key: string,
  { at, steps, point, points }: Readonly<Record<'at' | 'steps' | 'point' | 'points', number>>,
): ChartAct | undefined {
  const step = (to: number): ChartAct => ({ kind: 'step', at: Math.max(0, Math.min(steps - 1, to)) });
  switch (key) {
    case 'ArrowRight':
      return step(at + 1);
    case 'ArrowLeft':
      return step(at - 1);
    case 'Home':
      return step(0);
    case 'End':
      return step(steps - 1);
    case 'ArrowDown':
      return points === 0 ? undefined : { kind: 'point', at: point + 1 < points ? point + 1 : -1 };
    case 'ArrowUp':
      return points === 0 ? undefined : { kind: 'point', at: point < 0 ? points - 1 : point - 1 };
    case 'Enter':
      return { kind: 'open' };
    default:
      return undefined;
  }
}

/**
 * False for the synthetic moves that a browser sends when the page scrolls under a resting pointer. They would
 * override the position chosen by keys.
 */
export function isMoved(event: { readonly movementX: number; readonly movementY: number }): boolean {
  return event.movementX !== 0 || event.movementY !== 0;
}

interface YScale {
  (value: number): number;
  domain(): number[];
  ticks(count?: number): number[];
}

const knownOf = (values: Values): readonly number[] =>
  values.filter((value) => typeof value === 'number' && Number.isFinite(value)) as readonly number[];

/**
 * Starts at 0 so that heights can be compared, or lower if values are negative. A log scale starts just below a count
 * of 1.
 */
export function yScale(
  series: readonly Values[],
  frame: Frame,
  { scale, top }: { readonly scale: 'linear' | 'log'; readonly top?: number },
): YScale {
  const known = series.flatMap(knownOf);
  const most = top ?? max(known) ?? 1;
  const range = [frame.height - frame.bottom, frame.top];
  if (scale === 'log') {
    return scaleLog()
      .domain([0.8, Math.max(10, most)])
      .range(range)
      .clamp(true);
  }
  const least = Math.min(0, min(known) ?? 0);
  const linear = scaleLinear()
    .domain([least, most > least ? most : least + 1])
    .range(range);
  return top === undefined ? linear.nice(4) : linear;
}

/**
 * Labels of ascending ticks, with more digits than `format` gives if two would be the same, and with two decimals
 * where all third ones are zero.
 */
export function tickLabels(ticks: readonly number[], format: (value: number) => string): readonly string[] {
  const labels = ticks.map(format);
  const gap = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  const arePlain = labels.every((label) => /^[−\d.]+$/.test(label));
  if (labels.every((label) => /^[−\d]+\.\d\d0$/.test(label)))
    return labels.map((label) => label.slice(0, -1));
  if (new Set(labels).size === labels.length || !arePlain || !(gap > 0)) return labels;
  return ticks.map((tick) => decimal(tick, Math.min(8, Math.ceil(-Math.log10(gap)))));
}

/** On a log scale: whole powers of ten, and every second one if there are many. */
export function valueTicks(y: YScale, scale: 'linear' | 'log'): readonly number[] {
  if (scale === 'linear') return y.ticks(4);
  const most = Math.floor(Math.log10(y.domain()[1] ?? 10));
  const step = most > 4 ? 2 : 1;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => 10 ** (i * step));
}

/** One path for all bars, which keeps the number of elements small. */
export function barsPath(
  xs: readonly number[],
  width: number,
  values: Values,
  x: (value: number) => number,
  y: (value: number) => number,
  floor: number,
): string {
  return xs
    .flatMap((from, i) => {
      const value = values[i];
      if (typeof value !== 'number' || value <= 0) return [];
      const left = x(from);
      const right = x(from + width);
      // Leave a small gap between bars if they are wide enough.
      const air = right - left > 4 ? 0.5 : 0;
      return [`M${left + air},${floor}V${y(value)}H${right - air}V${floor}Z`];
    })
    .join('');
}

export function spreadPath(
  xs: readonly number[],
  values: Values,
  spread: Values,
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const path = area<number>()
    .defined((i) => typeof values[i] === 'number' && typeof spread[i] === 'number')
    .x((i) => x(xs[i] ?? 0))
    .y0((i) => y((values[i] ?? 0) - (spread[i] ?? 0)))
    .y1((i) => y((values[i] ?? 0) + (spread[i] ?? 0)));
  return path(xs.map((_, i) => i)) ?? '';
}

/** Line height of labels in the charts' font size, px. */
export const LABEL_LINE = 11;
/** From the middle of a digit to its baseline, px. */
const HALF_LETTER = 3.5;

interface PlacedLabel {
  /** Baseline of the label, px. */
  readonly y: number;
  /** The label was moved away from its line, so it needs a leader line. */
  readonly isMoved: boolean;
}

interface PlacedLabels {
  /** In the order of the input. Undefined: there is no room for the label. */
  readonly labels: readonly (PlacedLabel | undefined)[];
  /** Position of the note that counts the omitted labels. Undefined: none is omitted. */
  readonly restAt: number | undefined;
}

/**
 * Places each label above its line, or below it at the upper edge. Beside the drawing, labels are level with their
 * lines. Labels that would overlap are moved apart in the order of their lines. If they do not all fit, the lowest are
 * omitted.
 *
 * @param heights of the lines, px from the top; one above the frame is placed at its edge
 */
export function placeLabels(
  heights: readonly number[],
  { top, height, bottom }: Frame,
  where: 'above' | 'beside' = 'above',
): PlacedLabels {
  const first = top + LABEL_LINE - 3;
  const last = Math.max(first, height - bottom - 1);
  const room = 1 + Math.floor((last - first) / LABEL_LINE);
  const order = heights.map((_, i) => i).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0) || a - b);
  const isCrowded = order.length > room;
  const shown = isCrowded ? order.slice(0, room - 1) : order;
  const wanted = shown.map((i) => {
    const line = Math.max(top, heights[i] ?? 0);
    return Math.min(last, where === 'beside' ? line + HALF_LETTER : aboveOf(line, top));
  });
  const ends = isCrowded ? [...wanted, last] : wanted;
  const placed = apart(ends, first, last);
  const labels: (PlacedLabel | undefined)[] = heights.map(() => undefined);
  shown.forEach((i, at) => {
    const y = placed[at] ?? 0;
    labels[i] = { y, isMoved: Math.abs(y - (wanted[at] ?? 0)) > 2 };
  });
  return { labels, restAt: isCrowded ? placed.at(-1) : undefined };
}

/** Falls back to below the line if above it is outside the drawing. */
function aboveOf(line: number, top: number): number {
  return line < top + LABEL_LINE ? line + LABEL_LINE : line - 3;
}

/**
 * Moves labels as little as possible, first down and then up, so that neighbours are a line height apart.
 * @param wanted ascending
 */
function apart(wanted: readonly number[], first: number, last: number): readonly number[] {
  const placed: number[] = [];
  for (const y of wanted)
    placed.push(Math.max(y, placed.length === 0 ? first : (placed.at(-1) ?? first) + LABEL_LINE));
  let limit = last;
  for (let i = placed.length - 1; i >= 0 && (placed[i] ?? 0) > limit; i--) {
    placed[i] = limit;
    limit -= LABEL_LINE;
  }
  return placed;
}
