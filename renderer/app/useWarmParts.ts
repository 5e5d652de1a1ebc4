/**
 * What the first list does not need is fetched once it stands: the other views, so that the first click does not wait
 * for them, and the faces of scripts and formulas. One part at a time, so that what is asked for meanwhile does not queue.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { loadFonts } from '../theme/loadFonts.ts';
import { VIEW_LOADERS } from './PlaceView.tsx';

const PARTS: readonly (() => Promise<unknown>)[] = [
  ...Object.values(VIEW_LOADERS),
  () => import('../theme/formulas.ts'),
  () => loadFonts(),
];
/** Of the page, not of a library: going to another one does not begin anew. */
let isBegun = false;

export function useWarmParts(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (isBegun) return;
    const queries = queryClient.getQueryCache();
    const unsubscribe = queries.subscribe(() => {
      if (isBegun || !hasAnswers(queryClient)) return;
      isBegun = true;
      void warm();
    });
    return unsubscribe;
  }, [queryClient]);
}

/** Something has been answered, and nothing is being asked. */
function hasAnswers(queryClient: QueryClient): boolean {
  const queries = queryClient.getQueryCache().getAll();
  return queries.some(({ state }) => state.status === 'success') && queryClient.isFetching() === 0;
}

async function warm(): Promise<void> {
  for (const load of PARTS) {
    await new Promise((resolve) => requestIdleCallback(resolve));
    // A failure is no news here: the view itself will say so when it is opened.
    await load().catch(() => undefined);
  }
}
