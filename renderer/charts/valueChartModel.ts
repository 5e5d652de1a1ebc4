/** Arithmetic of charts over a value. */
import { max, min } from 'd3-array';
import { scaleLinear, scaleLog } from 'd3-scale';
import { area } from 'd3-shape';
import type { Frame, Values } from './chartModel.ts';

export interface YScale {
  (value: number): number;
  domain(): number[];
  ticks(count?: number): number[];
}

const knownOf = (values: Values): readonly number[] =>
  values.filter((value) => typeof value === 'number' && Number.isFinite(value)) as readonly number[];

/** From 0 so that heights compare, and below it where values are; on a log scale from 1, under which no count lies. */
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

/** On a log scale whole powers of ten, thinned where there are many. */
export function valueTicks(y: YScale, scale: 'linear' | 'log'): readonly number[] {
  if (scale === 'linear') return y.ticks(4);
  const most = Math.floor(Math.log10(y.domain()[1] ?? 10));
  const step = most > 4 ? 2 : 1;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => 10 ** (i * step));
}

/** Each bar stands on the floor; one outline for all of them, however many there are. */
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
      // A hair of air where there is room for it.
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
