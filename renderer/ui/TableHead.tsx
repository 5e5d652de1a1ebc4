// biome-ignore-all lint/a11y/noStaticElementInteractions: edges are for the pointer; ColumnPicker.tsx changes widths by keys
// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot position its rows, see VirtualTable.tsx
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid handles the keys
/** The head of a table. A click sorts; dragging heads and their edges moves and resizes columns. */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import type { Sort } from './sorting.ts';
import {
  type Arrangement,
  type Column,
  columnName,
  type Direction,
  inOrder,
  LEAST_WIDTH,
  movedBefore,
  type RowStyle,
  type TableLayout,
} from './tableColumns.ts';
import type { CssPixels } from './virtualRows.ts';

interface TableHeadProps<Row> {
  /** The visible columns, in display order. */
  readonly columns: readonly Column<Row>[];
  /** Includes hidden columns and columns without data. */
  readonly all: readonly Column<Row>[];
  readonly style: RowStyle;
  readonly sorts: readonly Sort[];
  readonly onSort: ((column: string, direction: Direction, isFurther: boolean) => void) | undefined;
  readonly arrangement: Arrangement | undefined;
  /** Called with the widths while an edge is dragged, and with undefined at the end. */
  readonly onWidths: (drawn: TableLayout['widths'] | undefined) => void;
  readonly onMenu: (column: Column<Row>, at: { readonly x: CssPixels; readonly y: CssPixels }) => void;
}

export function TableHead<Row>(props: TableHeadProps<Row>) {
  const { columns, arrangement } = props;
  const head = useRef<HTMLDivElement>(null);
  /** The id of the column before which the dragged one would be dropped. '' is the end. */
  const [dropPlace, setDropPlace] = useState<string>();

  const grab = (id: string) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || arrangement === undefined) return;
    let before: string | undefined;
    followPointer(event, {
      onMove: (_, x) => {
        before = columnBehind(head.current, x);
        setDropPlace(before ?? '');
      },
      onEnd: (isGivenUp) => {
        setDropPlace(undefined);
        if (isGivenUp) return;
        const ids = inOrder(props.all, arrangement.layout.order).map((column) => column.id);
        arrangement.arrange({ order: movedBefore(ids, id, before) });
      },
    });
  };
  const grabEdge = (id: string) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || arrangement === undefined) return;
    event.stopPropagation();
    event.preventDefault();
    const from = event.currentTarget.parentElement?.getBoundingClientRect().width ?? LEAST_WIDTH;
    // Fix the widths of the columns before it, or the edge would move away from the pointer.
    const before = { ...arrangement.layout.widths, ...widthsBefore(head.current, id) };
    let widths: TableLayout['widths'] = before;
    followPointer(event, {
      onMove: (by) => {
        widths = { ...before, [id]: Math.max(LEAST_WIDTH, Math.round(from + by)) };
        props.onWidths(widths);
      },
      onEnd: (isGivenUp) => {
        props.onWidths(undefined);
        if (!isGivenUp) arrangement.arrange({ widths });
      },
    });
  };
  const resetWidth = (id: string) => () => {
    if (arrangement === undefined) return;
    const { [id]: _, ...widths } = arrangement.layout.widths;
    arrangement.arrange({ widths });
  };

  return (
    <div ref={head} className="vtable-head" role="row" style={props.style}>
      {columns.map((column, i) => (
        <HeadCell
          key={column.id}
          column={column}
          sorts={props.sorts}
          onSort={props.onSort}
          isDropPlace={dropPlace === column.id}
          isDropEnd={dropPlace === '' && i === columns.length - 1}
          onGrab={arrangement === undefined ? undefined : grab(column.id)}
          onGrabEdge={arrangement === undefined ? undefined : grabEdge(column.id)}
          onResetWidth={resetWidth(column.id)}
          onMenu={arrangement === undefined ? undefined : (at) => props.onMenu(column, at)}
        />
      ))}
    </div>
  );
}

/** The first column whose middle is to the right of a point. */
function columnBehind(head: HTMLElement | null, x: CssPixels): string | undefined {
  for (const cell of head?.querySelectorAll<HTMLElement>('[data-column]') ?? []) {
    const { left, width } = cell.getBoundingClientRect();
    if (x < left + width / 2) return cell.dataset['column'];
  }
  return undefined;
}

