import type { GroupLedger } from '../../../shared/api/contract.ts';
import { pathOfRoute, type Route } from '../../data/route.ts';
import { Link } from '../../ui/Link.tsx';
import { count, percent } from '../../ui/numbers.ts';
import { penaltyText } from '../../widgets/roc/rocLabels.ts';
import { decisionLabel, isTruncated, type LedgerEntry, type StripBar, stripOf } from './ledgerModel.ts';

interface LedgerStripProps {
  readonly route: Extract<Route, { view: 'group' }>;
  readonly entries: readonly LedgerEntry[];
  readonly ledger: GroupLedger;
}

/** More siblings than this are only in the table, since their bars would be narrower than their outlines. */
const MAX_BARS = 160;

/** An empty bar is a flat mark, which can still be clicked. */
const LEAST_HEIGHT = 5;

const OUTCOME_WORDS = { right: 'correct', wrong: 'incorrect', unknown: 'correctness unknown' } as const;

const COLORS = { right: 'var(--right)', wrong: 'var(--wrong)', unknown: 'var(--ink3)' } as const;

function barClass({ entry }: StripBar): string {
  const { kept, inclusion } = entry.standing;
  if (kept !== undefined) return kept ? 'is-kept' : 'is-discarded';
  return inclusion === undefined ? 'is-undecided' : 'is-drawn';
}

/** A flip is the result of the what-if, so it takes precedence over the logged marks. */
function markOf(entry: LedgerEntry): string {
  if (entry.isFlip) return entry.row.whatIf?.kept ? '▲' : '▽';
  return isTruncated(entry) ? '÷' : entry.isTie ? '=' : '';
}

function barTitle({ entry }: StripBar, source: GroupLedger['source']): string {
  const { rollout, standing, row } = entry;
  const parts = [
    `#${row.ordinal}`,
    OUTCOME_WORDS[entry.outcome],
    entry.penalty === undefined ? '' : `penalty ${penaltyText(entry.penalty)}`,
    decisionLabel(standing) === '' ? '' : `${decisionLabel(standing)} (${source})`,
    standing.inclusion === undefined ? '' : `kept with probability ${percent(standing.inclusion)} %`,
    entry.isFlip ? `what if: ${row.whatIf === undefined ? '' : decisionLabel(row.whatIf)}` : '',
    rollout === undefined ? '' : `${count(rollout.responseChars)} characters`,
  ];
  return parts.filter(Boolean).join(' · ');
}

export function LedgerStrip({ route, entries, ledger }: LedgerStripProps) {
  const strip = stripOf(entries);
  const bars = strip.bars.slice(0, MAX_BARS);
  const has = (test: (entry: LedgerEntry) => boolean) => entries.some(test);
  return (
    <div className="ledger-strip">
      <div className="strip-scroll">
        <div className="strip">
          {bars.map((bar, index) => {
            const { entry } = bar;
            const isCut = index === strip.cutAt;
            return (
              <div key={entry.row.rolloutId} className={isCut ? 'strip-slot is-cut' : 'strip-slot'}>
                <span className="strip-mark" aria-hidden="true">
                  {markOf(entry)}
                </span>
                <Link
                  href={pathOfRoute({ ...route, view: 'rollout', ordinal: entry.row.ordinal })}
                  className={barClass(bar)}
                  // The rows below lead to the same rollouts, and a group may have many.
                  tabIndex={-1}
                  style={{
                    height: `${LEAST_HEIGHT + 55 * (bar.height ?? 0)}px`,
                    ['--c' as string]: COLORS[entry.outcome],
                    ['--p' as string]: `${(entry.standing.inclusion ?? 0) * 100}%`,
                  }}
                  title={barTitle(bar, ledger.source)}
                  aria-label={`Rollout ${entry.row.ordinal}, ${OUTCOME_WORDS[entry.outcome]}${entry.standing.kept === undefined ? '' : entry.standing.kept ? ', kept' : ', discarded'}`}
                />
              </div>
            );
          })}
        </div>
      </div>
      <p className="strip-legend">
        height = {strip.heightMeans} (flat: {strip.hasUnknown ? '0 or unknown' : '0'})
        {has(({ standing }) => standing.kept !== undefined) && ' · filled = kept, dashed = discarded'}
        {has(({ standing }) => standing.inclusion !== undefined) &&
          ' · filled up to the probability of being kept'}{' '}
        · <span className="is-right">■ correct</span> <span className="is-wrong">■ incorrect</span>
        {has(({ outcome }) => outcome === 'unknown') && ' ■ correctness unknown'}
        {has((entry) => entry.isTie) && ' · = tie'}
        {has(isTruncated) && ' · ÷ trimmed to a multiple of world size'}
        {strip.cutAt !== undefined && ' · │ last one kept'}
        {has((entry) => entry.isFlip) && ' · what if: ▲ kept, ▽ discarded'}
        {strip.bars.length > MAX_BARS && ` · the first ${count(MAX_BARS)} of ${count(strip.bars.length)}`}
      </p>
    </div>
  );
}
