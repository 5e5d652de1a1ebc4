/** Two columns of a result as a line, bars or points. */
import { Download } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { SqlRow } from '../../../shared/api/contract.ts';
import { axisRoom, linePath, stepScale, valueScale } from '../../charts/chartModel.ts';
import { pngOf, standaloneSvg } from '../../charts/exportChart.ts';
import { useSize } from '../../charts/useWidth.ts';
import { Button, Segmented } from '../../ui/Controls.tsx';
import { counted } from '../../ui/numbers.ts';
import { saveText } from '../../ui/saveText.ts';
import { axisNumber, type ChartChoice, chartData, SHAPES } from './chartChoice.ts';
import { isNumeric } from './sqlModel.ts';
import '../../charts/charts.css';

interface ResultChartProps {
  readonly columns: readonly string[];
  readonly rows: readonly SqlRow[];
  readonly choice: ChartChoice;
  readonly fileName: string;
  readonly onChoose: (choice: ChartChoice) => void;
  readonly notify: (sentence: string) => void;
}

/** Of a drawing; between them it is as high as the pane leaves it. */
const LEAST_HEIGHT = 180;
const MOST_HEIGHT = 460;
/** What is read stands above it. */
const READING = 24;
const SHAPE_CHOICES = SHAPES.map((id) => ({
  id,
  label: { line: 'Line', bar: 'Bars', scatter: 'Points' }[id],
}));

