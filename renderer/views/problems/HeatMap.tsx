/** Problems by steps on one canvas, which draws only the visible part, and the values of the current cell. */

import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { KeyOf } from '../../shell/keys/Keys.tsx';
import { keyOf } from '../../shell/keys/keysInForce.ts';
import { Button } from '../../ui/Controls.tsx';
import { plainLogText } from '../../ui/LogText.tsx';
import { count, counted, percent } from '../../ui/numbers.ts';
import { useAutoFocus } from '../../ui/useAutoFocus.ts';
import { AnswerText } from '../../widgets/AnswerText.tsx';
import {
  besideHeadOf,
  besideName,
  cellAt,
  longestName,
  longestText,
  type MapCell,
  type MapPoint,
  type MapRow,
  mapName,
  mapShape,
  moved,
  nameAt,
  nameHint,
  type ProblemSort,
  pointAt,
  rateOf,
} from './mapModel.ts';
import { paintMap } from './paintMap.ts';

interface HeatMapProps {
  readonly rows: readonly MapRow[];
  /** Labels of the columns. A log without steps has one column without a label. */
  readonly steps: readonly string[];
  readonly sort: ProblemSort;
  /** The current cell. */
  readonly cursor: MapPoint | undefined;
  readonly onCursor: (point: MapPoint | undefined) => void;
  readonly onOpen: (point: MapPoint) => void;
  /** Called when the name of a row is clicked. */
  readonly onHistory: (point: MapPoint) => void;
  /** Description of the cell under the cursor. */
  readonly reading: string;
}

const HEAD_HEIGHT = 22;

export function HeatMap(props: HeatMapProps) {
  const { rows, steps, sort, cursor, onCursor, onOpen, onHistory, reading } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 800, height: 400 });
  const [scroll, setScroll] = useState({ left: 0, top: 0 });
  useAutoFocus(scroller);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const longest = useMemo(() => longestName(rows), [rows]);
  const beside = useMemo(() => rows.map((row) => besideName(row, sort, steps)), [rows, sort, steps]);
  const shape = mapShape(size.width, steps.length, longest, longestText(beside));
  const width = shape.gutter + shape.columnWidth * steps.length;
  const height = HEAD_HEIGHT + shape.rowHeight * rows.length;

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const paint = () =>
      paintMap(element, {
        rows,
        steps,
        beside,
        besideHead: besideHeadOf(sort),
        shape,
        size,
        scroll,
        cursor,
        headHeight: HEAD_HEIGHT,
      });
    paint();
    // The theme is an attribute of the page, and colours are read while painting.
    const observer = new MutationObserver(paint);
    observer.observe(document.documentElement, { attributes: true });
    return () => observer.disconnect();
  });

  const pointOf = (event: MouseEvent<HTMLElement>): { point?: MapPoint | undefined; isName: boolean } => {
    const box = event.currentTarget.getBoundingClientRect();
    const y = event.clientY - box.top - HEAD_HEIGHT;
    // The names do not scroll horizontally.
    const isName = event.clientX - box.left < shape.gutter;
    if (y < 0) return { isName: false };
    if (isName) return { point: nameAt(rows, shape, y + scroll.top, cursor?.step), isName };
    const x = event.clientX - box.left + scroll.left;
    return {
      point: pointAt(shape, { x, y: y + scroll.top }, { rows: rows.length, steps: steps.length }),
      isName,
    };
  };
  const reveal = (point: MapPoint) => {
    const element = scroller.current;
    if (element === null) return;
    const top = point.row * shape.rowHeight;
    const room = size.height - HEAD_HEIGHT - shape.rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = top - room;
    const left = point.step * shape.columnWidth;
    const wide = size.width - shape.gutter - shape.columnWidth;
    if (left < element.scrollLeft) element.scrollLeft = left;
    else if (left > element.scrollLeft + wide) element.scrollLeft = left - wide;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(size.height / shape.rowHeight) - 2);
    const by = MOVES[event.key]?.(page);
    if (by !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      const next = moved(rows, cursor, by);
      if (next === undefined) return;
      onCursor(next);
      reveal(next);
    } else if (event.key === 'Enter' && cursor !== undefined) {
      event.preventDefault();
      onOpen(cursor);
    }
  };
  return (
    <div
      ref={scroller}
      className="heat-map"
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: handles the arrow keys
      tabIndex={0}
      aria-label={`Pass rate of ${rows.length} problems${steps.length > 1 ? ` by ${steps.length} steps` : ''}. Arrow keys move, Enter opens the group, ${keyOf('problem.open') ?? 'a command'} the history of the problem.`}
      onKeyDown={onKeyDown}
      onScroll={(event) =>
        setScroll({ left: event.currentTarget.scrollLeft, top: event.currentTarget.scrollTop })
      }
    >
      <div className="heat-map-space" style={{ width, height: Math.max(height, size.height) }}>
        <canvas
          ref={canvas}
          style={{ width: size.width, height: size.height }}
          onPointerMove={(event) => {
            const { point, isName } = pointOf(event);
            const row = isName && point !== undefined ? rows[point.row] : undefined;
            event.currentTarget.style.cursor = row === undefined ? 'default' : 'pointer';
            event.currentTarget.title = row === undefined ? '' : nameHint(row);
            if (point?.row !== cursor?.row || point?.step !== cursor?.step) onCursor(point ?? cursor);
          }}
          onClick={(event) => {
            const { point, isName } = pointOf(event);
            if (point === undefined) return;
            if (isName) onHistory(point);
            else if (cellAt(rows, point) !== undefined) onOpen(point);
          }}
        />
      </div>
      <p className="visually-hidden" role="status">
        {reading}
      </p>
    </div>
  );
}

