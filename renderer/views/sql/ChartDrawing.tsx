/** Columns of a result over another one, as lines, bars or points. */
import {
  symbol,
  symbolCircle,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from 'd3-shape';
import { useState } from 'react';
import { axisRoom, linePath, stepScale, valueScale } from '../../charts/chartModel.ts';
import { dashOf, STROKES } from '../../charts/panelModel.ts';
import { useSize } from '../../charts/useWidth.ts';
import { labelWidth, ticksApart } from './barLayout.ts';
import { ChartReading, type DrawnChart } from './ChartReading.tsx';
import { axisNumber, inkOf, type Shape } from './chartChoice.ts';

interface ChartDrawingProps extends DrawnChart {
  readonly shape: Shape;
}

/** Bounds of the drawing's height. Between them it uses the height of the pane. */
const LEAST_HEIGHT = 180;
const MOST_HEIGHT = 460;
/** Height of the readout above the drawing. */
const READING = 24;
/** With more points per line, dots add nothing. */
const MOST_DOTS = 40;
const MARKS = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolStar, symbolWye];

export function ChartDrawing(props: ChartDrawingProps) {
  const { data, shape, xName, names, size } = props;
  const { points } = data;
  const [box, measured] = useSize<HTMLDivElement>({ width: 640, height: 364 });
  const width = size?.width ?? measured.width;
  const height =
    size?.height ?? Math.max(LEAST_HEIGHT, Math.min(MOST_HEIGHT, Math.floor(measured.height) - READING));
  const [hovered, setHovered] = useState<number>();
  const isBars = shape === 'bar';
  const frame = { width, height, left: 48, right: 16, top: 12, bottom: 44 };
  const series = names.map((_, i) => points.map(({ ys }) => ys[i]));
  const yScale = (left: number) => valueScale(series, { ...frame, left }, { fromZero: isBars });
  const left = axisRoom(yScale(48).ticks(5).map(axisNumber), 48);
  const y = yScale(left);
  const xs = points.map((point) => point.x);
  const x = stepScale(isBars ? [0, points.length] : xs, { ...frame, left });
  const floor = y(Math.max(0, y.domain()[0] ?? 0));
  const slot = isBars ? x(1) - x(0) : 0;
  const bar = (slot > 4 ? slot - 2 : slot) / Math.max(1, names.length);
  const center = (index: number) => x(xs[index] ?? 0) + slot / 2;
  const labels = isBars ? points.map(({ label }) => label) : [];
  // Leave out labels rather than cut them.
  const every = Math.max(1, Math.ceil((Math.max(0, ...labels.map(labelWidth)) + 8) / Math.max(1, slot)));
  return (
    <div ref={box} className="chart sql-drawing">
      <ChartReading {...props} hovered={hovered} />
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${names.join(', ')} by ${xName}; the table has the numbers`}
        onPointerMove={(event) => {
          const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
          let nearest = 0;
          for (let i = 1; i < points.length; i += 1)
            if (Math.abs(center(i) - at) < Math.abs(center(nearest) - at)) nearest = i;
          setHovered(nearest);
        }}
        onPointerLeave={() => setHovered(undefined)}
      >
        {y.ticks(5).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={left} x2={width - frame.right} y1={y(tick)} y2={y(tick)} />
            <text x={left - 6} y={y(tick) + 3.5} textAnchor="end">
              {axisNumber(tick)}
            </text>
          </g>
        ))}
        {isBars
          ? points.map(({ label, x: at }, i) =>
              i % every === 0 ? (
                <text key={at} x={center(i)} y={height - 27} textAnchor="middle">
                  {label}
                </text>
              ) : null,
            )
          : ticksApart(x, axisNumber).map((tick) => (
              <text key={tick} x={x(tick)} y={height - 27} textAnchor="middle">
                {axisNumber(tick)}
              </text>
            ))}
        <text x={(left + width - frame.right) / 2} y={height - 8} textAnchor="middle">
          {xName}
        </text>
        {series.map((values, s) => {
          const ink = inkOf(s, names.length);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
            <g key={s}>
              {shape === 'line' && (
                <path
                  d={linePath(xs, values, x, y)}
                  fill="none"
                  stroke={ink}
                  strokeWidth={1.7}
                  strokeDasharray={dashOf(STROKES[s] ?? 'solid')}
                />
              )}
              {values.map((value, i) => {
                if (value === undefined) return null;
                if (isBars)
                  return (
                    <rect
                      // biome-ignore lint/suspicious/noArrayIndexKey: points may coincide
                      key={i}
                      x={x(i) + (slot > 4 ? 1 : 0) + s * bar}
                      width={Math.max(0.5, bar)}
                      y={Math.min(floor, y(value))}
                      height={Math.abs(y(value) - floor)}
                      fill={ink}
                      opacity={hovered === undefined || hovered === i ? 0.85 : 0.5}
                    />
                  );
                // A value between two unknown ones has no line, so without a dot it would be invisible.
                const isAlone = values[i - 1] === undefined && values[i + 1] === undefined;
                if (shape === 'line' && points.length > MOST_DOTS && !isAlone) return null;
                return (
                  <path
                    // biome-ignore lint/suspicious/noArrayIndexKey: points may coincide
                    key={i}
                    d={symbol(MARKS[s] ?? symbolCircle, hovered === i ? 64 : 25)() ?? ''}
                    transform={`translate(${x(xs[i] ?? 0)} ${y(value)})`}
                    fill={ink}
                    opacity={shape === 'scatter' ? 0.6 : 1}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
