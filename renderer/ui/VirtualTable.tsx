// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot position its rows; the grid roles are equivalent
/**
 * A table of any length with a fixed row height. It owns scrolling, the cursor row and the selection. The view owns
 * the rows' contents, their sorting and the arrangement of columns.
 */
import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { ColumnPicker } from './ColumnPicker.tsx';
import { SelectionBar, useTableCopy } from './SelectionBar.tsx';
import { sortsText } from './sorting.ts';
import { isMenuKey, TableHead } from './TableHead.tsx';
import { TableMenu } from './TableMenu.tsx';
import { type RowHandlers, TableRow } from './TableRow.tsx';
import {
  type Arrangement,
  AS_THEY_CAME,
  rowStyleOf,
  shownColumns,
  type TableLayout,
} from './tableColumns.ts';
import { selectedIndexes, useRowSelection } from './useRowSelection.ts';
import { useTableMenus } from './useTableMenus.ts';
import { useOpening, useRowKeys, useRowScroll, useStagedRows } from './useTableRows.ts';
import type { VirtualTableProps } from './virtualTableProps.ts';
import './virtualTable.css';

export type { Column, Direction } from './tableColumns.ts';
export type { TableHandle } from './virtualTableProps.ts';

const ROW_HEIGHTS = { comfortable: 28, compact: 22 } as const;
const NO_IDS: ReadonlySet<string> = new Set();
const nothing = (): void => undefined;
const NO_HANDLERS: RowHandlers = { onFocus: nothing, onPress: nothing, onClick: nothing, onMenu: undefined };

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { count, rowAt, onOpen, onWindow, onPosition, arrangement, selection: selecting } = props;
  const rowHeight = props.rowHeight ?? ROW_HEIGHTS[arrangement?.density ?? 'comfortable'];
  const id = useId();
  const scroll = useRowScroll(count, rowHeight, props.position?.scrollTop ?? 0);
  const { scroller, scrollTop, viewport, space, shown } = scroll;
  const [wanted, setCursor] = useState(props.position?.cursor ?? 0);
  const [isPicking, setPicking] = useState(false);
  const [drawn, setDrawn] = useState<TableLayout['widths']>();
  const cursor = Math.min(wanted, Math.max(0, count - 1));
  useEffect(() => onWindow?.({ first: shown.first, end: shown.end }), [onWindow, shown.first, shown.end]);
  useEffect(() => onPosition?.({ scrollTop, cursor: wanted }), [onPosition, scrollTop, wanted]);

  const { open, forget } = useOpening(rowAt, onOpen);
  const hasMoved = useRef(false);
  // In a low window, the page has to scroll, too.
  useEffect(() => {
    const row = hasMoved.current ? document.getElementById(`${id}-${cursor}`) : null;
    if (row === null) return;
    hasMoved.current = false;
    row.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  const moveTo = (index: number) => {
    forget();
    hasMoved.current = true;
    const next = Math.max(0, Math.min(count - 1, index));
    setCursor(next);
    scroll.show(next);
  };
  const rowsHere = async (indexes: readonly number[]) => indexes.flatMap((index) => rowAt(index) ?? []);
  const rowsOf = selecting?.rowsOf ?? rowsHere;
  const picked = useRowSelection({
    isOn: selecting !== undefined,
    count,
    cursor,
    of: selecting?.of,
    moveTo,
    onCount: selecting?.onCount,
  });
  const { copying, copy } = useTableCopy(rowsOf, selecting?.notify ?? noOne);
  const hrefOf = (row: Row | undefined) => (row === undefined ? undefined : props.hrefOf?.(row));
  useImperativeHandle(props.handle, () => ({
    move: (rows) => moveTo(cursor + rows),
    page: (pages) => moveTo(cursor + pages * Math.max(1, Math.floor(viewport / rowHeight) - 1)),
    moveTo,
    open: () => open(cursor),
    toggle: () => {
      const row = rowAt(cursor);
      if (props.onToggle === undefined) picked.flip(cursor);
      else if (row !== undefined) props.onToggle(row);
    },
    cursorHref: () => hrefOf(rowAt(cursor)),
    actions: () => ({
      ...(arrangement === undefined ? {} : { pickColumns: () => afterFocus(() => setPicking(true)) }),
      ...(arrangement === undefined || props.rowHeight !== undefined
        ? {}
        : { flipDensity: () => flipDensity(arrangement) }),
      ...(selecting === undefined || count === 0 ? {} : { selectAll: picked.all }),
      ...(picked.selected === 0 ? {} : { copySelected }),
    }),
  }));

  const layout = arrangement?.layout ?? AS_THEY_CAME;
  const unknown = props.unknown ?? NO_IDS;
  const columns = useMemo(
    () => shownColumns(props.columns, layout, unknown),
    [props.columns, layout, unknown],
  );
  const sorts = props.sort === undefined ? [] : 'column' in props.sort ? [props.sort] : props.sort;
  const widths = drawn ?? layout.widths;
  const sorted = sortsText(sorts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `sorted` identifies the sorts, whose array is new on every render
  const rowStyle = useMemo(() => rowStyleOf(columns, widths, sorts), [columns, widths, sorted]);
  const placedStyle = useMemo(
    () => ({ ...rowStyle, height: rowHeight, lineHeight: `${rowHeight - 1}px` }),
    [rowStyle, rowHeight],
  );
  const indexes = Array.from({ length: Math.max(0, shown.end - shown.first) }, (_, i) => shown.first + i);
  const keyOf = useRowKeys(shown);
  const isDrawn = useStagedRows(shown, (index) => rowAt(index) !== undefined);
  const focus = () => scroller.current?.focus({ preventScroll: true });
  const isSelecting = picked.selected > 0;

  const copySelected = () => void copy(columns, selectedIndexes(picked.rows));
  const clear = () => {
    picked.clear();
    focus();
  };
  const menus = useTableMenus({ props, columns, sorts, picked, copy, setCursor });
  const onKeyDown = (event: KeyboardEvent) => {
    const isCopy = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'c' && !event.shiftKey;
    if (event.target !== scroller.current) return;
    if (isMenuKey(event) && menus.openRow) menus.openRow(cursor, document.getElementById(`${id}-${cursor}`));
    else if (isCopy && isSelecting && !event.altKey) copySelected();
    else if (event.key === 'Escape' && copying !== undefined) copying.cancel();
    else if (!picked.onKeyDown(event)) return;
    event.preventDefault();
  };
  const onRowClick = (event: MouseEvent, index: number) => {
    setCursor(index);
    if (picked.onClick(event, index)) {
      event.preventDefault();
      focus();
      return;
    }
    if (props.hrefOf !== undefined && isModified(event)) return;
    event.preventDefault();
    open(index);
  };
  const handlers = useRef<RowHandlers>(NO_HANDLERS);
  handlers.current = {
    onFocus: focus,
    onPress: (event) => selecting !== undefined && event.shiftKey && event.preventDefault(),
    onClick: onRowClick,
    onMenu: menus.openCell,
  };
  return (
    <div className={arrangement === undefined ? 'vtable-frame' : 'vtable-frame has-picker'}>
      <div
        ref={scroller}
        className="vtable"
        role="grid"
        aria-label={props.label}
        aria-rowcount={count + 1}
        aria-multiselectable={selecting !== undefined || undefined}
        aria-activedescendant={cursor >= shown.first && cursor < shown.end ? `${id}-${cursor}` : undefined}
        tabIndex={0}
        onScroll={scroll.onScroll}
        onKeyDown={onKeyDown}
      >
        <TableHead
          columns={columns}
          all={props.columns}
          style={rowStyle}
          sorts={sorts}
          onSort={props.onSort}
          arrangement={arrangement}
          onWidths={setDrawn}
          onMenu={menus.openHead}
        />
        <div className="vtable-spacer" style={{ height: space.spacer, minWidth: rowStyle.minWidth }}>
          <div className="vtable-rows" style={{ transform: `translateY(${shown.top}px)` }}>
            {indexes.map((index) => {
              const row = isDrawn(index) ? rowAt(index) : undefined;
              return (
                <TableRow
                  key={keyOf(index)}
                  id={`${id}-${index}`}
                  index={index}
                  row={row}
                  columns={columns}
                  style={placedStyle}
                  href={hrefOf(row)}
                  mark={row === undefined ? undefined : props.markOf?.(row)}
                  isQuiet={row !== undefined && props.isQuiet?.(row) === true}
                  isCursor={index === cursor}
                  // Without a selection, actions apply to the row under the cursor.
                  isSelected={isSelecting ? picked.has(index) : index === cursor}
                  handlers={handlers}
                />
              );
            })}
          </div>
        </div>
      </div>
      {arrangement !== undefined && (
        <ColumnPicker
          columns={props.columns}
          unknown={unknown}
          arrangement={arrangement}
          hasDensity={props.rowHeight === undefined}
          widthOf={(id) => headWidth(scroller.current, id)}
          isOpen={isPicking}
          onOpen={setPicking}
        />
      )}
      {(isSelecting || copying !== undefined || selecting?.hasListActions === true) && (
        <SelectionBar selected={picked.selected} copying={copying} onCopy={copySelected} onClear={clear}>
          {selecting?.actions?.({
            count: picked.selected,
            rows: (signal) => rowsOf(selectedIndexes(picked.rows), { signal, onRead: noOne }),
          })}
        </SelectionBar>
      )}
      <TableMenu menu={menus.menu} onClose={menus.close} onFocus={focus} />
    </div>
  );
}

const headWidth = (table: HTMLElement | null, id: string) =>
  table?.querySelector(`[data-column="${CSS.escape(id)}"]`)?.getBoundingClientRect().width;
const noOne = () => undefined;
/** Waits a frame, so that the focus returned by a closing dialog does not close what opens next. */
const afterFocus = (act: () => void) => requestAnimationFrame(() => setTimeout(act));
const flipDensity = ({ density, setDensity }: Arrangement) =>
  setDensity(density === 'compact' ? 'comfortable' : 'compact');
const isModified = (event: MouseEvent) => event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
