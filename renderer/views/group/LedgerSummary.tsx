import type { GroupLedger } from '../../../shared/api/contract.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { counted } from '../../ui/numbers.ts';
import { quotaSentences } from '../../widgets/roc/quotaModel.ts';
import { basisLines, RULE_LABELS } from '../../widgets/roc/rocLabels.ts';
import { ExampleOffer } from '../../widgets/roc/SourceChip.tsx';

interface LedgerSummaryProps {
  readonly ledger: GroupLedger;
  readonly isExample: boolean;
  /** Then the what-if has its place before it has a sentence, so that a change moves no row. */
  readonly isPanelOpen: boolean;
}

/** What happened to the group, with its numbers; under a what-if, what would have. */
export function LedgerSummary({ ledger, isExample, isPanelOpen }: LedgerSummaryProps) {
  const { recomputed, whatIf, source } = ledger;
  const said = quotaSentences(
    recomputed,
    ledger.rows.map((row) => row.recomputed),
  );
  const whatIfRows = ledger.rows.flatMap((row) => (row.whatIf === undefined ? [] : [row.whatIf]));
  return (
    <div className="ledger-summary">
      <ExampleOffer source={source} isExample={isExample} />
      {source !== 'unknown' && (
        <p className="sentence">
          <span className="side-label">recomputed: {RULE_LABELS[recomputed.basis.rule].short}</span>
          {said.join(' ')}
        </p>
      )}
      {whatIf !== undefined && (
        <p className="sentence is-what-if">
          <span className="side-label is-what-if">what if: {RULE_LABELS[whatIf.basis.rule].short}</span>
          {quotaSentences(whatIf, whatIfRows).join(' ')}
        </p>
      )}
      {whatIf === undefined && isPanelOpen && (
        <p className="sentence is-what-if">
          <span className="side-label is-what-if">what if</span>
          <span className="dim">Nothing is changed yet.</span>
        </p>
      )}
      <Differences ledger={ledger} />
      {source !== 'unknown' && (
        <details className="basis">
          <summary>How the rule chose</summary>
          <ul>
            {basisLines(recomputed.basis).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** How many logged decisions differ from the recomputed ones, and the likely cause. */
function Differences({ ledger }: { readonly ledger: GroupLedger }) {
  const [query, setQuery] = useUrlQuery();
  const { rows, causes } = ledger.differences;
  if (rows === 0) return null;
  const isOn = query.get('show') === 'differs';
  return (
    <section className="differences" aria-label="Logged and recomputed differ">
      <p>
        <b>
          {counted(rows, 'decision')} {rows === 1 ? 'differs' : 'differ'}
        </b>{' '}
        between logged and recomputed: {RULE_LABELS[ledger.recomputed.basis.rule].short}.{' '}
        {causes.map((cause) => (
          <span key={cause.code}>{cause.sentence} </span>
        ))}
        <button
          type="button"
          className="is-link"
          aria-pressed={isOn}
          onClick={() => setQuery({ show: isOn ? undefined : 'differs' })}
        >
          {isOn ? 'Show all' : 'Show them'}
        </button>
      </p>
    </section>
  );
}
