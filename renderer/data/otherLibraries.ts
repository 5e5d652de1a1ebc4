/** The open libraries, and data of those that are not the current one. */
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { LibraryRow, RunSummary } from '../../shared/api/contract.ts';
import { useConnection, useLibrary } from './DataProvider.tsx';
import { requestKey, useRequest } from './useRequest.ts';

const NONE: readonly LibraryRow[] = [];
/** Changes of other libraries are less urgent than those of the current one. */
const REFETCH_EVERY = 2_000;

/** All open or remembered libraries. Undefined while loading. */
export function useLibraries(): readonly LibraryRow[] | undefined {
  return useRequest('library.list', {}).data;
}

/** Open libraries other than the current one. */
export function useOtherLibraries(): readonly LibraryRow[] {
  const here = useLibrary();
  const libraries = useLibraries() ?? NONE;
  return useMemo(() => libraries.filter(({ id, isOpen }) => isOpen && id !== here), [libraries, here]);
}

export interface RunsOf {
  readonly library: string;
  /** Undefined: loading, or the library is not open. */
  readonly runs: readonly RunSummary[] | undefined;
  readonly error: Error | null;
}

/** The runs of other libraries, updated when new data is read into them. */
export function useRunsOf(libraries: readonly string[]): readonly RunsOf[] {
  const { clientOf } = useConnection();
  useNewsOf(libraries);
  const answers = useQueries({
    queries: libraries.map((library) => ({
      queryKey: requestKey('run.list', {}, library),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        clientOf(library).request('run.list', {}, { signal }),
    })),
  });
  return libraries.map((library, i) => ({
    library,
    runs: answers[i]?.data,
    error: answers[i]?.error ?? null,
  }));
}

/** Refetches data of these libraries after new data was read into them. */
function useNewsOf(libraries: readonly string[]): void {
  const { clientOf } = useConnection();
  const queryClient = useQueryClient();
  const ids = libraries.join('\n');
  useEffect(() => {
    if (ids === '') return;
    const timers = new Map<string, ReturnType<typeof setTimeout>>();
    const stops = ids.split('\n').map((library) =>
      clientOf(library).subscribe(({ event }) => {
        if (event !== 'library.changed' || timers.has(library)) return;
        const ask = () => {
          timers.delete(library);
          void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === library });
        };
        timers.set(library, setTimeout(ask, REFETCH_EVERY));
      }),
    );
    return () => {
      for (const stop of stops) stop();
      for (const timer of timers.values()) clearTimeout(timer);
    };
  }, [clientOf, queryClient, ids]);
}
