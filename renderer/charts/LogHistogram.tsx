/**
 * Counts over a logarithmic axis, stacked by series. A line above the drawing describes the bar under the pointer or
 * at the position of the ← → keys. A click or Enter opens the bar's rollouts.
 */
import { scaleLinear } from 'd3-scale';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useMemo,
  useState,
} from 'react';
import { axisRoom, chartKey, isMoved } from './chartModel.ts';
import type { DrawingSize } from './exportChart.ts';
import {
  binAt,
  drawnEnds,
  type LogBin,
  type LogMark,
  logScale,
  logTicks,
  type PlacedMark,
  placedMarks,
} from './logHistogram.ts';
import { useWidth } from './useWidth.ts';
import './charts.css';

export interface HistogramSeries {
  readonly name: string;
  readonly color: string;
  /** An outline around a pale fill, as a second cue beside colour. */
  readonly isOutlined?: boolean;
}

interface LogHistogramProps {
  readonly title: string;
  readonly describe: string;
  readonly unit: string;
  readonly bins: readonly LogBin[];
  readonly series: readonly HistogramSeries[];
  readonly marks: readonly LogMark[];
  readonly formatX: (value: number) => string;
  readonly formatCount: (count: number) => string;
  /** Description of a bar. */
  readonly reading: (bin: number) => string;
  /** Shown while no bar is pointed at. */
  readonly rest: ReactNode;
  /** Describes what a bar opens. */
  readonly opens: string;
  readonly onOpen: (bin: number) => void;
  readonly menu?: ReactNode;
  /** The same numbers as text. Shown instead of the drawing. */
  readonly table?: ReactNode;
  readonly svgRef?: RefObject<SVGSVGElement | null>;
  /** Absent: as wide as the container. */
  readonly size?: DrawingSize;
}

const HEIGHT = 150;
const LINE = 12;
/** px. A small count stays visible beside one of a million. */
const LEAST_BAR = 1.5;

export function LogHistogram(props: LogHistogramProps) {
  const { title, bins, series, formatX, formatCount } = props;
  const [at, setAt] = useState<number>();
  const [ref, measured] = useWidth<HTMLDivElement>(380);
  const { width, height } = props.size ?? { width: measured, height: HEIGHT };
  const { frame, x, y, placed } = useMemo(() => {
    const tallest = Math.max(1, ...bins.map(({ counts }) => counts.reduce((sum, n) => sum + n, 0)));
    const scale = scaleLinear().domain([0, tallest]).nice(3);
    const left = 4 + axisRoom(scale.ticks(3).map(formatCount), 32);
    const side = { width, height, left, right: 12, bottom: 17 };
    const across = logScale(bins, { ...side, top: 0 });
    const labels = placedMarks(props.marks, across, { ...side, top: 0 });
    const top = 4 + LINE * (1 + Math.max(-1, ...labels.map(({ row }) => row)));
    scale.range([height - side.bottom, top]);
    return { frame: { ...side, top }, x: across, y: scale, placed: labels };
  }, [width, height, bins, props.marks, formatCount]);
  const floor = height - frame.bottom;
  const shown = at === undefined ? undefined : Math.min(at, bins.length - 1);

  const binUnder = (event: MouseEvent<SVGSVGElement>): number => {
    const { left } = event.currentTarget.getBoundingClientRect();
    return binAt(bins, x.invert(event.clientX - left));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = chartKey(event.key, {
      at: shown ?? bins.length - 1,
      steps: bins.length,
      point: -1,
      points: 1,
    });
    if (act === undefined || act.kind === 'point') return;
    event.preventDefault();
    // Keeps the list's key bindings from acting while a chart has the focus.
    event.stopPropagation();
    if (act.kind === 'step') setAt(act.at);
    else if (shown !== undefined) props.onOpen(shown);
  };
  return (
    <figure className="chart panel" ref={ref}>
      <figcaption className="chart-head">
        <h2 title={props.describe}>{title}</h2>
        <span className="panel-unit">{props.unit}</span>
        {props.menu}
      </figcaption>
      <div className="panel-reading" aria-live="polite">
        {shown === undefined ? props.rest : <span>{props.reading(shown)}</span>}
      </div>
      {props.table ?? (
        <svg
          ref={props.svgRef}
          height={height}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a drawn slider over bars; an input cannot contain a chart
          role="slider"
          tabIndex={0}
          aria-label={title}
          aria-description={props.describe}
          aria-valuemin={0}
          aria-valuemax={bins.length - 1}
          aria-valuenow={shown ?? bins.length - 1}
          aria-valuetext={`${props.reading(shown ?? bins.length - 1)}; Enter opens ${props.opens}`}
          onKeyDown={onKeyDown}
          onBlur={() => setAt(undefined)}
          onPointerMove={(event) => isMoved(event) && setAt(binUnder(event))}
          onPointerLeave={() => setAt(undefined)}
          onClick={(event) => props.onOpen(binUnder(event))}
          className={shown === undefined ? undefined : 'is-at-point'}
        >
          {y.ticks(3).map((tick) => (
            <g key={tick}>
              <line
                className="grid"
                x1={frame.left}
                x2={frame.width - frame.right}
                y1={y(tick)}
                y2={y(tick)}
              />
              <text x={frame.left - 6} y={y(tick) + 3.5} textAnchor="end">
                {formatCount(tick)}
              </text>
            </g>
          ))}
          {logTicks(x, frame.width - frame.left - frame.right).map((tick) => (
            <text key={tick} x={x(tick)} y={height - 4} textAnchor="middle">
              {formatX(tick)}
            </text>
          ))}
          {shown !== undefined && (
            <rect
              className="brush"
              data-transient=""
              x={x(drawnEnds(bins[shown] ?? NOTHING)[0])}
              width={widthOf(bins[shown] ?? NOTHING, x)}
              y={frame.top}
              height={floor - frame.top}
            />
          )}
          {bins.map((bin) => (
            <Bar key={bin.from} {...{ bin, series, x, y, floor }} />
          ))}
          <Marks placed={placed} floor={floor} />
        </svg>
      )}
    </figure>
  );
}

