import type { SortValue } from '../../../ui/sorting.ts';
import type { Column } from '../../../ui/VirtualTable.tsx';
import type { LedgerEntry } from './ledgerModel.ts';

/** A column of the ledger: all rows of a group are here, so it is sorted here, by `measure`. */
export interface LedgerColumn extends Column<LedgerEntry> {
  readonly measure: (entry: LedgerEntry) => SortValue;
}

/** One that cannot be sorted needs no measure. What it is sorted by is what is copied of it, where nothing else is said. */
export function column(
  part: Omit<LedgerColumn, 'measure'> & Partial<Pick<LedgerColumn, 'measure'>>,
): LedgerColumn {
  const { measure } = part;
  return { measure: () => undefined, ...(measure === undefined ? {} : { value: measure }), ...part };
}
