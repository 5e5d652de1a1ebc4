/** Small multiple over training steps: real axes, values on hover, a click opens the step. */
import type { ReactNode } from 'react';
import {
  bandPath,
  type Frame,
  linePath,
  nearestStep,
  stepScale,
  stepTicks,
  type Values,
  valueScale,
} from './chartModel.ts';
import { useWidth } from './useWidth.ts';
import './charts.css';

export interface Series {
  readonly name: string;
  readonly values: Values;
  readonly color: string;
  readonly isDashed?: boolean;
}

/** Stacked shares from the bottom up; each is 0…1 and together they make 1. All are unknown at the same steps. */
export interface Band {
  readonly name: string;
  readonly shares: Values;
  readonly color: string;
}

export interface StepMark {
  readonly step: number;
  readonly name: string;
}

interface StepChartProps {
  readonly title: string;
  readonly steps: readonly number[];
  readonly series?: readonly Series[];
  readonly bands?: readonly Band[];
  readonly fromZero?: boolean;
  readonly format: (value: number) => string;
  readonly stages?: readonly StepMark[];
  /** Shared by all charts of a page, so that one hover reads them all at one step. */
  readonly hovered: number | undefined;
  readonly onHover: (index: number | undefined) => void;
  readonly onOpen: (index: number) => void;
}

const HEIGHT = 108;
/** Beyond this many steps the points would touch; the line says enough. */
const MAX_DOTS = 16;

export function StepChart(props: StepChartProps) {
  const { title, steps, series = [], bands = [], format, stages = [], hovered } = props;
  const [ref, width] = useWidth<SVGSVGElement>(340);
  const frame: Frame = { width, height: HEIGHT, left: 34, right: 14, top: 8, bottom: 18 };
  const x = stepScale(steps, frame);
  const y =
    bands.length > 0
      ? valueScale([[0, 1]], frame, { fromZero: true })
      : valueScale(
          series.map((one) => one.values),
          frame,
          { fromZero: props.fromZero ?? true },
        );
  const ticks = y.ticks(3);
  const readAt = hovered ?? steps.length - 1;
  const stacked = stackedBands(bands);
  const indexAt = (clientX: number, element: Element) =>
    nearestStep(steps, x.invert(clientX - element.getBoundingClientRect().left));

  return (
    <figure className="chart" style={{ margin: 0 }}>
      <figcaption className="chart-head">
        <h2 title={title}>{title}</h2>
        <Reading {...props} at={readAt} />
      </figcaption>
      {/* The step table below offers the same steps to the keyboard. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
      <svg
        ref={ref}
        height={HEIGHT}
        role="img"
        aria-label={`${title} by step`}
        onPointerMove={(event) => props.onHover(indexAt(event.clientX, event.currentTarget))}
        onPointerLeave={() => props.onHover(undefined)}
        onClick={(event) => {
          const index = indexAt(event.clientX, event.currentTarget);
          if (index !== undefined) props.onOpen(index);
        }}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid" x1={frame.left} x2={width - frame.right} y1={y(tick)} y2={y(tick)} />
            <text x={frame.left - 6} y={y(tick) + 3.5} textAnchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {stepTicks(steps, x).map((tick) => (
          <text key={tick} x={x(tick)} y={HEIGHT - 4} textAnchor="middle">
            {tick}
          </text>
        ))}
        {stacked.map((band) => (
          <path
            key={band.name}
            d={bandPath(steps, band.low, band.high, x, y)}
            // A run of one step has no area; its outline is a bar.
            stroke={steps.length === 1 ? band.color : 'none'}
            strokeWidth={24}
            fill={band.color}
            opacity={0.8}
          />
        ))}
        {stages.map((stage) => (
          <line
            key={stage.step}
            className="stage"
            x1={x(stage.step)}
            x2={x(stage.step)}
            y1={frame.top}
            y2={HEIGHT - frame.bottom}
          >
            <title>{`${stage.name}, from step ${stage.step}`}</title>
          </line>
        ))}
        {series.map((one) => (
          <path
            key={one.name}
            d={linePath(steps, one.values, x, y)}
            fill="none"
            stroke={one.color}
            strokeWidth={1.6}
            strokeDasharray={one.isDashed ? '4 3' : undefined}
          />
        ))}
        {hovered !== undefined && (
          <line
            className="hover"
            x1={x(steps[hovered] ?? 0)}
            x2={x(steps[hovered] ?? 0)}
            y1={frame.top}
            y2={HEIGHT - frame.bottom}
          />
        )}
        {series.flatMap((one) =>
          one.values.map((value, index) => {
            const isShown = steps.length <= MAX_DOTS || index === hovered;
            if (!isShown || typeof value !== 'number') return null;
            const step = steps[index] ?? 0;
            return (
              <circle
                key={`${one.name} ${step}`}
                className="dot"
                cx={x(step)}
                cy={y(value)}
                r={3}
                fill={one.color}
              />
            );
          }),
        )}
      </svg>
    </figure>
  );
}

function stackedBands(bands: readonly Band[]) {
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

/** The values at the hovered step, else at the last one. */
function Reading(props: StepChartProps & { readonly at: number }): ReactNode {
  const { series = [], bands = [], at, steps, format } = props;
  const step = steps[at];
  if (step === undefined) return null;
  const parts = [
    ...series.map((one) => ({ name: one.name, color: one.color, value: one.values[at] })),
    ...bands.map((band) => ({ name: band.name, color: band.color, value: band.shares[at] })),
  ].filter((part) => typeof part.value === 'number');
  return (
    <span>
      {/* Several values need the room; the other charts of the page name the step. */}
      {parts.length > 1 ? '' : `step ${step}`}
      {parts.map((part) => (
        <span key={part.name}>
          {(parts.length === 1 || part !== parts[0]) && ' · '}
          {parts.length > 1 && (
            <span style={{ color: part.color === 'var(--rule2)' ? undefined : part.color }}>
              {part.name}{' '}
            </span>
          )}
          <b>{format(part.value ?? 0)}</b>
        </span>
      ))}
    </span>
  );
}
