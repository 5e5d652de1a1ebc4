/**
 * Small multiple over training steps: real axes, values on hover. A click opens the step, one on a point what is
 * behind that number where the series can tell. By keys: ← → go through the steps, ↑ ↓ through the points of one,
 * Enter opens.
 */
import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import { ChartTable, TableSwitch } from './ChartTable.tsx';
import {
  axisRoom,
  type Band,
  bandPath,
  chartKey,
  type Frame,
  isMoved,
  linePath,
  nearestPoint,
  nearestStep,
  stackedBands,
  stepScale,
  stepTicks,
  type Values,
  valueScale,
} from './chartModel.ts';
import { type Series, StepReadout } from './StepChartParts.tsx';
import { useWidth } from './useWidth.ts';
import './charts.css';

interface StepMark {
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
  /** Where clicks lead, for the tooltip of the title. */
  readonly hint?: string;
}

const HEIGHT = 108;
/** Beyond this many steps the points would touch; the line says enough. */
const MAX_DOTS = 16;

export function StepChart(props: StepChartProps) {
  const { title, steps, series = [], bands = [], format, stages = [], hovered } = props;
  // The series whose point is pointed at, or where the keys are; undefined: the step itself.
  const [pointOf, setPointOf] = useState<string>();
  const [isTable, setTable] = useState(false);
  const [ref, width] = useWidth<SVGSVGElement>(340);
  const room = { width, height: HEIGHT, left: 34, right: 14, top: 8, bottom: 18 };
  const y =
    bands.length > 0
      ? valueScale([[0, 1]], room, { fromZero: true })
      : valueScale(
          series.map((one) => one.values),
          room,
          { fromZero: props.fromZero ?? true },
        );
  const ticks = y.ticks(3);
  const frame: Frame = { ...room, left: axisRoom(ticks.map(format), room.left) };
  const x = stepScale(steps, frame);
  const readAt = hovered ?? steps.length - 1;
  const stacked = stackedBands(bands);
  /** What lies under the pointer, from the event alone: a click may come before the move beneath it is drawn. */
  const placeAt = ({ clientX, clientY, currentTarget }: MouseEvent<SVGSVGElement>) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    const index = nearestStep(steps, x.invert(clientX - left));
    const places = series.map(({ name, values, onOpenPoint }) => {
      const value = index === undefined || onOpenPoint === undefined ? undefined : values[index];
      return { name, y: typeof value === 'number' ? y(value) : undefined };
    });
    return { index, pointName: nearestPoint(places, clientY - top) };
  };

  const pointed = series.filter((one) => one.onOpenPoint && typeof one.values[readAt] === 'number');
  const onKeyDown = (event: KeyboardEvent) => {
    const act = chartKey(event.key, {
      at: readAt,
      steps: steps.length,
      point: pointed.findIndex(({ name }) => name === pointOf),
      points: pointed.length,
    });
    if (act === undefined) return;
    event.preventDefault();
    if (act.kind === 'step') props.onHover(act.at);
    else if (act.kind === 'point') setPointOf(pointed[act.at]?.name);
    else (pointed.find(({ name }) => name === pointOf)?.onOpenPoint ?? props.onOpen)(readAt);
    if (hovered === undefined) props.onHover(act.kind === 'step' ? act.at : readAt);
  };
  const columns = [
    ...series.map(({ name, values }) => ({ name, values })),
    ...bands.map(({ name, shares }) => ({ name, values: shares })),
  ];
  const textAt = (values: Values, index: number): string => {
    const value = values[index];
    return typeof value === 'number' ? format(value) : '';
  };
  const summary = columns
    .filter(({ values }) => typeof values[readAt] === 'number')
    .map(({ name, values }) => `${name} ${textAt(values, readAt)}`)
    .join(', ');
  const chosen = hovered === undefined ? undefined : pointed.find(({ name }) => name === pointOf);

  return (
    <figure className={isTable ? 'chart is-table' : 'chart'} style={{ margin: 0 }}>
      <figcaption className="chart-head">
        <h2 title={props.hint === undefined ? title : `${title}. ${props.hint}`}>{title}</h2>
        <StepReadout {...props} at={readAt} />
        <TableSwitch title={title} isTable={isTable} onTable={setTable} />
      </figcaption>
      {isTable && (
        <ChartTable
          title={title}
          heads={['step', ...columns.map(({ name }) => name)]}
          rows={steps.map((step, i) => ({ at: step, cells: columns.map(({ values }) => textAt(values, i)) }))}
          height={HEIGHT}
        />
      )}
      <svg
        ref={ref}
        height={HEIGHT}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a slider over steps that is drawn; an input cannot hold a chart
        role="slider"
        tabIndex={0}
        aria-label={`${title} by step`}
        aria-valuemin={steps[0]}
        aria-valuemax={steps.at(-1)}
        aria-valuenow={steps[readAt]}
        aria-valuetext={`step ${steps[readAt] ?? ''}: ${summary === '' ? 'no data' : summary}${pointOf === undefined ? '' : `; ${pointOf}`}`}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setPointOf(undefined);
          props.onHover(undefined);
        }}
        className={chosen === undefined ? undefined : 'is-at-point'}
        onPointerMove={(event) => {
          if (!isMoved(event)) return;
          const { index, pointName } = placeAt(event);
          props.onHover(index);
          setPointOf(pointName);
        }}
        onPointerLeave={(event) => {
          if (!isMoved(event) && event.currentTarget === document.activeElement) return;
          setPointOf(undefined);
          props.onHover(undefined);
        }}
        onClick={(event) => {
          const { index, pointName } = placeAt(event);
          const point = series.find(({ name }) => name === pointName);
          if (index !== undefined) (point?.onOpenPoint ?? props.onOpen)(index);
        }}
      >
        {hovered !== undefined && chosen?.pointTitle !== undefined && (
          <title>{chosen.pointTitle(hovered)}</title>
        )}
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
                r={index === hovered && one === chosen ? 5.5 : 3}
                fill={one.color}
              />
            );
          }),
        )}
      </svg>
    </figure>
  );
}
