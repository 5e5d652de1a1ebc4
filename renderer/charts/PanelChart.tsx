/**
 * One of several charts on the same step axis. All charts of the page share the crosshair. Dragging brushes steps, and
 * a click opens the nearest point. Keys: ← → move the crosshair, with Shift they brush, ↑ ↓ choose a line, Enter
 * opens, Escape clears the range.
 */
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useMemo,
  useState,
} from 'react';
import { chartKey, isMoved, nearestStep } from './chartModel.ts';
import type { DrawingSize } from './exportChart.ts';
import { type PanelLevel, type PanelReference, roomOfLevels } from './PanelLevels.tsx';
import { type PanelMark, PanelPlot } from './PanelPlot.tsx';
import { PanelReadout, PanelTable } from './PanelReadout.tsx';
import {
  bandAt,
  extendedRange,
  farLimits,
  nearestLine,
  opensText,
  orderedRange,
  type PanelLine,
  panelPlace,
  type StepRange,
  valueAt,
  withoutFarLimits,
  withoutNoughts,
} from './panelModel.ts';
import { useWidth } from './useWidth.ts';
import './charts.css';

export interface PanelChartProps {
  readonly title: string;
  /** Unit of the values, shown beside the title. */
  readonly unit: string;
  /** The quantity that the chart counts, and how. */
  readonly describe: string;
  readonly axis: readonly number[];
  /** As in `PanelShape`. */
  readonly seconds?: ReadonlyMap<number, number> | undefined;
  readonly lines: readonly PanelLine[];
  /** The lines are shares that add up to 1, from the bottom up. */
  readonly isStacked?: boolean;
  readonly isShare?: boolean;
  /** Uses a logarithmic value axis, if any value is above 0. */
  readonly isLog?: boolean;
  readonly format: (value: number) => string;
  readonly marks?: readonly PanelMark[];
  readonly levels?: readonly PanelLevel[];
  /** Like levels, but they do not extend the scale. A reference outside the scale is named at its edge. */
  readonly references?: readonly PanelReference[];
  readonly step: number | undefined;
  /** Step whose values are shown while `step` is undefined. Default: the last of the axis. */
  readonly last?: number | undefined;
  readonly onStep: (step: number | undefined) => void;
  readonly range: StepRange | undefined;
  readonly onRange: (range: StepRange | undefined) => void;
  readonly isTable?: boolean;
  /** Hides the names of the lines, since the page has one legend for all charts. */
  readonly isNameless?: boolean;
  /** Actions of the chart. */
  readonly menu?: ReactNode;
  readonly svgRef?: RefObject<SVGSVGElement | null>;
  /** Absent: as wide as the container. */
  readonly size?: DrawingSize;
  /** px */
  readonly height?: number;
  /** Whether the value axis begins at 0. Default: true. */
  readonly isFromZero?: boolean;
}

const HEIGHT = 96;
/** px. A shorter movement counts as a click. */
const DRAG = 4;
const NO_MARKS: readonly PanelMark[] = [];
const NO_LEVELS: readonly PanelLevel[] = [];
const NO_REFERENCES: readonly PanelReference[] = [];

