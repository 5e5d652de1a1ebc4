/** Loads rows at any positions of a list whose ids are known. */
import type { RowsOf } from '../../ui/SelectionBar.tsx';

/** The host's maximum per request. */
const CHUNK = 500;

/**
 * Requests the chunks sequentially, so that they do not delay requests for scrolling. Leaves out rows that no longer
 * exist.
 */
export function rowsById<Row>(
  ids: Uint32Array,
  fetchRows: (ids: number[], signal: AbortSignal) => Promise<readonly Row[]>,
  idOf: (row: Row) => number,
): RowsOf<Row> {
  return async (indexes, { signal, onRead }) => {
    const rows: Row[] = [];
    for (let first = 0; first < indexes.length; first += CHUNK) {
      signal.throwIfAborted();
      const wanted = indexes.slice(first, first + CHUNK).flatMap((index) => ids[index] ?? []);
      const byId = new Map((await fetchRows(wanted, signal)).map((row) => [idOf(row), row]));
      for (const id of wanted) {
        const row = byId.get(id);
        if (row !== undefined) rows.push(row);
      }
      onRead(Math.min(indexes.length, first + CHUNK));
    }
    return rows;
  };
}
