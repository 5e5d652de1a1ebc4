/**
 * Lines or bars over a number other than the training step, such as a value or a position. A line above the drawing
 * describes the position under the pointer or at the ← → keys.
 */
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useImperativeHandle,
  useState,
} from 'react';
import { ChartTable } from './ChartTable.tsx';
import {
  barsPath,
  chartKey,
  type Frame,
  isMoved,
  linePath,
  nearestStep,
  spreadPath,
  stepScale,
  type Values,
  valueTicks,
  yScale,
} from './chartModel.ts';
import { useWidth } from './useWidth.ts';
import './charts.css';

interface ValueSeries {
  readonly name: string;
  readonly values: Values;
  readonly color: string;
  readonly isDashed?: boolean;
  /** Drawn faintly, in the background. */
  readonly isFaint?: boolean;
  /** Half the height of a band around the line. */
  readonly spread?: Values;
}

export interface ValueMark {
  readonly at: number;
  readonly label: string;
  /** Position with enough room for the label. */
  readonly place?: 'top' | 'bottom';
}

export interface ValueChartProps {
  readonly title: string;
  /** Position of each value. For bars: their left edges. */
  readonly xs: readonly number[];
  /** The right edge of the last bar. */
  readonly end?: number;
  readonly shape?: 'lines' | 'bars';
  readonly series: readonly ValueSeries[];
  readonly scale?: 'linear' | 'log';
  /** Upper end of the value axis, if known: 1 for shares. */
  readonly top?: number;
  readonly xLabel: string;
  /** Positions are integers, so ticks are too. */
  readonly isWhole?: boolean;
  readonly format: (value: number) => string;
  readonly marks?: readonly ValueMark[];
  /** Description of the position under the pointer. */
  readonly reading: (index: number) => ReactNode;
  /** Shown while nothing is pointed at. */
  readonly rest: ReactNode;
  readonly height?: number;
  /** Shows the numbers as a table instead of the drawing. */
  readonly isTable?: boolean;
  /** Actions of the chart. */
  readonly menu?: ReactNode;
  readonly svgRef?: RefObject<SVGSVGElement | null>;
}

