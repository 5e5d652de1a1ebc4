import type { GroupLedger, LedgerDecision, LedgerSide } from '../../../shared/api/contract.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { counted } from '../../ui/numbers.ts';
import { quotaSentences } from '../../widgets/roc/quotaModel.ts';
import { basisLines, PENALTY_LABELS, RULE_LABELS } from '../../widgets/roc/rocLabels.ts';
import { ExampleOffer } from '../../widgets/roc/SourceChip.tsx';

interface LedgerSummaryProps {
  readonly ledger: GroupLedger;
  readonly isExample: boolean;
  /** Reserves space for the what-if's sentence before there is one, so that no row moves. */
  readonly isPanelOpen: boolean;
}

/** The results of the group in numbers, and the results under the what-if. */
export function LedgerSummary({ ledger, isExample, isPanelOpen }: LedgerSummaryProps) {
  const { recomputed, asLogged, whatIf, source } = ledger;
  const sides = source === 'unknown' ? [] : sentencesOf(ledger);
  const whatIfRows = ledger.rows.flatMap((row) => (row.whatIf === undefined ? [] : [row.whatIf]));
  return (
    <div className="ledger-summary">
      <ExampleOffer source={source} isExample={isExample} />
      {sides.map(({ label, text }) => (
        <p key={label} className="sentence">
          <span className="side-label">{label}</span>
          {text}
        </p>
      ))}
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
      {asLogged !== undefined && (
        <Basis title="How the logged decisions came about" side={asLogged.side} other={recomputed} />
      )}
      {source !== 'unknown' && (
        <Basis
          title={asLogged === undefined ? 'How the rule chose' : 'How the recomputed rule chose'}
          side={recomputed}
          other={asLogged?.side}
        />
      )}
    </div>
  );
}

/**
 * Describes what the rules did. The rule that reproduces the logged decisions is first. Rules with the same result
 * share a sentence.
 */
function sentencesOf({ recomputed, asLogged, rows }: GroupLedger) {
  const textOf = (side: LedgerSide, decisions: readonly LedgerDecision[]) =>
    quotaSentences(side, decisions).join(' ');
  const rule = `the rule “${RULE_LABELS[recomputed.basis.rule].short}”`;
  const label = `Recomputed by ${rule}:`;
  const text = textOf(
    recomputed,
    rows.map((row) => row.recomputed),
  );
  if (asLogged === undefined) return [{ label, text }];
  const logged = {
    label: `Logged, as ${otherName(asLogged.side, recomputed)} decides:`,
    text: textOf(asLogged.side, asLogged.rows),
  };
  if (logged.text !== text) return [logged, { label, text }];
  return [
    { label: `Logged, as ${otherName(asLogged.side, recomputed)} decides, and recomputed by ${rule}:`, text },
  ];
}

/** `the rule “release, first week”`, with the source of penalties if it differs. */
function otherName({ basis }: LedgerSide, recomputed: LedgerSide): string {
  const { rule, penalty } = basis;
  const from =
    penalty === recomputed.basis.penalty ? '' : ` with penalties from ${PENALTY_LABELS[penalty].short}`;
  return `the rule “${RULE_LABELS[rule].short}”${from}`;
}

interface BasisProps {
  readonly title: string;
  readonly side: LedgerSide;
  /** Lines that are not those of this side are marked. */
  readonly other: LedgerSide | undefined;
}

function Basis({ title, side, other }: BasisProps) {
  const others = other === undefined ? undefined : basisLines(other.basis);
  return (
    <details className="basis">
      <summary>{title}</summary>
      <ul>
        {basisLines(side.basis).map((text) => (
          <li key={text}>
            {others?.includes(text) === false && (
              <b className="is-wrong" title="The other list differs here">
                ≠{' '}
              </b>
            )}
            {text}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The number of logged decisions that differ from the recomputed ones, and the likely cause. */
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
        between the log and the recomputation by the rule “{RULE_LABELS[ledger.recomputed.basis.rule].short}”.{' '}
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
