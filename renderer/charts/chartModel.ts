/** Arithmetic of the step charts. React owns the DOM; d3 only computes. */
import { bisectCenter, extent } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';

/** One value per step; undefined where nothing is known, which breaks the line. */
export type Values = readonly (number | null | undefined)[];

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function stepScale(steps: readonly number[], frame: Frame): ScaleLinear<number, number> {
  const [first = 0, last = 1] = [steps[0], steps.at(-1)];
  const domain = first === last ? [first - 1, last + 1] : [first, last];
  return scaleLinear()
    .domain(domain)
    .range([frame.left, frame.width - frame.right]);
}

/**
 * Shares start at 0 so that heights compare; other quantities take the room their values need.
 * A flat line gets some air, or its axis would be a single number.
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

/** First, last and a few round steps between them, without labels that would touch. */
export function stepTicks(steps: readonly number[], x: ScaleLinear<number, number>): readonly number[] {
  const first = steps[0];
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return [];
  if (first === last) return [first];
  const inner = x.ticks(4).filter((tick) => x(tick) - x(first) > 30 && x(last) - x(tick) > 30);
  return [first, ...inner, last];
}
