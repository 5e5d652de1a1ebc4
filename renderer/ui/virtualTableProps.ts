/** What a table is given by a view. */
import type { ReactNode, Ref } from 'react';
import type { RowsOf } from './SelectionBar.tsx';
import type { Sort } from './sorting.ts';
import type { Arrangement, Column, Direction } from './tableColumns.ts';
import type { TableFilter } from './useTableMenus.ts';
import type { CssPixels } from './virtualRows.ts';

export interface TableHandle {
  move(rows: number): void;
  page(pages: number): void;
  moveTo(index: number): void;
  open(): void;
  /** The row under the cursor, as `onToggle` has it, else into or out of the selection. */
  toggle(): void;
  cursorHref(): string | undefined;
  /** What can be done with it now, and by which call. */
  actions(): TableActions;
}

/** Absent: not with this table, or not now. */
interface TableActions {
  readonly pickColumns?: () => void;
  readonly flipDensity?: () => void;
  readonly selectAll?: () => void;
  readonly copySelected?: () => void;
}

interface TablePosition {
  readonly scrollTop: CssPixels;
  readonly cursor: number;
}

export interface Selected<Row> {
  readonly count: number;
  /** All of them, loaded or not, in order of the list. */
  readonly rows: (signal: AbortSignal) => Promise<readonly Row[]>;
}

interface TableSelection<Row> {
  /** What the places are of: with another one nothing is selected. */
  readonly of: unknown;
  /** Rows that are not here; absent: all are, by `rowAt`. */
  readonly rowsOf?: RowsOf<Row>;
  readonly notify: (sentence: string) => void;
  readonly onCount?: (rows: number) => void;
  /** What else can be done with them than to copy them. */
  readonly actions?: (selected: Selected<Row>) => ReactNode;
}

export interface VirtualTableProps<Row> {
  readonly label: string;
  /** All there are, as they come. */
  readonly columns: readonly Column<Row>[];
  /** Ids of columns that no row has a value for: not shown, and listed as such. */
  readonly unknown?: ReadonlySet<string>;
  /** How the reader has arranged the columns; absent: they stand as they come. */
  readonly arrangement?: Arrangement;
  readonly count: number;
  /** Undefined while the row is on its way. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Absent: by the density of the arrangement. */
  readonly rowHeight?: CssPixels;
  readonly isQuiet?: (row: Row) => boolean;
  /** A row that stands out for what the reader did with it has a sign at its edge, with this title. */
  readonly markOf?: (row: Row) => string | undefined;
  /** One key, or several of which the first decides. */
  readonly sort?: Sort | readonly Sort[];
  /** @param isFurther Shift was held: a key behind the others */
  readonly onSort?: (column: string, direction: Direction, isFurther: boolean) => void;
  readonly canSortFurther?: boolean;
  readonly filter?: TableFilter<Row>;
  /** Absent: rows cannot be selected. */
  readonly selection?: TableSelection<Row>;
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
