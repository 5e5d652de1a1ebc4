// biome-ignore-all lint/a11y/useSemanticElements: of a grid whose rows are placed, see VirtualTable.tsx
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid takes the keys
// biome-ignore-all lint/a11y/useKeyWithClickEvents: as above; a row is clicked only
import { Columns2 } from 'lucide-react';
import type { CSSProperties, MouseEvent } from 'react';
import { useHref } from './Link.tsx';
import type { Column } from './tableColumns.ts';

interface TableRowProps<Row> {
  readonly id: string;
  readonly index: number;
  /** Undefined while the row is on its way. */
  readonly row: Row | undefined;
  readonly columns: readonly Column<Row>[];
  readonly style: CSSProperties;
  readonly href: string | undefined;
  readonly mark: string | undefined;
  readonly isQuiet: boolean;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly onFocus: () => void;
  readonly onPress: (event: MouseEvent) => void;
  readonly onClick: (event: MouseEvent, index: number) => void;
  readonly onMenu: ((event: MouseEvent, index: number) => void) | undefined;
}

export function TableRow<Row>(props: TableRowProps<Row>) {
  const { index, row, columns, href, mark, onMenu } = props;
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
      // The keys stay with the table; Enter would follow the link of a row once clicked.
      onFocus={props.onFocus}
      aria-rowindex={index + 2}
      aria-selected={props.isSelected}
      className={className}
      style={props.style}
      onMouseDown={props.onPress}
      onClick={(event: MouseEvent) => props.onClick(event, index)}
      onContextMenu={onMenu === undefined ? undefined : (event: MouseEvent) => onMenu(event, index)}
    >
      {columns.map((column, i) => (
        <div key={column.id} role="gridcell" className={column.align === 'end' ? 'is-end' : undefined}>
          {i === 0 && mark !== undefined && (
            <span className="vtable-mark" role="img" aria-label={mark} title={mark}>
              <Columns2 size={8} strokeWidth={2.6} aria-hidden="true" />
            </span>
          )}
          {row === undefined ? <span className="skeleton" style={{ width: '60%' }} /> : column.cell(row)}
        </div>
      ))}
    </Tag>
  );
}
