// biome-ignore-all lint/a11y/useSemanticElements: of a grid whose rows are placed, see VirtualTable.tsx
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid takes the keys
import type { Column, Direction } from './VirtualTable.tsx';

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly sort: { readonly column: string; readonly direction: Direction } | undefined;
  readonly onSort: ((column: string, direction: Direction) => void) | undefined;
}

const opposite = (direction: Direction): Direction =>
  direction === 'ascending' ? 'descending' : 'ascending';

export function HeadCell<Row>({ column, sort, onSort }: HeadCellProps<Row>) {
  const isSorted = sort?.column === column.id;
  const first = column.sorts;
  const content = (
    <>
      {column.label}
      {column.unit !== undefined && <span className="unit">{column.unit}</span>}
      {isSorted && <span className="arrow">{sort?.direction === 'ascending' ? '▲' : '▼'}</span>}
    </>
  );
  return (
    <div
      role="columnheader"
      className={column.align === 'end' ? 'is-end' : undefined}
      aria-sort={isSorted ? sort?.direction : undefined}
      title={column.hint}
    >
      {first === undefined || onSort === undefined ? (
        content
      ) : (
        <button
          type="button"
          onClick={() => onSort(column.id, isSorted && sort !== undefined ? opposite(sort.direction) : first)}
        >
          {content}
        </button>
      )}
    </div>
  );
}