function widthsBefore(head: HTMLElement | null, id: string): TableLayout['widths'] {
  const widths: Record<string, CssPixels> = {};
  for (const cell of head?.querySelectorAll<HTMLElement>('[data-column]') ?? []) {
    const column = cell.dataset['column'];
    if (column === undefined || column === id) break;
    widths[column] = cell.getBoundingClientRect().width;
  }
  return widths;
}

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly sorts: readonly Sort[];
  readonly onSort: ((column: string, direction: Direction, isFurther: boolean) => void) | undefined;
  /** The dragged column would be dropped before this one. */
  readonly isDropPlace?: boolean;
  /** The dragged column would be dropped after this one, the last. */
  readonly isDropEnd?: boolean;
  readonly onGrab?: ((event: PointerEvent<HTMLElement>) => void) | undefined;
  readonly onGrabEdge?: ((event: PointerEvent<HTMLElement>) => void) | undefined;
  readonly onResetWidth?: (() => void) | undefined;
  readonly onMenu?: ((at: { readonly x: CssPixels; readonly y: CssPixels }) => void) | undefined;
}

const opposite = (direction: Direction): Direction =>
  direction === 'ascending' ? 'descending' : 'ascending';

/** macOS has no menu key, and opens no menu for Shift-F10. */
export const isMenuKey = ({ key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>): boolean =>
  key === 'ContextMenu' || (key === 'F10' && shiftKey);

function HeadCell<Row>(props: HeadCellProps<Row>) {
  const { column, sorts, onSort, onMenu } = props;
  const rank = sorts.findIndex((sort) => sort.column === column.id);
  const sort = sorts[rank];
  const first = column.sorts;
  const content = (
    <>
      <span className="vtable-name">
        {column.label}
        {column.unit !== undefined && <span className="unit"> {column.unit}</span>}
      </span>
      {sort !== undefined && (
        <span className="arrow">
          {sort.direction === 'ascending' ? '▲' : '▼'}
          {sorts.length > 1 && <sub>{rank + 1}</sub>}
        </span>
      )}
    </>
  );
  const name = column.label === '' ? columnName(column) : undefined;
  const openBelow = (head: Element) => {
    const { left, bottom } = head.getBoundingClientRect();
    onMenu?.({ x: left, y: bottom });
  };
  const classes = [
    column.align === 'end' ? 'is-end' : '',
    props.isDropPlace === true ? 'is-drop-place' : '',
    props.isDropEnd === true ? 'is-drop-end' : '',
  ].filter((name) => name !== '');
  return (
    <div
      role="columnheader"
      data-column={column.id}
      aria-label={name}
      className={classes.length === 0 ? undefined : classes.join(' ')}
      aria-sort={sort?.direction}
      title={column.hint}
      onPointerDown={props.onGrab}
      onContextMenu={(event) => {
        if (onMenu === undefined) return;
        event.preventDefault();
        onMenu({ x: event.clientX, y: event.clientY });
      }}
      onKeyDown={(event) => {
        if (onMenu === undefined || !isMenuKey(event)) return;
        event.preventDefault();
        openBelow(event.currentTarget);
      }}
    >
      {first !== undefined && onSort !== undefined ? (
        <button
          type="button"
          aria-label={name}
          onClick={(event) =>
            onSort(column.id, sort === undefined ? first : opposite(sort.direction), event.shiftKey)
          }
        >
          {content}
        </button>
      ) : onMenu !== undefined ? (
        <button
          type="button"
          aria-label={name}
          aria-haspopup="menu"
          onClick={(event) => openBelow(event.currentTarget)}
        >
          {content}
        </button>
      ) : (
        content
      )}
      {props.onGrabEdge !== undefined && (
        <span
          className="vtable-edge"
          title="Drag to resize, double-click to reset"
          onPointerDown={props.onGrabEdge}
          onDoubleClick={props.onResetWidth}
        />
      )}
    </div>
  );
}

interface Drag {
  /**
   * @param by distance from where it was pressed
   * @param x position in the window
   */
  readonly onMove: (by: CssPixels, x: CssPixels) => void;
  /** @param isGivenUp cancelled by Escape or by the system */
  readonly onEnd: (isGivenUp: boolean) => void;
}

/** A shorter movement does not count as dragging. */
const SLACK: CssPixels = 5;

/** Calls nothing before the pointer has moved. After a drag, the click is suppressed. */
function followPointer(pressed: { readonly clientX: number }, { onMove, onEnd }: Drag): void {
  let isDrawing = false;
  const listening = new AbortController();
  const { signal } = listening;
  const end = (isGivenUp: boolean) => {
    listening.abort();
    if (!isDrawing) return;
    onEnd(isGivenUp);
    // If there is a click, it follows the release immediately.
    const swallow = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener('click', swallow, { capture: true }));
  };
  window.addEventListener(
    'pointermove',
    ({ clientX }) => {
      const by = clientX - pressed.clientX;
      isDrawing ||= Math.abs(by) >= SLACK;
      if (isDrawing) onMove(by, clientX);
    },
    { signal },
  );
  window.addEventListener('pointerup', () => end(false), { signal });
  window.addEventListener('pointercancel', () => end(true), { signal });
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !isDrawing) return;
      event.preventDefault();
      event.stopPropagation();
      end(true);
    },
    { signal, capture: true },
  );
}
