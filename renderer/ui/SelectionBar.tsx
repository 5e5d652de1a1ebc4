/** The bar for a table's selected rows, or for the whole table, and copying rows. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './Controls.tsx';
import { copyText } from './exportText.ts';
import { count, counted } from './numbers.ts';
import { type Column, tableTsv } from './tableColumns.ts';

interface SelectionBarProps {
  readonly selected: number;
  readonly copying: Copying | undefined;
  readonly onCopy: () => void;
  readonly onClear: () => void;
  /** Further actions. */
  readonly children: ReactNode;
}

export function SelectionBar({ selected, copying, onCopy, onClear, children }: SelectionBarProps) {
  return (
    <div
      className="selection-bar"
      role="toolbar"
      aria-label={selected > 0 || copying !== undefined ? 'Selected rows' : 'List'}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || (selected === 0 && copying === undefined)) return;
        // Escape clears the selection before it leaves the page.
        event.preventDefault();
        if (copying === undefined) onClear();
        else copying.cancel();
      }}
    >
      <p role="status">{selected > 0 && `${count(selected)} selected`}</p>
      {copying === undefined ? (
        <>
          {selected > 0 && (
            <Button onClick={onCopy} title="The visible columns, exact values (Ctrl or Cmd with C)">
              Copy as TSV
            </Button>
          )}
          {children}
          {selected > 0 && (
            <Button onClick={onClear} title="Esc">
              Clear
            </Button>
          )}
        </>
      ) : (
        <>
          <progress aria-label="Rows read" max={copying.total} value={copying.read} />
          <span className="muted">
            {count(copying.read)} of {count(copying.total)} rows read
          </span>
          <Button onClick={copying.cancel}>Cancel</Button>
        </>
      )}
    </div>
  );
}

/**
 * Loads rows at any positions of the list, in the order of `indexes`.
 * @param onRead called with the number of rows read so far
 * @throws if `signal` is aborted or the host fails
 */
export type RowsOf<Row> = (
  indexes: readonly number[],
  options: { readonly signal: AbortSignal; readonly onRead: (rows: number) => void },
) => Promise<readonly Row[]>;

interface Copying {
  readonly read: number;
  readonly total: number;
  readonly cancel: () => void;
}

/** Up to this many rows are read without showing progress at once. */
const MUCH = 500;

/** Copies rows as TSV, and passes the resulting notice to `notify`. */
export function useTableCopy<Row>(rowsOf: RowsOf<Row>, notify: (sentence: string) => void) {
  const [copying, setCopying] = useState<Copying>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const copy = async (columns: readonly Column<Row>[], indexes: readonly number[]) => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const total = indexes.length;
    const cancel = () => own.abort();
    // Many rows take long enough to show progress from the start.
    if (total > MUCH) setCopying({ read: 0, total, cancel });
    const onRead = (read: number) => {
      // A few rows arrive before anyone could read a progress message.
      if (!own.signal.aborted && read < total) setCopying({ read, total, cancel });
    };
    try {
      const rows = await rowsOf(indexes, { signal: own.signal, onRead });
      if (own.signal.aborted) return;
      const isCopied = await copyText(tableTsv(columns, rows));
      const what = columns.length === 1 ? ` of one column` : '';
      notify(
        isCopied
          ? `${counted(rows.length, 'row')}${what} copied as TSV`
          : 'The clipboard is not available here',
      );
    } catch (error) {
      if (!own.signal.aborted)
        notify(`The rows were not copied: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      if (running.current === own) {
        running.current = undefined;
        setCopying(undefined);
      }
    }
  };
  return { copying, copy };
}
