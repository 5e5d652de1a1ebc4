/** The props of a table. */
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
  /** Applies `onToggle` to the row under the cursor; without it, toggles its selection. */
  toggle(): void;
  cursorHref(): string | undefined;
  /** The actions that are available now. */
  actions(): TableActions;
}

/** An action is absent if the table does not support it, or not at present. */
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
  /** 0 only with `hasListActions`. */
  readonly count: number;
  /** All selected rows, loaded or not, in list order. */
  readonly rows: (signal: AbortSignal) => Promise<readonly Row[]>;
}

interface TableSelection<Row> {
  /** Identity of the list. When it changes, the selection is cleared. */
  readonly of: unknown;
  /** Loads rows that are not loaded yet. Absent: `rowAt` has all rows. */
  readonly rowsOf?: RowsOf<Row>;
  readonly notify: (sentence: string) => void;
  readonly onCount?: (rows: number) => void;
  /** Actions besides copying. */
  readonly actions?: (selected: Selected<Row>) => ReactNode;
  /** Whether `actions` has some for the whole list, so that its bar is there without a selection. */
  readonly hasListActions?: boolean;
}

export interface VirtualTableProps<Row> {
  readonly label: string;
  /** All columns, in default order. */
  readonly columns: readonly Column<Row>[];
  /** Ids of columns without a value in any row. They are hidden, and the column picker marks them. */
  readonly unknown?: ReadonlySet<string>;
  /** The user's arrangement of columns. Absent: the default order. */
  readonly arrangement?: Arrangement;
  readonly count: number;
  /** Undefined while the row is loading. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Absent: determined by the arrangement's density. */
  readonly rowHeight?: CssPixels;
  readonly isQuiet?: (row: Row) => boolean;
  /** Title of a mark at the row's edge, for rows that the user has collected. */
  readonly markOf?: (row: Row) => string | undefined;
  /** One key, or several. The first has precedence. */
  readonly sort?: Sort | readonly Sort[];
  /** @param isFurther Shift was held: adds a key after the others */
  readonly onSort?: (column: string, direction: Direction, isFurther: boolean) => void;
  readonly canSortFurther?: boolean;
  readonly filter?: TableFilter<Row>;
  /** Absent: rows cannot be selected. */
  readonly selection?: TableSelection<Row>;
  readonly onOpen: (row: Row, index: number) => void;
  /** Called when Space is pressed on the row under the cursor. */
  readonly onToggle?: (row: Row) => void;
  /** The target of `onOpen`, which makes a row a link. A modified click is left to the browser. */
  readonly hrefOf?: (row: Row) => string;
  readonly onWindow?: (range: { readonly first: number; readonly end: number }) => void;
  /** The last position; read once. */
  readonly position?: TablePosition;
  readonly onPosition?: (position: TablePosition) => void;
  readonly handle?: Ref<TableHandle>;
}