export function PanelChart(props: PanelChartProps) {
  const { axis, lines, format, step, range, isStacked = false, marks = NO_MARKS, levels = NO_LEVELS } = props;
  const { references: chosenReferences = NO_REFERENCES } = props;
  const references = useMemo(() => [...chosenReferences, ...farLimits(lines)], [chosenReferences, lines]);
  const near = useMemo(() => withoutFarLimits(lines), [lines]);
  const [chosen, setChosen] = useState<string>();
  const [drag, setDrag] = useState<{ readonly x: number; readonly from: number; readonly to: number }>();
  const [ref, measured] = useWidth<HTMLDivElement>(280);
  const { beside, below } = roomOfLevels(levels);
  const { width, height: whole } = props.size ?? {
    width: measured,
    height: (props.height ?? HEIGHT) + below,
  };
  const height = whole - below;
  const { isLog: wantsLog = false, isFromZero = true } = props;
  const { frame, x, y, ticks, isLog } = useMemo(
    () =>
      panelPlace({
        ...{
          width,
          height,
          beside,
          axis,
          seconds: props.seconds,
          lines: near,
          isStacked,
          isLog: wantsLog,
          isFromZero,
          format,
        },
        levels: levels.map(({ value }) => value),
        references: references.map(({ value }) => value),
      }),
    [
      width,
      height,
      beside,
      near,
      levels,
      references,
      axis,
      props.seconds,
      isStacked,
      wantsLog,
      isFromZero,
      format,
    ],
  );
  const drawn = useMemo(() => (isLog ? withoutNoughts(near) : near), [isLog, near]);
  const floor = height - frame.bottom;
  const last = props.last ?? axis.at(-1);
  const readAt = step ?? last;
  const openable = lines.filter((line) => line.onOpen !== undefined && valueAt(line, readAt) !== undefined);

  const stepAt = (event: PointerEvent<SVGSVGElement>): number | undefined => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const index = nearestStep(axis, x.invert(event.clientX - left));
    return index === undefined ? undefined : axis[index];
  };
  const lineAt = (event: PointerEvent<SVGSVGElement>, at: number): PanelLine | undefined => {
    const height = event.clientY - event.currentTarget.getBoundingClientRect().top;
    const among = lines.filter((line) => line.onOpen !== undefined);
    return isStacked ? bandAt(among, at, y.invert(height)) : nearestLine(among, at, y, height);
  };
  const move = (event: PointerEvent<SVGSVGElement>) => {
    if (!isMoved(event)) return;
    const at = stepAt(event);
    if (at === undefined) return;
    props.onStep(at);
    if (drag === undefined) setChosen(lineAt(event, at)?.key);
    else setDrag({ ...drag, to: at });
  };
  const release = (event: PointerEvent<SVGSVGElement>) => {
    if (drag === undefined) return;
    setDrag(undefined);
    const at = stepAt(event) ?? drag.to;
    if (Math.abs(event.clientX - drag.x) > DRAG) props.onRange(orderedRange(drag.from, at));
    else lineAt(event, at)?.onOpen?.(at);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && range !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      props.onRange(undefined);
      return;
    }
    if (readAt === undefined) return;
    if (event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      const grown = extendedRange(axis, range, readAt, event.key === 'ArrowRight' ? 1 : -1);
      event.preventDefault();
      props.onStep(grown.at);
      props.onRange(grown.range);
      return;
    }
    const act = chartKey(event.key, {
      at: axis.indexOf(readAt),
      steps: axis.length,
      point: openable.findIndex(({ key }) => key === chosen),
      points: openable.length,
    });
    if (act === undefined) return;
    event.preventDefault();
    // Keeps the list's key bindings from acting while a chart has the focus.
    event.stopPropagation();
    if (act.kind === 'step') props.onStep(axis[act.at]);
    else if (act.kind === 'point') setChosen(openable[act.at]?.key);
    else (openable.find(({ key }) => key === chosen) ?? openable[0])?.onOpen?.(readAt);
    if (act.kind !== 'step' && step === undefined) props.onStep(readAt);
  };
  const pointed = openable.find(({ key }) => key === chosen);
  // Enter opens the chosen line, else the first.
  const opened = pointed ?? openable[0];
  const enterOpens = opened === undefined ? undefined : opensText(opened, readAt);
  const clickOpens = pointed === undefined ? undefined : opensText(pointed, step);
  const shownRange = drag === undefined ? range : orderedRange(drag.from, drag.to);
  const summary = lines
    .filter((line) => line.role !== 'under' && valueAt(line, readAt) !== undefined)
    .map((line) => `${line.name} ${format(valueAt(line, readAt) ?? 0)}`)
    .join(', ');

  const unit = isLog ? `${props.unit}, log` : props.unit;
  return (
    <figure className="chart panel" ref={ref}>
      <figcaption className="chart-head">
        <h2 title={props.describe}>{props.title}</h2>
        <span className="panel-unit" title={unit}>
          {unit}
        </span>
        {props.menu}
      </figcaption>
      <PanelReadout
        {...{ lines, isStacked, step, last, chosen, format }}
        references={chosenReferences}
        isNameless={props.isNameless === true}
      />
      {props.isTable === true ? (
        <PanelTable title={props.title} lines={lines} format={format} height={height} />
      ) : (
        <svg
          ref={props.svgRef}
          height={whole}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a drawn slider over steps; an input cannot contain a chart
          role="slider"
          tabIndex={0}
          aria-label={`${props.title} by step`}
          aria-description={props.describe}
          aria-valuemin={axis[0]}
          aria-valuemax={axis.at(-1)}
          aria-valuenow={readAt}
          aria-valuetext={`step ${readAt ?? ''}: ${summary === '' ? 'no data' : summary}${enterOpens === undefined ? '' : `; Enter opens ${enterOpens}`}`}
          onKeyDown={onKeyDown}
          onBlur={() => {
            setChosen(undefined);
            props.onStep(undefined);
          }}
          onPointerDown={(event) => {
            const at = stepAt(event);
            if (event.button !== 0 || at === undefined) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag({ x: event.clientX, from: at, to: at });
          }}
          onPointerMove={move}
          onPointerUp={release}
          onPointerCancel={() => setDrag(undefined)}
          onPointerLeave={(event) => {
            if (!isMoved(event) && event.currentTarget === document.activeElement) return;
            setChosen(undefined);
            props.onStep(undefined);
          }}
          className={pointed === undefined ? undefined : 'is-at-point'}
        >
          {clickOpens !== undefined && step !== undefined && (
            <title data-transient="">{`Step ${step}: opens ${clickOpens}`}</title>
          )}
          <PanelPlot
            {...{ frame, axis, ticks, isStacked, marks, levels, references, x, y, format }}
            lines={drawn}
          />
          {shownRange !== undefined && (
            <rect
              className="brush"
              x={x(shownRange.from) - 1.5}
              width={Math.max(0, x(shownRange.to) - x(shownRange.from)) + 3}
              y={frame.top}
              height={floor - frame.top}
            />
          )}
          {step !== undefined && (
            <line className="hover" data-transient="" x1={x(step)} x2={x(step)} y1={frame.top} y2={floor} />
          )}
          {step !== undefined &&
            !isStacked &&
            drawn.map((line) => {
              const value = line.role === 'under' ? undefined : valueAt(line, step);
              return value === undefined ? null : (
                <circle
                  key={line.key}
                  className="dot"
                  data-transient=""
                  cx={x(step)}
                  cy={y(value)}
                  r={line.key === chosen ? 5 : 3.2}
                  fill={line.color}
                />
              );
            })}
        </svg>
      )}
    </figure>
  );
}