export function ResultChart(props: ResultChartProps) {
  const { columns, rows, choice, onChoose } = props;
  const svg = useRef<SVGSVGElement>(null);
  const data = useMemo(() => chartData(rows, choice), [rows, choice]);
  const [x, y] = [columns[choice.x] ?? '', columns[choice.y] ?? ''];
  const numeric = columns.map((_, i) => isNumeric(rows, i));
  const drawing = () =>
    svg.current === null
      ? undefined
      : standaloneSvg(svg.current, {
          title: `${y} by ${x}`,
          subtitle: `SQL · ${counted(data.points.length, 'row')}`,
          legend: [],
        });
  const save = (kind: 'svg' | 'png') => {
    const text = drawing();
    if (text === undefined) return;
    if (kind === 'svg') return saveText(`${props.fileName}.svg`, text, 'image/svg+xml');
    pngOf(text).then(
      (blob) => saveText(`${props.fileName}.png`, blob, 'image/png'),
      (error: unknown) => props.notify(`No PNG: ${error instanceof Error ? error.message : String(error)}`),
    );
  };
  return (
    <section className="sql-chart" aria-label="Chart">
      <div className="sql-chart-choice">
        <label>
          x{' '}
          <select
            value={choice.x}
            onChange={(event) => onChoose({ ...choice, x: Number(event.target.value) })}
          >
            {columns.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
              <option key={i} value={i} disabled={choice.shape !== 'bar' && numeric[i] === false}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          y{' '}
          <select
            value={choice.y}
            onChange={(event) => onChoose({ ...choice, y: Number(event.target.value) })}
          >
            {columns.map((name, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name
              <option key={i} value={i} disabled={numeric[i] === false}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Segmented
          label="Shape"
          choices={SHAPE_CHOICES}
          chosen={choice.shape}
          onChoose={(shape) => onChoose({ ...choice, shape })}
        />
        <Button onClick={() => save('png')}>
          <Download size={13} /> PNG
        </Button>
        <Button onClick={() => save('svg')}>
          <Download size={13} /> SVG
        </Button>
        {data.left > 0 && (
          <span className="dim">
            {counted(data.left, 'row')} not drawn: no number there, or more bars than fit
          </span>
        )}
      </div>
      {data.points.length === 0 ? (
        <p className="dim">No row has a number in both columns. Choose other columns, or bars.</p>
      ) : (
        <Drawing data={data.points} choice={choice} x={x} y={y} svg={svg} />
      )}
    </section>
  );
}

interface DrawingProps {
  readonly data: ReturnType<typeof chartData>['points'];
  readonly choice: ChartChoice;
  readonly x: string;
  readonly y: string;
  readonly svg: React.RefObject<SVGSVGElement | null>;
}

function Drawing({ data, choice, x: xName, y: yName, svg }: DrawingProps) {
  const [box, { width, height: room }] = useSize<HTMLDivElement>({ width: 640, height: 364 });
  const height = Math.max(LEAST_HEIGHT, Math.min(MOST_HEIGHT, Math.floor(room) - READING));
  const [hovered, setHovered] = useState<number>();
  const ys = data.map((point) => point.y);
  const isBars = choice.shape === 'bar';
  const frame = { width, height, left: 48, right: 16, top: 12, bottom: 44 };
  const yTicks = (left: number) => valueScale([ys], { ...frame, left }, { fromZero: isBars });
  const left = axisRoom(yTicks(48).ticks(5).map(axisNumber), 48);
  const framed = { ...frame, left };
  const y = yTicks(left);
  const xs = data.map((point) => point.x);
  const x = stepScale(isBars ? [0, data.length] : xs, framed);
  const floor = y(Math.max(0, y.domain()[0] ?? 0));
  const bar = isBars ? x(1) - x(0) : 0;
  const center = (index: number) => x(xs[index] ?? 0) + bar / 2;
  const every = Math.max(1, Math.ceil(data.length / Math.max(2, Math.floor(width / 90))));
  const point = hovered === undefined ? undefined : data[hovered];
  return (
    <div ref={box} className="chart sql-drawing">
      <p className="sql-reading" aria-live="polite">
        {point === undefined
          ? `${yName} by ${xName}: ${counted(data.length, 'point')}`
          : `${xName} ${point.label}: ${yName} ${axisNumber(point.y)}`}
      </p>
      <svg
        ref={svg}
        width={width}
        height={height}
        role="img"
        aria-label={`${yName} by ${xName}; the table has the numbers`}
        onPointerMove={(event) => {
          const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
          let nearest = 0;
          for (let i = 1; i < data.length; i += 1)
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
          ? data.map(({ label, x: at }, i) =>
              i % every === 0 ? (
                <text key={at} x={center(i)} y={height - 27} textAnchor="middle">
                  {label.length > 14 ? `${label.slice(0, 13)}…` : label}
                </text>
              ) : null,
            )
          : x.ticks(Math.max(3, Math.floor(width / 90))).map((tick) => (
              <text key={tick} x={x(tick)} y={height - 27} textAnchor="middle">
                {axisNumber(tick)}
              </text>
            ))}
        <text x={(left + width - frame.right) / 2} y={height - 8} textAnchor="middle">
          {xName}
        </text>
        {choice.shape === 'line' && (
          <path d={linePath(xs, ys, x, y)} fill="none" stroke="var(--accent)" strokeWidth={1.7} />
        )}
        {isBars
          ? data.map((one, i) => (
              <rect
                key={one.x}
                x={x(i) + (bar > 4 ? 1 : 0)}
                width={Math.max(0.5, bar - (bar > 4 ? 2 : 0))}
                y={Math.min(floor, y(one.y))}
                height={Math.abs(y(one.y) - floor)}
                fill="var(--accent)"
                opacity={hovered === undefined || hovered === i ? 0.85 : 0.5}
              />
            ))
          : (choice.shape === 'scatter' || data.length <= 40) &&
            data.map((one, i) => (
              <circle
                // biome-ignore lint/suspicious/noArrayIndexKey: points may coincide
                key={i}
                cx={x(one.x)}
                cy={y(one.y)}
                r={hovered === i ? 4.5 : 2.8}
                fill="var(--accent)"
                opacity={choice.shape === 'scatter' ? 0.6 : 1}
              />
            ))}
      </svg>
    </div>
  );
}
