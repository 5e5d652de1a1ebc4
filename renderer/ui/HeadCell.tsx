// biome-ignore-all lint/a11y/useSemanticElements: of a grid whose rows are placed, see VirtualTable.tsx
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid takes the keys
// biome-ignore-all lint/a11y/noStaticElementInteractions: edges are drawn with the pointer; a width has no key
import type { MouseEvent, PointerEvent } from 'react';
import type { Sort } from './sorting.ts';
import { type Column, columnName, type Direction } from './tableColumns.ts';

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly sorts: readonly Sort[];
  readonly onSort: ((column: string, direction: Direction, isFurther: boolean) => void) | undefined;
  /** What is drawn would come to stand before it. */
  readonly isDropPlace?: boolean;
  /** What is drawn would come to stand behind it, the last one. */
  readonly isDropEnd?: boolean;
  readonly onGrab?: ((event: PointerEvent<HTMLElement>) => void) | undefined;
  readonly onGrabEdge?: ((event: PointerEvent<HTMLElement>) => void) | undefined;
  readonly onResetWidth?: (() => void) | undefined;
  readonly onMenu?: ((event: MouseEvent) => void) | undefined;
}

const opposite = (direction: Direction): Direction =>
  direction === 'ascending' ? 'descending' : 'ascending';

export function HeadCell<Row>(props: HeadCellProps<Row>) {
  const { column, sorts, onSort } = props;
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
  const classes = [
    column.align === 'end' ? 'is-end' : '',
    props.isDropPlace === true ? 'is-drop-place' : '',
    props.isDropEnd === true ? 'is-drop-end' : '',
  ].filter((name) => name !== '');
  return (
    <div
      role="columnheader"
      data-column={column.id}
      aria-label={column.label === '' ? columnName(column) : undefined}
      className={classes.length === 0 ? undefined : classes.join(' ')}
      aria-sort={sort?.direction}
      title={column.hint}
      onPointerDown={props.onGrab}
      onContextMenu={props.onMenu}
    >
      {first === undefined || onSort === undefined ? (
        content
      ) : (
        <button
          type="button"
          onClick={(event) =>
            onSort(column.id, sort === undefined ? first : opposite(sort.direction), event.shiftKey)
          }
        >
          {content}
        </button>
      )}
      {props.onGrabEdge !== undefined && (
        <span
          className="vtable-edge"
          title="Draw for another width; double click: as it came"
          onPointerDown={props.onGrabEdge}
          onDoubleClick={props.onResetWidth}
        />
      )}
    </div>
  );
}
