import type { RolloutRow } from '../../../shared/api/contract.ts';
import { ROLLOUT_COLUMNS } from './rolloutColumns.tsx';

/**
 * Columns that none of the sampled rows has a value for are left out. The sample is what is
 * loaded; a column once shown stays (`shown`), so that scrolling never moves the others.
 */
export function knownColumnIds(rows: readonly RolloutRow[], shown: ReadonlySet<string>): ReadonlySet<string> {
  const missing = ROLLOUT_COLUMNS.filter(
    (column) => !shown.has(column.id) && (column.isKnown === undefined || rows.some(column.isKnown)),
  );
  return missing.length === 0 ? shown : new Set([...shown, ...missing.map((column) => column.id)]);
}
