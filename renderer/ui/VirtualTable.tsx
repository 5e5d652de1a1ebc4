// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot place its rows; the grid roles say the same
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid takes the keys and names the row by aria-activedescendant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: as above; a row is clicked only
/**
 * A table of any length with a fixed row height. It owns scrolling and the cursor row; what the
 * rows hold, and how they are sorted, belongs to the view.
 */
import { Columns2 } from 'lucide-react';
import {
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { HeadCell } from './HeadCell.tsx';
import { useTakenFocus } from './useTakenFocus.ts';
import { type CssPixels, rowSpace, scrollTopShowing, visibleRows } from './virtualRows.ts';
import './virtualTable.css';

export type Direction = 'ascending' | 'descending';

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  readonly unit?: string;
  /** What the number is and where it comes from, as a tooltip. */
  readonly hint?: string;
  readonly align?: 'start' | 'end';
  readonly minWidth: CssPixels;
  /** Share of the spare width; 0 keeps the minimum. */
  readonly grow?: number;
  /** The direction of the first click; absent when the list cannot be sorted by it. */
  readonly sorts?: Direction;
  readonly cell: (row: Row) => ReactNode;
}

export interface TableHandle {
  move(rows: number): void;
  page(pages: number): void;
  moveTo(index: number): void;
  open(): void;
  toggle(): void;
  cursorHref(): string | undefined;
}

interface TablePosition {
  readonly scrollTop: CssPixels;
  readonly cursor: number;
}

interface VirtualTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly count: number;
  /** Undefined while the row is on its way. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly rowHeight?: CssPixels;
  readonly isQuiet?: (row: Row) => boolean;
  /** A row that stands out for what the reader did with it has a sign at its edge, with this title. */
  readonly markOf?: (row: Row) => string | undefined;
  readonly sort?: { readonly column: string; readonly direction: Direction };
  readonly onSort?: (column: string, direction: Direction) => void;
  readonly onOpen: (row: Row, index: number) => void;
  /** What Space does with the row under the cursor. */
  readonly onToggle?: (row: Row) => void;
  /** Where `onOpen` leads, so that a row is a link: a modified click keeps its meaning in the browser. */
  readonly hrefOf?: (row: Row) => string;
  readonly onWindow?: (range: { readonly first: number; readonly end: number }) => void;
  /** Where the list was left; read once. */
  readonly position?: TablePosition;
  readonly onPosition?: (position: TablePosition) => void;
  readonly handle?: Ref<TableHandle>;
}

const HEAD_HEIGHT: CssPixels = 30;
const ROW_HEIGHT: CssPixels = 28;
const OVERSCAN = 8;
const GAP = 14;
const PADDING = 24;

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { columns, count, rowAt, onOpen, onWindow, onPosition, rowHeight = ROW_HEIGHT } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(props.position?.scrollTop ?? 0);
  const [viewport, setViewport] = useState<CssPixels>(600);
  const [wanted, setCursor] = useState(props.position?.cursor ?? 0);
  const cursor = Math.min(wanted, Math.max(0, count - 1));
  const space = rowSpace(count, rowHeight, viewport);
  const shown = visibleRows(space, scrollTop, OVERSCAN);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setViewport(Math.max(rowHeight, element.clientHeight - HEAD_HEIGHT)),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight]);

  useTakenFocus(scroller);

  // The place where the list was left can only be restored once there are rows to scroll over.
  const restoreTo = useRef(props.position?.scrollTop ?? 0);
  useLayoutEffect(() => {
    if (count === 0 || restoreTo.current === 0 || scroller.current === null) return;
    scroller.current.scrollTop = restoreTo.current;
    restoreTo.current = 0;
  }, [count]);

  useEffect(() => onWindow?.({ first: shown.first, end: shown.end }), [onWindow, shown.first, shown.end]);
  useEffect(() => onPosition?.({ scrollTop, cursor: wanted }), [onPosition, scrollTop, wanted]);

  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index));
    setCursor(next);
    const element = scroller.current;
    if (element !== null) element.scrollTop = scrollTopShowing(space, element.scrollTop, next);
  };
  const hrefOf = (row: Row | undefined) => (row === undefined ? undefined : props.hrefOf?.(row));
  const open = (index: number) => {
    const row = rowAt(index);
    if (row !== undefined) onOpen(row, index);
  };
  useImperativeHandle(props.handle, () => ({
    move: (rows) => moveTo(cursor + rows),
    page: (pages) => moveTo(cursor + pages * Math.max(1, Math.floor(viewport / rowHeight) - 1)),
    moveTo,
    open: () => open(cursor),
    toggle: () => {
      const row = rowAt(cursor);
      if (row !== undefined) props.onToggle?.(row);
    },
    cursorHref: () => hrefOf(rowAt(cursor)),
  }));

  const tracks = columns.map((c) => `minmax(${c.minWidth}px, ${c.grow ?? 1}fr)`).join(' ');
  const minWidth = columns.reduce((sum, c) => sum + c.minWidth + GAP, PADDING - GAP);
  const rowStyle = { gridTemplateColumns: tracks, minWidth };
  const indexes = Array.from({ length: Math.max(0, shown.end - shown.first) }, (_, i) => shown.first + i);

  return (
    <div
      ref={scroller}
      className="vtable"
      role="grid"
      aria-label={props.label}
      aria-rowcount={count + 1}
      aria-activedescendant={count > 0 ? `${id}-${cursor}` : undefined}
      tabIndex={0}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
    >
      <div className="vtable-head" role="row" style={rowStyle}>
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
        ))}
      </div>
      <div className="vtable-spacer" style={{ height: space.spacer, minWidth }}>
        <div className="vtable-rows" style={{ transform: `translateY(${shown.top}px)` }}>
          {indexes.map((index) => {
            const row = rowAt(index);
            const isQuiet = row !== undefined && props.isQuiet?.(row) === true;
            const mark = row === undefined ? undefined : props.markOf?.(row);
            const href = hrefOf(row);
            const Tag = href === undefined ? 'div' : 'a';
            return (
              <Tag
                key={index}
                id={`${id}-${index}`}
                role="row"
                href={href}
                tabIndex={href === undefined ? undefined : -1}
                draggable={false}
                // The keys stay with the table; Enter would follow the link of a row once clicked.
                onFocus={() => scroller.current?.focus({ preventScroll: true })}
                aria-rowindex={index + 2}
                aria-selected={index === cursor}
                className={isQuiet ? 'vtable-row is-quiet' : 'vtable-row'}
                style={{ ...rowStyle, height: rowHeight, lineHeight: `${rowHeight - 1}px` }}
                onClick={(event: MouseEvent) => {
                  setCursor(index);
                  if (href !== undefined && isModified(event)) return;
                  event.preventDefault();
                  open(index);
                }}
              >
                {columns.map((column, i) => (
                  <div
                    key={column.id}
                    role="gridcell"
                    className={column.align === 'end' ? 'is-end' : undefined}
                  >
                    {i === 0 && mark !== undefined && (
                      <span className="vtable-mark" role="img" aria-label={mark} title={mark}>
                        <Columns2 size={8} strokeWidth={2.6} aria-hidden="true" />
                      </span>
                    )}
                    {row === undefined ? (
                      <span className="skeleton" style={{ width: '60%' }} />
                    ) : (
                      column.cell(row)
                    )}
                  </div>
                ))}
              </Tag>
            );
          })}
        </div>
      </div>
    </div>
  );
}

const isModified = (event: MouseEvent) => event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