const NOTHING: LogBin = { from: 1, to: 1, counts: [] };

function widthOf(bin: LogBin, x: (value: number) => number): number {
  const [from, to] = drawnEnds(bin);
  return Math.max(0, x(to) - x(from));
}

interface BarProps extends Pick<LogHistogramProps, 'series'> {
  readonly bin: LogBin;
  readonly x: (value: number) => number;
  readonly y: (count: number) => number;
  readonly floor: number;
}

function Bar({ bin, series, x, y, floor }: BarProps) {
  const wide = widthOf(bin, x);
  const air = wide > 4 ? 0.5 : 0;
  let below = floor;
  return (
    <>
      {series.map((one, i) => {
        const n = bin.counts[i] ?? 0;
        if (n === 0) return null;
        const tall = Math.max(LEAST_BAR, y(0) - y(n));
        below -= tall;
        const inset = one.isOutlined ? 0.5 : 0;
        return (
          <rect
            key={one.name}
            x={x(drawnEnds(bin)[0]) + air + inset}
            width={Math.max(0.5, wide - 2 * (air + inset))}
            y={below + inset}
            height={Math.max(0.5, tall - 2 * inset)}
            fill={one.color}
            fillOpacity={one.isOutlined ? 0.42 : 1}
            stroke={one.isOutlined ? one.color : 'none'}
          />
        );
      })}
    </>
  );
}

/** Draws all lines first, so that a label covers the lines behind it. */
function Marks({ placed, floor }: { readonly placed: readonly PlacedMark[]; readonly floor: number }) {
  return (
    <>
      {placed.map(({ label, x, row, beyond, source }) => (
        <g key={label} className={source === undefined ? 'value-mark' : 'value-mark is-reference'}>
          {beyond === undefined && <line x1={x} x2={x} y1={4 + LINE * row} y2={floor} />}
        </g>
      ))}
      {placed.map(({ label, x, row, anchor, width, beyond, source }) => (
        <g key={label} className="value-mark">
          {source !== undefined && <title>{`${label} · ${source}`}</title>}
          <rect x={anchor === 'end' ? x - 3 - width : x + 3} y={LINE * row} width={width} height={LINE} />
          <text x={x + (anchor === 'end' ? -4 : 4)} y={LINE * (row + 1) - 2} textAnchor={anchor}>
            {beyond === 'left' ? '← ' : ''}
            {label}
            {beyond === 'right' ? ' →' : ''}
          </text>
        </g>
      ))}
    </>
  );
}
