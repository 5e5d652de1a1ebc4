/** The rows of all rollouts of one group: few enough to be held, sorted and filtered in the page. */

import { useMemo } from 'react';
import type { RolloutRow } from '../../shared/api/contract.ts';
import { type IndexRange, useRolloutWindow } from './useRowWindow.ts';

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
