import { useUrlQuery } from '../../../data/usePlace.ts';
import { count } from '../../../ui/numbers.ts';
import {
  hasMark,
  LEDGER_MARKS,
  type LedgerEntry,
  type LedgerMark,
  marksOf,
  marksText,
} from './ledgerModel.ts';

const LABELS: Readonly<Record<LedgerMark, { readonly label: string; readonly hint: string }>> = {
  kept: { label: 'kept', hint: 'What stands for it is: kept' },
  discarded: { label: 'discarded', hint: 'What stands for it is: discarded' },
  right: { label: '✓ right', hint: 'Right answers' },
  wrong: { label: '✕ wrong', hint: 'Wrong answers' },
  tie: { label: '= tie', hint: 'Penalty equal to that at the cut: rollout order decided' },
  flip: { label: '▲▽ flips', hint: 'The what-if decides otherwise than what stands' },
  differs: { label: 'logged ≠ recomputed', hint: 'The log says otherwise than the recomputation' },
  disagrees: { label: '≠ penalties', hint: 'Logged, text and typed penalties are not the same' },
};

interface LedgerFiltersProps {
  readonly entries: readonly LedgerEntry[];
  /** Then flips have their place before there are any. */
  readonly isPanelOpen: boolean;
}

/** What the rows of this group can be narrowed to; a mark no row has is not offered, unless it is on. */
export function LedgerFilters({ entries, isPanelOpen }: LedgerFiltersProps) {
  const [query, setQuery] = useUrlQuery();
  const marks = marksOf(query.get('show'));
  const offered = LEDGER_MARKS.map((mark) => ({
    mark,
    rows: entries.filter((entry) => hasMark(entry, mark)).length,
  })).filter(({ mark, rows }) => rows > 0 || marks.includes(mark) || (mark === 'flip' && isPanelOpen));
  return (
    <fieldset className="mark-filters" aria-label="Show only">
      {offered.map(({ mark, rows }) => (
        <button
          key={mark}
          type="button"
          className="chip"
          aria-pressed={marks.includes(mark)}
          title={LABELS[mark].hint}
          onClick={() => setQuery({ show: marksText(marks, mark) })}
        >
          {LABELS[mark].label} <span className="dim">{count(rows)}</span>
        </button>
      ))}
    </fieldset>
  );
}
