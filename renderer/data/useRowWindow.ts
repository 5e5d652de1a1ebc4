/**
 * Rows of the visible window of a list whose ids are all known. Fetched in aligned chunks, so
 * that scrolling by one row asks for nothing; a chunk that leaves the window before its answer
 * came is cancelled, because its query has no observer any more.
 */
import { useQueries } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import type { GroupRow, RolloutRow } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';

const CHUNK = 100;

export interface IndexRange {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

export function chunksOf(range: IndexRange, count: number): readonly IndexRange[] {
  const chunks: IndexRange[] = [];
  const end = Math.min(range.end, count);
  for (let first = Math.floor(range.first / CHUNK) * CHUNK; first < end; first += CHUNK) {
    chunks.push({ first, end: Math.min(first + CHUNK, count) });
  }
  return chunks;
}

interface RowWindow<Row> {
  readonly rowAt: (index: number) => Row | undefined;
  /** The chunks that have arrived, whole. */
  readonly chunks: readonly (readonly Row[])[];
  readonly error: Error | undefined;
}

function useWindow<Row>(
  method: 'group.rows' | 'rollout.rows',
  fetchRows: (ids: number[], signal: AbortSignal) => Promise<readonly Row[]>,
  idOf: (row: Row) => number,
  ids: Uint32Array | undefined,
  range: IndexRange,
): RowWindow<Row> {
  const chunks = useMemo(() => (ids === undefined ? [] : chunksOf(range, ids.length)), [ids, range]);
  const results = useQueries({
    queries: chunks.map((chunk) => {
      const chunkIds = Array.from(ids?.subarray(chunk.first, chunk.end) ?? []);
      return {
        queryKey: [method, chunkIds] as const,
        queryFn: ({ signal }: { signal: AbortSignal }) => fetchRows(chunkIds, signal),
      };
    }),
  });
  const rows = new Map<number, Row>();
  for (const result of results) for (const row of result.data ?? []) rows.set(idOf(row), row);
  // A list that has grown is cut into other chunks; rows that were there stay in sight until theirs has come.
  const former = useRef<ReadonlyMap<number, Row>>(rows);
  for (const chunk of chunks) {
    for (let i = chunk.first; i < chunk.end; i += 1) {
      const id = ids?.[i];
      const row = id === undefined || rows.has(id) ? undefined : former.current.get(id);
      if (id !== undefined && row !== undefined) rows.set(id, row);
    }
  }
  former.current = rows;
  return {
    rowAt: (index) => {
      const id = ids?.[index];
      return id === undefined ? undefined : rows.get(id);
    },
    chunks: results.flatMap((result) => (result.data === undefined ? [] : [result.data])),
    error: results.find((result) => result.error !== null)?.error ?? undefined,
  };
}

const groupIdOf = (row: GroupRow) => row.groupId;
const rolloutIdOf = (row: RolloutRow) => row.rolloutId;

export function useGroupWindow(ids: Uint32Array | undefined, range: IndexRange): RowWindow<GroupRow> {
  const client = useClient();
  const fetchRows = (groupIds: number[], signal: AbortSignal) =>
    client.request('group.rows', { groupIds }, { signal });
  return useWindow('group.rows', fetchRows, groupIdOf, ids, range);
}

export function useRolloutWindow(ids: Uint32Array | undefined, range: IndexRange): RowWindow<RolloutRow> {
  const client = useClient();
  const fetchRows = (rolloutIds: number[], signal: AbortSignal) =>
    client.request('rollout.rows', { rolloutIds }, { signal });
  return useWindow('rollout.rows', fetchRows, rolloutIdOf, ids, range);
}
