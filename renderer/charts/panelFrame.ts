/** Where a panel's drawing stands: its frame, and the scales of steps and values. */
import { type ScaleLinear, scaleLog } from 'd3-scale';
import { axisRoom, type Frame, stepScale, type Values, valueScale } from './chartModel.ts';
import type { PanelLine } from './panelModel.ts';

export interface PanelShape {
  readonly width: number;
  readonly height: number;
  /** What stands beside the drawing takes this much of the width. */
  readonly beside: number;
  readonly axis: readonly number[];
  /** Those that are drawn. */
  readonly lines: readonly PanelLine[];
  readonly isStacked: boolean;
  /** Asked for; values of 0 and below have no place on a logarithmic axis. */
  readonly isLog: boolean;
  /** Heights that the scale is to hold. */
  readonly levels: readonly number[];
  /** Heights that a logarithmic scale holds as well: it flattens nothing. */
  readonly references: readonly number[];
  readonly format: (value: number) => string;
}

export interface PanelPlace {
  readonly frame: Frame;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  readonly isLog: boolean;
}

export function panelPlace(shape: PanelShape): PanelPlace {
  const { width, height, beside, axis, lines, isStacked, levels, references, format } = shape;
  const room = { width, height, left: 32, right: 12 + beside, top: 8, bottom: 17 };
  const known = isStacked
    ? [[0, 1]]
    : [...lines.flatMap(({ values, high }) => (high === undefined ? [values] : [values, high])), levels];
  const log = shape.isLog && !isStacked ? logValueScale([...known, references], room) : undefined;
  const y = log ?? valueScale(known, room, { fromZero: true });
  const frame = { ...room, left: 4 + axisRoom(y.ticks(3).map(format), room.left) };
  return { frame, x: stepScale(axis, frame).clamp(true), y, isLog: log !== undefined };
}

/** So that a line on a logarithmic axis breaks where it has no place, and is not drawn at the floor. */
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
 * From the least value above 0 to the greatest, both rounded out to 1, 2 or 5 of a power of ten. @returns undefined where
 * no value is above 0
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
  // A drawing asks both kinds the same: a height, a value, the ticks. Their number is what there is room for.
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

/** Powers of ten, thinned where there are many; within two decades 1, 2 and 5 of each where a power alone says little. */
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
