/** Chooses which columns a table shows, their order, and the density of rows. */
import { Columns3 } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Segmented } from './Controls.tsx';
import { type Arrangement, type Column, columnName, inOrder, movedBy, widenedBy } from './tableColumns.ts';
import type { CssPixels } from './virtualRows.ts';

interface ColumnPickerProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly unknown: ReadonlySet<string>;
  readonly arrangement: Arrangement;
  readonly hasDensity: boolean;
  /** The rendered width of a column. Undefined if it is hidden. */
  readonly widthOf: (id: string) => CssPixels | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

export function ColumnPicker<Row>(props: ColumnPickerProps<Row>) {
  const { columns, unknown, arrangement, hasDensity } = props;
  const { layout, arrange } = arrangement;
  const list = useRef<HTMLFieldSetElement>(null);
  const [resized, setResized] = useState('');
  const ordered = inOrder(columns, layout.order);
  const flip = (id: string) => {
    const { [id]: wasHidden, ...others } = layout.hidden;
    arrange({ hidden: wasHidden ? others : { ...others, [id]: true } });
  };
  const shown = ordered.filter(({ id }) => !unknown.has(id) && layout.hidden[id] !== true);
  const resize = (column: Column<Row>, by: -1 | 1) => {
    const width = widenedBy(layout.widths[column.id] ?? props.widthOf(column.id) ?? column.minWidth, by);
    arrange({ widths: { ...layout.widths, [column.id]: width } });
    setResized(`${columnName(column)}: ${width} px wide`);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, at: number) => {
    const column = ordered[at];
    const isBack = event.key === 'ArrowUp' || event.key === 'ArrowLeft';
    if (column === undefined || !(isBack || event.key === 'ArrowDown' || event.key === 'ArrowRight')) return;
    event.preventDefault();
    if (event.altKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight'))
      return resize(column, isBack ? -1 : 1);
    if (event.altKey) {
      const ids = ordered.map((column) => column.id);
      arrange({ order: movedBy(ids, column.id, isBack ? -1 : 1) });
      // The checkbox keeps its React key and so the focus. Scroll it back into view.
      requestAnimationFrame(() => document.activeElement?.scrollIntoView({ block: 'nearest' }));
      return;
    }
    const boxes = list.current?.querySelectorAll<HTMLInputElement>('input') ?? [];
    boxes[Math.max(0, Math.min(boxes.length - 1, at + (isBack ? -1 : 1)))]?.focus();
  };
  return (
    <Popover.Root open={props.isOpen} onOpenChange={props.onOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          className="vtable-pick"
          aria-label="Columns and density"
          title="Columns and density"
        >
          <Columns3 size={13} aria-hidden="true" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="menu column-picker" align="end" sideOffset={4} aria-label="Columns">
          {/* A fieldset that shrinks in its column does not cut off what it scrolls. */}
          <div className="column-picker-list">
            <fieldset ref={list} aria-label="Columns">
              {ordered.map((column, at) => (
                <label key={column.id} title={column.hint}>
                  <input
                    type="checkbox"
                    checked={layout.hidden[column.id] !== true}
                    // A table without columns has no head from which to show them again.
                    disabled={shown.length === 1 && shown[0]?.id === column.id}
                    onChange={() => flip(column.id)}
                    onKeyDown={(event) => onKeyDown(event, at)}
                  />
                  <span>{columnName(column)}</span>
                  {column.unit !== undefined && <small>{column.unit}</small>}
                  {layout.widths[column.id] !== undefined && <small>{layout.widths[column.id]} px</small>}
                  {unknown.has(column.id) && <small className="end">no data here</small>}
                </label>
              ))}
            </fieldset>
          </div>
          <p className="muted">
            Drag a column head to move it, its edge to resize it. Here, <kbd>Alt</kbd> with <kbd>↑</kbd>{' '}
            <kbd>↓</kbd> moves a column, <kbd>Alt</kbd> with <kbd>←</kbd> <kbd>→</kbd> resizes it.
          </p>
          <p className="visually-hidden" role="status">
            {resized}
          </p>
          <div className="column-picker-foot">
            {hasDensity && (
              <Segmented
                label="Density of all tables"
                chosen={arrangement.density}
                onChoose={arrangement.setDensity}
                choices={[
                  { id: 'comfortable', label: 'Comfortable', title: 'Rows of 28 px, in all tables' },
                  { id: 'compact', label: 'Compact', title: 'Rows of 22 px, in all tables' },
                ]}
              />
            )}
            <button type="button" className="button" onClick={arrangement.reset}>
              Reset columns
            </button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
