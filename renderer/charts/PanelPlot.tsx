/** The static parts of a panel: axes, bands, lines, marks. */
import type { ScaleLinear } from 'd3-scale';
import { memo } from 'react';
import { bandPath, type Frame, linePath, stackedBands, tickLabels } from './chartModel.ts';
import { LevelLines, LevelNames, type PanelLevel, type PanelReference } from './PanelLevels.tsx';
import { type AxisTick, dashOf, type PanelLine } from './panelModel.ts';

export interface PanelMark {
  readonly step: number;
  readonly name: string;
}

interface PanelPlotProps {
  readonly frame: Frame;
  readonly axis: readonly number[];
  readonly lines: readonly PanelLine[];
  readonly isStacked: boolean;
  readonly marks: readonly PanelMark[];
  readonly levels: readonly PanelLevel[];
  readonly references: readonly PanelReference[];
  readonly ticks: readonly AxisTick[];
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  readonly format: (value: number) => string;
}

/** With more steps the dots would touch, and the line is enough. */
const MOST_DOTS = 16;
/** Pixels. The last label would reach over the edge from four digits on. */
const HALF_DIGIT = 3.3;

export const PanelPlot = memo(function PanelPlot(props: PanelPlotProps) {
  const { frame, lines, isStacked, x, y, format } = props;
  const floor = frame.height - frame.bottom;
  const right = frame.width - frame.right;
  return (
    <>
      {y.ticks(3).map((tick, i, all) => (
        <g key={tick}>
          <line className="grid" x1={frame.left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={frame.left - 6} y={y(tick) + 3.5} textAnchor="end">
            {tickLabels(all, format)[i]}
          </text>
        </g>
      ))}
      {props.ticks.map(({ at, label }) => (
        <text
          key={label}
          x={Math.min(at, frame.width - label.length * HALF_DIGIT)}
          y={frame.height - 4}
          textAnchor="middle"
        >
          {label}
        </text>
      ))}
      {isStacked && <Bands {...props} />}
      {props.marks.map((mark) => (
        <line
          key={`${mark.step} ${mark.name}`}
          className="stage"
          x1={x(mark.step)}
          x2={x(mark.step)}
          y1={frame.top}
          y2={floor}
        />
      ))}
      <LevelLines {...props} />
      {!isStacked && lines.map((line) => <Line key={line.key} {...props} line={line} />)}
      <LevelNames {...props} />
    </>
  );
});

function Line({ line, axis, x, y }: PanelPlotProps & { readonly line: PanelLine }) {
  const isUnder = line.role === 'under';
  return (
    <g opacity={isUnder ? 0.32 : 1}>
      {line.low !== undefined && line.high !== undefined && (
        <path
          d={bandPath(
            line.steps,
            line.low.map((value) => value ?? 0),
            line.high,
            x,
            y,
          )}
          fill={line.color}
          opacity={0.16}
        />
      )}
      {line.steps.map((step, i) => {
        const [low, high] = [line.low?.[i], line.high?.[i]];
        const isKnown = typeof low === 'number' && typeof high === 'number';
        if (!isKnown || axis.length > MOST_DOTS) return null;
        return (
          <line
            key={step}
            x1={x(step)}
            x2={x(step)}
            y1={y(low)}
            y2={y(high)}
            stroke={line.color}
            strokeWidth={1}
          />
        );
      })}
      <path
        d={linePath(line.steps, line.values, x, y)}
        fill="none"
        stroke={line.color}
        strokeWidth={isUnder ? 1 : 1.6}
        strokeDasharray={isUnder ? undefined : dashOf(line.stroke)}
      />
      {line.values.map((value, i) => {
        // A value between two unknown ones has no line, so without a dot it would be invisible.
        const isAlone = typeof line.values[i - 1] !== 'number' && typeof line.values[i + 1] !== 'number';
        if (typeof value !== 'number' || (axis.length > MOST_DOTS && !isAlone)) return null;
        const step = line.steps[i] ?? 0;
        return (
          <circle
            key={step}
            className="dot"
            cx={x(step)}
            cy={y(value)}
            r={isUnder || line.role === 'logged' ? 2 : 2.8}
            fill={line.role === 'logged' ? 'var(--paper)' : line.color}
            style={line.role === 'logged' ? { stroke: line.color } : undefined}
          />
        );
      })}
    </g>
  );
}

function Bands({ lines, x, y }: PanelPlotProps) {
  const steps = lines[0]?.steps ?? [];
  const bands = stackedBands(
    lines.map((line) => ({ name: line.name, shares: line.values, color: line.color })),
  );
  return (
    <>
      {bands.map((band) => (
        <path
          key={band.name}
          d={bandPath(steps, band.low, band.high, x, y)}
          // A band of a single step has no area, so its outline is drawn instead.
          stroke={steps.length === 1 ? band.color : 'none'}
          strokeWidth={24}
          fill={band.color}
          opacity={0.8}
        />
      ))}
    </>
  );
}
