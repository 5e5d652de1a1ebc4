/** All rows in one line: differences, forks and breakpoint hits. Click or drag to go to a row. */
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import type { ComparedRow } from '../../../../shared/api/contract.ts';

interface RowScrubberProps {
  readonly rows: readonly ComparedRow[];
  readonly row: number;
  readonly forks: ReadonlyMap<number, readonly number[]>;
  readonly stopRows: ReadonlySet<number>;
  readonly hasOneLane: boolean;
  readonly onRow: (row: number) => void;
}

/** Width of the drawing's coordinate system. The drawing is stretched to the width of the strip. */
const WIDTH = 1_000;
const WIDEST = 26;
const NARROWEST = 1.2;

export function RowScrubber({ rows, row, forks, stopRows, hasOneLane, onRow }: RowScrubberProps) {
  const strip = useRef<HTMLDivElement>(null);
  const last = Math.max(0, rows.length - 1);
  const pathOf = useMemo(() => {
    const share = WIDTH / Math.max(1, rows.length);
    const width = Math.min(WIDEST, Math.max(share * 0.86, NARROWEST));
    return (isMarked: (index: number) => boolean, top: number, height: number) =>
      rows
        .flatMap((_, i) => {
          if (!isMarked(i)) return [];
          return `M${((i + 0.5) * share - width / 2).toFixed(2)} ${top}h${width.toFixed(2)}v${height}h-${width.toFixed(2)}z`;
        })
        .join('');
  }, [rows]);
  const drawn = useMemo(
    () => ({
      equal: pathOf((i) => rows[i]?.isEqual === true, 14, 4),
      different: pathOf((i) => rows[i]?.isEqual !== true, 10, 8),
      forks: pathOf((i) => forks.has(i), 8, 14),
      stops: pathOf((i) => stopRows.has(i), 0, 6),
    }),
    [pathOf, rows, forks, stopRows],
  );
  const seek = ({ clientX }: PointerEvent) => {
    const box = strip.current?.getBoundingClientRect();
    if (box === undefined || rows.length === 0) return;
    const share = (clientX - box.left) / Math.max(1, box.width);
    onRow(Math.max(0, Math.min(last, Math.floor(share * rows.length))));
  };
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    const to =
      event.key === 'Home' ? 0 : event.key === 'End' ? last : by === undefined ? undefined : row + by;
    if (to === undefined) return;
    event.preventDefault();
    onRow(Math.max(0, Math.min(last, to)));
  };
  const lower = hasOneLane ? 'one for each turn' : 'low: equal, high: different, black: forks';
  return (
    <div
      ref={strip}
      className="row-scrubber"
      role="slider"
      tabIndex={0}
      aria-label="Position in the comparison, by row"
      aria-valuemin={1}
      aria-valuemax={rows.length}
      aria-valuenow={row + 1}
      title={`Rows; ${lower}; above: breakpoint hits. Click or drag to move`}
      onKeyDown={step}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seek(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && seek(event)}
    >
      <svg viewBox={`0 0 ${WIDTH} 22`} preserveAspectRatio="none" aria-hidden="true">
        <path className="scrub-equal" d={drawn.equal} />
        <path className="scrub-different" d={drawn.different} />
        <path className="scrub-fork" d={drawn.forks} />
        <path className="scrub-stop" d={drawn.stops} />
      </svg>
      <i style={{ left: `${((row + 0.5) / Math.max(1, rows.length)) * 100}%` }} />
    </div>
  );
}