export function ValueChart(props: ValueChartProps) {
  const {
    title,
    xs,
    series,
    scale = 'linear',
    marks = [],
    shape = 'lines',
    height = 150,
    isTable = false,
  } = props;
  const [hovered, setHovered] = useState<number>();
  const [ref, width] = useWidth<SVGSVGElement>(420);
  useImperativeHandle(props.svgRef, () => ref.current as SVGSVGElement);
  const frame = { width, height, left: 42, right: 12, top: 8, bottom: 30 };
  const domain = props.end === undefined ? xs : [xs[0] ?? 0, props.end];
  const x = stepScale(domain, frame);
  const y = yScale(
    series.map(({ values }) => values),
    frame,
    { scale, ...(props.top === undefined ? {} : { top: props.top }) },
  );
  const xTicks = x
    .ticks(Math.max(3, Math.floor(width / 90)))
    .filter((tick) => props.isWhole !== true || Number.isInteger(tick));
  const floor = height - frame.bottom;
  const clip = useId();
  const at = hovered ?? xs.length - 1;
  const barWidth = xs.length > 1 ? (xs[1] ?? 0) - (xs[0] ?? 0) : 1;
  // The pointer selects the bar whose middle is nearest.
  const centers = shape === 'bars' ? xs.map((one) => one + barWidth / 2) : xs;
  const summary = series
    .filter(({ values, isFaint }) => isFaint !== true && typeof values[at] === 'number')
    .map(({ name, values }) => `${name} ${props.format(values[at] ?? 0)}`)
    .join(', ');
  const onKeyDown = (event: KeyboardEvent) => {
    const act = chartKey(event.key, { at, steps: xs.length, point: -1, points: 0 });
    if (act?.kind !== 'step') return;
    event.preventDefault();
    setHovered(act.at);
  };
  return (
    <figure className={isTable ? 'chart value-chart is-table' : 'chart value-chart'}>
      <figcaption className="chart-head">
        <h2>{title}</h2>
        <span aria-live="polite">{hovered === undefined ? props.rest : props.reading(hovered)}</span>
        {props.menu}
      </figcaption>
      {isTable && (
        <ChartTable
          title={title}
          heads={[props.xLabel, 'values']}
          rows={xs.map((at, i) => ({ at: Number(at.toPrecision(6)), cells: [props.reading(i)] }))}
          height={height}
        />
      )}
      <svg
        ref={ref}
        height={height}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a drawn slider over positions; an input cannot contain a chart
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={xs[0]}
        aria-valuemax={xs.at(-1)}
        aria-valuenow={xs[at]}
        aria-valuetext={`${xs[at] ?? ''} ${props.xLabel}: ${summary === '' ? 'no data' : summary}`}
        onKeyDown={onKeyDown}
        onBlur={() => setHovered(undefined)}
        onPointerMove={(event) => {
          if (!isMoved(event)) return;
          const { left } = event.currentTarget.getBoundingClientRect();
          setHovered(nearestStep(centers, x.invert(event.clientX - left)));
        }}
        onPointerLeave={(event) => {
          if (isMoved(event) || event.currentTarget !== document.activeElement) setHovered(undefined);
        }}
      >
        {/* A spread band of a few values may exceed the drawing, so it is clipped at the axes. */}
        <clipPath id={clip}>
          <rect
            x={frame.left}
            y={frame.top}
            width={Math.max(0, width - frame.left - frame.right)}
            height={floor - frame.top}
          />
        </clipPath>
        {valueTicks(y, scale).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={frame.left} x2={width - frame.right} y1={y(tick)} y2={y(tick)} />
            <text x={frame.left - 6} y={y(tick) + 3.5} textAnchor="end">
              {props.format(tick)}
            </text>
          </g>
        ))}
        {xTicks.map((tick) => (
          <text key={tick} x={x(tick)} y={floor + 13} textAnchor="middle">
            {tick}
          </text>
        ))}
        <text x={(frame.left + width - frame.right) / 2} y={height - 3} textAnchor="middle">
          {props.xLabel}
        </text>
        {series.map((one) => (
          <g key={one.name}>
            {one.spread !== undefined && (
              <path
                d={spreadPath(xs, one.values, one.spread, x, y)}
                fill={one.color}
                opacity={0.16}
                clipPath={`url(#${CSS.escape(clip)})`}
              />
            )}
            {shape === 'bars' ? (
              <path d={barsPath(xs, barWidth, one.values, x, y, floor)} fill={one.color} />
            ) : (
              <path
                d={linePath(xs, one.values, x, y)}
                fill="none"
                stroke={one.color}
                strokeWidth={one.isFaint ? 1 : 1.7}
                opacity={one.isFaint ? 0.4 : 1}
                strokeDasharray={one.isDashed ? '5 3' : undefined}
              />
            )}
          </g>
        ))}
        {marks.map((mark) => (
          <Mark key={mark.label} mark={mark} x={x} frame={frame} />
        ))}
        {hovered !== undefined && (
          <line
            className="hover"
            data-transient=""
            x1={x(centers[hovered] ?? 0)}
            x2={x(centers[hovered] ?? 0)}
            y1={frame.top}
            y2={floor}
          />
        )}
      </svg>
    </figure>
  );
}

/** A vertical line. A mark outside the axis is named at the edge, without a line. */
function Mark({
  mark,
  x,
  frame,
}: {
  readonly mark: ValueMark;
  readonly x: (value: number) => number;
  readonly frame: Frame;
}) {
  const [left, right] = [frame.left, frame.width - frame.right];
  const at = x(mark.at);
  const floor = frame.height - frame.bottom;
  const edge = at < left - 1 ? left : at > right + 1 ? right : undefined;
  const place = edge ?? at;
  const isAtEnd = place > frame.width * 0.7;
  return (
    <g className="value-mark">
      {edge === undefined && <line x1={at} x2={at} y1={frame.top} y2={floor} />}
      <text
        x={place + (isAtEnd ? -5 : 5)}
        y={mark.place === 'bottom' ? floor - 6 : frame.top + 9}
        textAnchor={isAtEnd ? 'end' : 'start'}
      >
        {edge === undefined ? mark.label : edge === left ? `← ${mark.label}` : `${mark.label} →`}
      </text>
    </g>
  );
}
