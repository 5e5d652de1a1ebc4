/**
 * The quick filter of a list: which of the ordered ids have rows whose words match. It reads the
 * rows of the list itself, so it sees what the columns show; searching the text of all rollouts is
 * another matter. Beyond `MOST` rows it says how many it has looked at.
 */
import { useQueries } from '@tanstack/react-query';
import type { GroupRow, RolloutRow } from '../../shared/api/contract.ts';
import { useClient } from './DataProvider.tsx';

const MOST = 20_000;
/** The contract's limit per request. */
const CHUNK = 500;

interface Kinds {
  readonly 'group.rows': GroupRow;
  readonly 'rollout.rows': RolloutRow;
}

export interface FilteredIds {
  readonly ids: Uint32Array | undefined;
  readonly isComplete: boolean;
  /** Rows looked at; fewer than the list has when it is longer than the limit. */
  readonly looked: number;
}

export function groupWords(row: GroupRow): string {
  return [row.problemId, row.promptPreview, row.groundTruth].join(' ').toLowerCase();
}

export function rolloutWords(row: RolloutRow): string {
  const parts = [
    `#${row.ordinal}`,
    row.problemId,
    row.answer,
    row.stopReason,
    row.reason?.replaceAll('_', ' '),
  ];
  return parts.join(' ').toLowerCase();
}

/** Every word of the filter must occur. */
export function matchesWords(words: string, filter: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

function useFiltered<Kind extends keyof Kinds>(
  kind: Kind,
  ids: Uint32Array | undefined,
  filter: string,
  fetchRows: (ids: number[], signal: AbortSignal) => Promise<readonly Kinds[Kind][]>,
  match: (row: Kinds[Kind]) => number | undefined,
): FilteredIds {
  const isActive = filter.trim() !== '' && ids !== undefined;
  const looked = isActive ? Math.min(ids.length, MOST) : 0;
  const starts = Array.from({ length: Math.ceil(looked / CHUNK) }, (_, i) => i * CHUNK);
  const results = useQueries({
    queries: starts.map((start) => {
      const chunk = Array.from(ids?.subarray(start, Math.min(start + CHUNK, looked)) ?? []);
      return {
        queryKey: [kind, chunk] as const,
        queryFn: ({ signal }: { signal: AbortSignal }) => fetchRows(chunk, signal),
      };
    }),
  });
  if (!isActive) return { ids, isComplete: true, looked: ids?.length ?? 0 };
  const matching = new Set<number>();
  for (const result of results) {
    for (const row of result.data ?? []) {
      const id = match(row);
      if (id !== undefined) matching.add(id);
    }
  }
  return {
    ids: ids.filter((id) => matching.has(id)),
    isComplete: results.every((result) => !result.isPending),
    looked,
  };
}

export function useFilteredGroups(ids: Uint32Array | undefined, filter: string): FilteredIds {
  const client = useClient();
  return useFiltered(
    'group.rows',
    ids,
    filter,
    (groupIds, signal) => client.request('group.rows', { groupIds }, { signal }),
    (row) => (matchesWords(groupWords(row), filter) ? row.groupId : undefined),
  );
}

export function useFilteredRollouts(ids: Uint32Array | undefined, filter: string): FilteredIds {
  const client = useClient();
  return useFiltered(
    'rollout.rows',
    ids,
    filter,
    (rolloutIds, signal) => client.request('rollout.rows', { rolloutIds }, { signal }),
    (row) => (matchesWords(rolloutWords(row), filter) ? row.rolloutId : undefined),
  );
}
