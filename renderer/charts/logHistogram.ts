/** Arithmetic of a histogram over a logarithmic axis. */
import { type ScaleLogarithmic, scaleLog } from 'd3-scale';
import type { Frame } from './chartModel.ts';

/** Ends of a bar: `from` is inclusive, `to` is exclusive. */
export interface LogBin {
  readonly from: number;
  /** Absent: no end. */
  readonly to?: number;
  /** One count for each series. */
  readonly counts: readonly number[];
}

/** A bin that starts at 0 or has no end is drawn as wide as its neighbours, since the axis has no 0 and no infinity. */
const OPEN_WIDTH = 10 ** 0.1;

export function drawnEnds({ from, to }: LogBin): readonly [from: number, to: number] {
  if (to === undefined) return [from, from * OPEN_WIDTH];
  return [from <= 0 ? to / OPEN_WIDTH : from, to];
}

export function logScale(bins: readonly LogBin[], frame: Frame): ScaleLogarithmic<number, number> {
  const [first] = bins.slice(0, 1).map(drawnEnds);
  const [last] = bins.slice(-1).map(drawnEnds);
  return scaleLog()
    .domain([first?.[0] ?? 1, last?.[1] ?? 10])
    .range([frame.left, frame.width - frame.right]);
}

/** Whole powers of ten. Within a decade or two also 2 and 5 times each, if there is room. */
export function logTicks(x: ScaleLogarithmic<number, number>, room: number): readonly number[] {
  const [low = 1, high = 10] = x.domain();
  const decades = Math.log10(high / low);
  const perDecade = decades <= 0 ? 0 : room / decades;
  const heads = perDecade >= 130 ? [1, 2, 5] : [1];
  const every = perDecade >= 46 || perDecade === 0 ? 1 : Math.ceil(46 / perDecade);
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    if (power % every !== 0) continue;
    for (const head of heads) {
      const tick = head * 10 ** power;
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return ticks;
}

/** The bin at a position on the axis, else the nearest. */
export function binAt(bins: readonly LogBin[], value: number): number {
  const at = bins.findIndex((bin) => value < drawnEnds(bin)[1]);
  return at < 0 ? bins.length - 1 : at;
}

export interface LogMark {
  readonly at: number;
  readonly label: string;
  /** Source of the number, if it is a published one. */
  readonly source?: string;
}

export interface PlacedMark extends LogMark {
  readonly x: number;
  readonly anchor: 'start' | 'end';
  /** Estimated width of the label, without measuring. */
  readonly width: number;
  /** Line of text for the label, counted from the top. */
  readonly row: number;
  /** The value is outside the axis. Its name is at that edge, without a line. */
  readonly beyond?: 'left' | 'right';
}

const LETTER = 5.8;
const AIR = 10;

/** Places labels side by side if there is room, else on separate lines, so that none overlap. */
export function placedMarks(
  marks: readonly LogMark[],
  x: (value: number) => number,
  { left, right, width }: Frame,
): readonly PlacedMark[] {
  const [start, end] = [left, width - right];
  const rows: (readonly [from: number, to: number])[][] = [];
  return marks.map((mark) => {
    const at = mark.at <= 0 ? Number.NEGATIVE_INFINITY : x(mark.at);
    const beyond = at < start - 1 ? 'left' : at > end + 1 ? 'right' : undefined;
    const place = Math.min(end, Math.max(start, at));
    const length = mark.label.length * LETTER + AIR + (beyond === undefined ? 0 : 12);
    const anchor = place + length > end ? 'end' : 'start';
    const span = anchor === 'end' ? ([place - length, place] as const) : ([place, place + length] as const);
    let row = 0;
    while (rows[row]?.some(([from, to]) => span[0] < to && from < span[1])) row++;
    rows[row] = [...(rows[row] ?? []), span];
    return {
      ...mark,
      x: place,
      anchor,
      width: length - AIR,
      row,
      ...(beyond === undefined ? {} : { beyond }),
    };
  });
}
