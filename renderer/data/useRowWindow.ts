/**
 * Rows of the visible window of a list whose ids are all known. They are fetched in aligned chunks, so that scrolling
 * by one row requests nothing. A chunk that leaves the window before its response has arrived is cancelled, because
 * its query has no observer any more.
 */
import { useQueries } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { FIRST_ROWS, type GroupRow, type ParamsOf, type RolloutRow } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';
import { requestKey } from './useRequest.ts';

/** The first chunk comes with the list's order. */
const CHUNK = FIRST_ROWS;

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
  /** The chunks that have arrived. */
  readonly chunks: readonly (readonly Row[])[];
  readonly error: Error | undefined;
}

function useWindow<M extends 'group.rows' | 'rollout.rows', Row>(
  method: M,
  paramsOf: (ids: number[]) => ParamsOf<M>,
  idOf: (row: Row) => number,
  ids: Uint32Array | undefined,
  range: IndexRange,
): RowWindow<Row> {
  const chunks = useMemo(() => (ids === undefined ? [] : chunksOf(range, ids.length)), [ids, range]);
  const client = useClient();
  const results = useQueries({
    queries: chunks.map((chunk) => {
      const params = paramsOf(Array.from(ids?.subarray(chunk.first, chunk.end) ?? []));
      return {
        queryKey: requestKey(method, params),
        // The cast is safe: each of the two methods returns rows of its type.
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          client.request(method, params, { signal }) as Promise<unknown> as Promise<readonly Row[]>,
      };
    }),
  });
  const rows = new Map<number, Row>();
  for (const result of results) for (const row of result.data ?? []) rows.set(idOf(row), row);
  // A list that grew is divided into other chunks. Known rows stay on screen until the new chunks have arrived.
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
  return useWindow('group.rows', (groupIds) => ({ groupIds }), groupIdOf, ids, range);
}

export function useRolloutWindow(ids: Uint32Array | undefined, range: IndexRange): RowWindow<RolloutRow> {
  return useWindow('rollout.rows', (rolloutIds) => ({ rolloutIds }), rolloutIdOf, ids, range);
}

const NONE: IndexRange = { first: 0, end: 0 };

export function useRolloutsOf(ids: Uint32Array | undefined): {
  readonly rowOf: (rolloutId: number) => RolloutRow | undefined;
  readonly error: Error | undefined;
} {
  const range = useMemo<IndexRange>(() => (ids === undefined ? NONE : { first: 0, end: ids.length }), [ids]);
  const window = useRolloutWindow(ids, range);
  const rows = new Map<number, RolloutRow>();
  for (const chunk of window.chunks) for (const row of chunk) rows.set(row.rolloutId, row);
  return { rowOf: (rolloutId) => rows.get(rolloutId), error: window.error };
}
