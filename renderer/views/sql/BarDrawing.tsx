/** Horizontal bars with their names written out, for names that do not fit below upright bars. */
import { useState } from 'react';
import { valueScale } from '../../charts/chartModel.ts';
import { useSize } from '../../charts/useWidth.ts';
import { barLayout, labelWidth, ticksApart } from './barLayout.ts';
import { ChartReading, type DrawnChart } from './ChartReading.tsx';
import { axisNumber, inkOf, shownNumber } from './chartChoice.ts';

const TOP = 20;
const BOTTOM = 8;
const RIGHT = 16;

export function BarDrawing(props: DrawnChart) {
  const { data, xName, names, size } = props;
  const { points } = data;
  const [box, measured] = useSize<HTMLDivElement>({ width: 640, height: 364 });
  const [hovered, setHovered] = useState<number>();
  const width = size?.width ?? measured.width;
  const layout = barLayout(
    points.map(({ label }) => label),
    { width, series: names.length, top: TOP },
  );
  const height = layout.height + BOTTOM;
  const left = layout.names + 10;
  const series = names.map((_, i) => points.map(({ ys }) => ys[i]));
  // Space for the widest number after the longest bar.
  const numbers = series.flat().flatMap((value) => (value === undefined ? [] : [shownNumber(value)]));
  const room = 6 + Math.max(0, ...numbers.map(labelWidth));
  const scale = valueScale(
    series,
    { width, height: width, left: 0, right: 0, top: RIGHT + room, bottom: left },
    { fromZero: true },
  );
  // The scale is one of heights, but bars grow to the right.
  const x = (value: number): number => width - scale(value);
  const zero = x(0);
  return (
    <div ref={box} className="chart sql-drawing is-bars">
      <ChartReading {...props} hovered={hovered} />
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${names.join(', ')} by ${xName}; the table has the numbers`}
        onPointerMove={(event) => {
          const y = event.clientY - event.currentTarget.getBoundingClientRect().top;
          const at = layout.rows.findIndex((row) => y < row.top + row.height);
          setHovered(at < 0 ? undefined : at);
        }}
        onPointerLeave={() => setHovered(undefined)}
      >
        {ticksApart(scale, axisNumber).map((tick) => (
          <g key={tick}>
            <line className="grid" x1={x(tick)} x2={x(tick)} y1={TOP - 4} y2={layout.height} />
            <text x={x(tick)} y={TOP - 8} textAnchor="middle">
              {axisNumber(tick)}
            </text>
          </g>
        ))}
        {layout.rows.map(({ lines, top, height: rowHeight }, i) => {
          const point = points[i];
          const middle = top + rowHeight / 2;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat
            <g key={i} opacity={hovered === undefined || hovered === i ? 1 : 0.65}>
              <title>{point?.label}</title>
              {lines.map((line, at) => (
                <text
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines may repeat
                  key={at}
                  className="bar-name"
                  x={layout.names}
                  y={middle + (at - (lines.length - 1) / 2) * 13 + 3.5}
                  textAnchor="end"
                >
                  {line}
                </text>
              ))}
              {names.map((_, s) => {
                const value = point?.ys[s];
                if (value === undefined) return null;
                const y = middle + (s - names.length / 2) * layout.bar;
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
                  <g key={s}>
                    <rect
                      x={Math.min(zero, x(value))}
                      width={Math.max(0.5, Math.abs(x(value) - zero))}
                      y={y + 0.5}
                      height={layout.bar - 1}
                      fill={inkOf(s, names.length)}
                      opacity={0.85}
                    />
                    <text x={Math.max(zero, x(value)) + 5} y={y + layout.bar / 2 + 3.5}>
                      {shownNumber(value)}
                    </text>
                  </g>
                );
              })}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