const MOVES: Readonly<Record<string, (page: number) => { readonly rows: number; readonly steps: number }>> = {
  ArrowDown: () => ({ rows: 1, steps: 0 }),
  j: () => ({ rows: 1, steps: 0 }),
  ArrowUp: () => ({ rows: -1, steps: 0 }),
  k: () => ({ rows: -1, steps: 0 }),
  ArrowRight: () => ({ rows: 0, steps: 1 }),
  ArrowLeft: () => ({ rows: 0, steps: -1 }),
  PageDown: (page) => ({ rows: page, steps: 0 }),
  PageUp: (page) => ({ rows: -page, steps: 0 }),
  Home: () => ({ rows: Number.MIN_SAFE_INTEGER, steps: 0 }),
  End: () => ({ rows: Number.MAX_SAFE_INTEGER, steps: 0 }),
};

interface MapStep {
  /** Index into the steps of the map. */
  readonly at: number | undefined;
  /** Undefined in a log without steps. */
  readonly step: number | undefined;
}

function blankOf({ unmatched }: MapRow, at: number | undefined): string {
  return at !== undefined && unmatched.includes(at) ? 'tried, no rollout matches the filter' : 'not tried';
}

/** Description of the cell under the cursor. */
export function readingOf(row: MapRow | undefined, cell: MapCell | undefined, { at, step }: MapStep): string {
  if (row === undefined) return '';
  const place = step === undefined ? mapName(row) : `${mapName(row)}, step ${step}`;
  if (cell === undefined) return `${place}: ${blankOf(row, at)}`;
  const rate = rateOf(cell);
  const share = rate === undefined ? 'correctness unknown' : `${cell.correct} of ${cell.known} correct`;
  return `${place}: ${share}${cell.answers > 0 ? `, ${counted(cell.answers, 'different answer')}` : ''}`;
}

interface RegressionEndProps {
  readonly cell: MapCell;
  readonly steps: readonly string[];
  readonly onOpen: (cell: MapCell) => void;
}

/** One of the two steps that a regression compares, as a link to its group. */
function RegressionEnd({ cell, steps, onOpen }: RegressionEndProps) {
  return (
    <button type="button" className="is-link" onClick={() => onOpen(cell)}>
      step {steps[cell.step]}: {cell.correct} of {cell.known} correct
    </button>
  );
}

interface MapReadoutProps {
  readonly row: MapRow | undefined;
  readonly cell: MapCell | undefined;
  readonly at: MapStep;
  /** Names of the steps. */
  readonly steps: readonly string[];
  readonly onOpen: () => void;
  /** Opens the group of another cell of the row. */
  readonly onOpenCell: (cell: MapCell) => void;
  readonly onHistory: () => void;
}

/** The cell under the cursor and its link. Keeps its size, so that nothing jumps. */
export function MapReadout({ row, cell, at, steps, onOpen, onOpenCell, onHistory }: MapReadoutProps) {
  if (row === undefined)
    return (
      <aside className="map-reading">
        <p className="dim">
          Point at a cell or use the arrow keys. Enter opens the group; <KeyOf command="problem.open" />, or a
          click on the name, the problem’s history.
        </p>
      </aside>
    );
  const rate = cell === undefined ? undefined : rateOf(cell);
  return (
    <aside className="map-reading" aria-label="Cell">
      <div className="map-reading-name">
        <strong title={row.question === '' ? undefined : plainLogText(row.question)}>{mapName(row)}</strong>
        {mapName(row) !== row.problemId && <span className="dim"> {plainLogText(row.problemId)}</span>}
        {row.source !== undefined && <span className="dim"> {plainLogText(row.source)}</span>}
        {row.groundTruth !== undefined && (
          <span className="dim" title={plainLogText(row.groundTruth)}>
            {' '}
            · ground truth <AnswerText text={row.groundTruth} />
          </span>
        )}
      </div>
      <div>
        {at.step !== undefined && `Step ${at.step}: `}
        {cell === undefined ? (
          blankOf(row, at.at)
        ) : (
          <>
            {rate === undefined
              ? 'correctness unknown'
              : `${cell.correct} of ${cell.known} correct (${percent(rate)} %)`}
            {cell.answers > 0 && ` · ${counted(cell.answers, 'different answer')}`}
            {cell.groups > 1 && ` · ${counted(cell.groups, 'group')}`}
          </>
        )}
      </div>
      {at.step !== undefined && (
        <div className="dim">
          Over {counted(row.cells.length, 'step')}: {count(row.correct)} of {count(row.known)} correct
          {row.regression !== undefined && (
            <>
              {' · Regressed from '}
              <RegressionEnd cell={row.regression.best} steps={steps} onOpen={onOpenCell} />
              {' to '}
              <RegressionEnd cell={row.regression.last} steps={steps} onOpen={onOpenCell} />
            </>
          )}
        </div>
      )}
      <div className="map-reading-buttons">
        <Button onClick={onHistory} title="o">
          History
        </Button>
        <Button onClick={onOpen} disabled={cell === undefined} title="Enter">
          Open group
        </Button>
      </div>
    </aside>
  );
}
