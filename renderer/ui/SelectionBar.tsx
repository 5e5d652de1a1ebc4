/** What is selected in a table, and what can be done with it; or how far the reading of it has come. */
import type { ReactNode } from 'react';
import { Button } from './Controls.tsx';
import { count } from './numbers.ts';
import type { Copying } from './useTableCopy.ts';

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
