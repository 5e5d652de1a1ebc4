// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scroll container must be focusable to be scrolled by keys
/**
 * Text too large for an editor: rows with a fixed number of characters, of which only the visible ones are in the DOM.
 */
import { useLayoutEffect, useMemo, useState } from 'react';
import { SourceText } from './SourceText.tsx';
import { useVirtualRows } from './useVirtualRows.ts';
import './virtualText.css';

interface VirtualTextProps {
  readonly text: string;
  readonly label: string;
  /** Called when the end of `text` becomes visible. */
  readonly onNearEnd?: () => void;
}

const ROW_HEIGHT = 20;
const OVERSCAN = 20;

export function VirtualText({ text, label, onNearEnd }: VirtualTextProps) {
  const [columns, setColumns] = useState(120);
  const rows = useMemo(() => textRows(text, columns), [text, columns]);
  const { scroller, onScroll, space, shown } = useVirtualRows<HTMLElement>({
    count: rows.length,
    rowHeight: ROW_HEIGHT,
    overscan: OVERSCAN,
  });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const probe = element.querySelector('.virtual-text-probe');
    const observer = new ResizeObserver(() => {
      const character = (probe?.getBoundingClientRect().width ?? 76) / 10;
      setColumns(Math.max(20, Math.floor((element.clientWidth - 90) / character)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);

  const indexes = Array.from({ length: shown.end - shown.first }, (_, i) => shown.first + i);
  return (
    <section
      ref={scroller}
      className="virtual-text"
      aria-label={label}
      tabIndex={0}
      onScroll={(event) => {
        const element = event.currentTarget;
        onScroll(event);
        if (element.scrollTop + element.clientHeight * 3 >= element.scrollHeight) onNearEnd?.();
      }}
    >
      <span className="virtual-text-probe" aria-hidden="true">
        0000000000
      </span>
      <div style={{ height: space.spacer, position: 'relative' }}>
        <div className="virtual-text-rows" style={{ transform: `translateY(${shown.top}px)` }}>
          {indexes.map((index) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div key={row.start} className="virtual-text-row">
                <span className="dim">{row.line ?? ''}</span>
                <span>
                  <SourceText text={text.slice(row.start, row.end)} />
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}

interface TextRow {
  readonly start: number;
  /** Exclusive. Without the newline. */
  readonly end: number;
  /** Line number from 1, on the first row of a line. Continuation rows have none. */
  readonly line?: number;
}

/** Rows of at most `columns` UTF-16 units. Surrogate pairs are not split. */
export function textRows(text: string, columns: number): readonly TextRow[] {
  const rows: TextRow[] = [];
  let line = 0;
  for (let lineStart = 0; lineStart <= text.length; ) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    line += 1;
    let start = lineStart;
    do {
      let end = Math.min(lineEnd, start + columns);
      if (end < lineEnd && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
      rows.push(start === lineStart ? { start, end, line } : { start, end });
      start = end;
    } while (start < lineEnd);
    lineStart = lineEnd + 1;
  }
  return rows;
}
