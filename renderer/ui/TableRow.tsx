// biome-ignore-all lint/a11y/useSemanticElements: a real table cannot position its rows, see VirtualTable.tsx
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid handles the keys
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys, a row only clicks
import { Columns2 } from 'lucide-react';
import { type CSSProperties, type MouseEvent, memo, type RefObject } from 'react';
import { useHref } from './Link.tsx';
import type { Column } from './tableColumns.ts';

interface TableRowProps<Row> {
  readonly id: string;
  readonly index: number;
  /** Undefined while the row is loading. */
  readonly row: Row | undefined;
  readonly columns: readonly Column<Row>[];
  readonly style: CSSProperties;
  readonly href: string | undefined;
  readonly mark: string | undefined;
  readonly isQuiet: boolean;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  /** The same object for the table's lifetime, so that visible rows do not render on every scroll event. */
  readonly handlers: RefObject<RowHandlers>;
}

/** The table's current handlers for a row. */
export interface RowHandlers {
  readonly onFocus: () => void;
  readonly onPress: (event: MouseEvent) => void;
  readonly onClick: (event: MouseEvent, index: number) => void;
  readonly onMenu: ((event: MouseEvent, index: number) => void) | undefined;
}

function PlainRow<Row>(props: TableRowProps<Row>) {
  const { index, row, columns, href, mark, handlers } = props;
  const resolve = useHref();
  const Tag = href === undefined ? 'div' : 'a';
  const className = `vtable-row${props.isQuiet ? ' is-quiet' : ''}${props.isCursor ? ' is-cursor' : ''}`;
  return (
    <Tag
      id={props.id}
      role="row"
      href={href === undefined ? undefined : resolve(href)}
      tabIndex={href === undefined ? undefined : -1}
      draggable={false}
      // The table keeps the keys. Otherwise Enter would follow the link of a clicked row.
      onFocus={() => handlers.current.onFocus()}
      aria-rowindex={index + 2}
      aria-selected={props.isSelected}
      className={className}
      style={props.style}
      onMouseDown={(event: MouseEvent) => handlers.current.onPress(event)}
      onClick={(event: MouseEvent) => handlers.current.onClick(event, index)}
      onContextMenu={(event: MouseEvent) => handlers.current.onMenu?.(event, index)}
    >
      {row === undefined && (
        // A loading row is a single element, since a jump brings a whole viewport of them.
        <div role="gridcell" aria-colspan={columns.length} className="vtable-waiting">
          <span className="skeleton" />
        </div>
      )}
      {row !== undefined &&
        columns.map((column, i) => (
          <div key={column.id} role="gridcell" className={column.align === 'end' ? 'is-end' : undefined}>
            {i === 0 && mark !== undefined && (
              <span className="vtable-mark" role="img" aria-label={mark} title={mark}>
                <Columns2 size={8} strokeWidth={2.6} aria-hidden="true" />
              </span>
            )}
            {column.cell(row)}
          </div>
        ))}
    </Tag>
  );
}

export const TableRow = memo(PlainRow) as typeof PlainRow;
