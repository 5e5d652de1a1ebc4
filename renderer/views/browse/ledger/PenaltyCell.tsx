import { PENALTY_KINDS, type PenaltyKind } from '../../../../shared/api/rocRows.ts';
import { PENALTY_WORDS, penaltyText } from '../roc/rocWords.ts';
import { type LedgerEntry, type PenaltyPart, penaltyPart } from './ledgerModel.ts';

const PART_LABELS = { pErr: 'p_err', pFormat: 'p_format', penalty: 'p_err + p_format' } as const;

/** The text it was computed from is not in the log; it was reconstructed. */
const isRebuilt = ({ row }: LedgerEntry, kind: PenaltyKind): boolean =>
  kind === 'text' && row.penalties.text?.source === 'reconstructed';

/** All three ways of one part, and why they likely differ. */
function waysTitle(entry: LedgerEntry, part: PenaltyPart): string {
  const { row } = entry;
  const ways = PENALTY_KINDS.map((kind) => {
    const value = penaltyPart(row, kind, part);
    return `${PENALTY_WORDS[kind].short}: ${value === undefined ? 'unknown' : penaltyText(value)}${isRebuilt(entry, kind) ? ' (text reconstructed)' : ''}`;
  });
  const causes = row.disagreements
    .filter((one) => part === 'penalty' || one.part === part)
    .flatMap((one) =>
      one.causes.map(
        (cause) => `${PART_LABELS[one.part]}, ${one.between[0]} and ${one.between[1]}: ${cause.sentence}`,
      ),
    );
  return [`${PART_LABELS[part]}, ${ways.join(', ')}`, ...new Set(causes)].join('\n');
}

/** The value that counts, in italics where its text was reconstructed; `≠` where another way gives another one. */
export function CountedPenalty({ entry, part }: { readonly entry: LedgerEntry; readonly part: PenaltyPart }) {
  const isOff = entry.row.disagreements.some((one) => part === 'penalty' || one.part === part);
  return (
    <span title={waysTitle(entry, part)}>
      {isOff && <sup className="unequal">≠</sup>}
      {isRebuilt(entry, entry.kind) ? <i>{penaltyText(entry[part])}</i> : penaltyText(entry[part])}
    </span>
  );
}

interface WayCellProps {
  readonly entry: LedgerEntry;
  readonly kind: PenaltyKind;
  readonly part: PenaltyPart;
}

/** One way of one part; italics where the text it was computed from had to be rebuilt. */
export function WayCell({ entry, kind, part }: WayCellProps) {
  const value = penaltyText(penaltyPart(entry.row, kind, part));
  const isOff = entry.row.disagreements.some(
    (one) => (part === 'penalty' || one.part === part) && one.between.includes(kind),
  );
  return (
    <span className={isOff ? 'is-unequal' : undefined} title={waysTitle(entry, part)}>
      {isRebuilt(entry, kind) ? <i>{value}</i> : value}
    </span>
  );
}
