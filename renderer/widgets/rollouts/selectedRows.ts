/** Rows of any places of a list whose ids are known: most of them are not loaded. */
import type { RowsOf } from '../../ui/SelectionBar.tsx';

/** As many as the host gives at once. */
const CHUNK = 500;

/** Asks for one chunk after the other, so that scrolling is not kept waiting. A row that is gone is left out. */
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
