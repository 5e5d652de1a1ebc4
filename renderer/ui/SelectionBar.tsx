/** The bar of a table's selected rows, and copying them. */
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
      aria-label="Selected rows"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Esc lets go of the rows before it leaves the page.
        event.preventDefault();
        if (copying === undefined) onClear();
        else copying.cancel();
      }}
    >
      <p role="status">{selected > 0 && `${count(selected)} selected`}</p>
      {copying === undefined ? (
        selected > 0 && (
          <>
            <Button onClick={onCopy} title="The visible columns, exact values (Ctrl or Cmd with C)">
              Copy as TSV
            </Button>
            {children}
            <Button onClick={onClear} title="Esc">
              Clear
            </Button>
          </>
        )
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
 * Rows of places of the list, loaded or not, in the order asked for.
 * @param onRead how many have come @throws as `signal` is aborted, or as the host fails
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

/** Rows that are read at once, without a word. */
const MUCH = 500;

/** Copies rows as TSV; what is to be said of it goes to `notify`. */
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
    // Enough to wait for: said from the first moment.
    if (total > MUCH) setCopying({ read: 0, total, cancel });
    const onRead = (read: number) => {
      // Few rows are there before anyone could read of it.
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
