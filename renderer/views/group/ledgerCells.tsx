/** Columns and cells of a ledger: decision, what-if, penalties, labels. */
import { PENALTY_KINDS, type PenaltyKind } from '../../../shared/api/rocRows.ts';
import { KeptMark, UnequalMark } from '../../ui/Marks.tsx';
import { percent } from '../../ui/numbers.ts';
import type { SortValue } from '../../ui/sorting.ts';
import type { Column } from '../../ui/VirtualTable.tsx';
import { PENALTY_LABELS, penaltyText, type Source } from '../../widgets/roc/rocLabels.ts';
import { LabelNames } from '../../widgets/rollouts/labelColumn.tsx';
import {
  copiedDecision,
  DIFFERS,
  DISAGREES,
  decisionLabel,
  decisionRank,
  type LedgerEntry,
  type PenaltyPart,
  penaltyPart,
  shortDecisionLabel,
} from './ledgerModel.ts';

/** Width of a character of a decision on average, of its mark with the gap beside it, and of the head with its arrow. */
const CHARACTER_WIDTH = 5.9;
const MARK_WIDTH = 21;
const HEAD_WIDTH = 74;
/** Width of the mark of a decision that differs from the recomputed one. */
const DIFFERENCE_WIDTH = 36;

/** The width of a column that cuts none of its decisions. @param longest characters of the longest one */
const decisionWidth = (longest: number): number =>
  Math.max(HEAD_WIDTH, MARK_WIDTH + Math.ceil(CHARACTER_WIDTH * longest));

/**
 * @param hasDifferences whether any decision differs from the recomputed one
 * @param isNarrow beside a what-if, or beside all sources of the penalty: only the mark says `kept` or `discarded`
 */
export function decisionColumn(
  entries: readonly LedgerEntry[],
  source: Source,
  hasDifferences: boolean,
  isNarrow: boolean,
): LedgerColumn {
  // A group may have more rollouts than a call may have arguments.
  const longest = entries.reduce(
    (most, entry) => Math.max(most, decisionText(entry, source, isNarrow).length),
    0,
  );
  return column({
    id: 'decision',
    label: 'decision',
    hint:
      source === 'unknown'
        ? 'No decision is logged and no configuration to recompute it from'
        : `${source === 'logged' ? 'As logged' : 'Recomputed'}: kept (filled) or discarded (dashed), and why`,
    minWidth: decisionWidth(longest) + (hasDifferences ? DIFFERENCE_WIDTH : 0),
    grow: 1.4,
    sorts: 'ascending',
    measure: ({ standing }) => decisionRank(standing),
    value: ({ standing }) => copiedDecision(standing),
    copiedWith: {
      name: 'decision from',
      value: ({ standing }) => (copiedDecision(standing) && source) || undefined,
    },
    cell: (entry) => <DecisionCell entry={entry} source={source} isNarrow={isNarrow} />,
  });
}

function decisionText({ standing, row }: LedgerEntry, source: Source, isNarrow: boolean): string {
  if (standing.inclusion !== undefined && standing.kept === undefined)
    return `${percent(standing.inclusion)} %`;
  const isListed =
    source === 'logged' && standing.reason === undefined && row.logged?.rule?.startsWith('listed in ');
  if (isListed === true) return standing.kept ? 'listed' : 'not listed';
  return isNarrow ? shortDecisionLabel(standing) : decisionLabel(standing);
}

interface DecisionCellProps {
  readonly entry: LedgerEntry;
  readonly source: Source;
  readonly isNarrow: boolean;
}

function DecisionCell({ entry, source, isNarrow }: DecisionCellProps) {
  const { standing, row } = entry;
  const said = decisionLabel(standing);
  const rule = source === 'logged' ? row.logged?.rule : undefined;
  const other = decisionLabel(row.recomputed);
  const title = [
    said === '' ? '' : `${source}: ${said}${rule === undefined ? '' : ` (${rule})`}`,
    entry.differs ? `recomputed: ${other}` : '',
  ];
  const difference = [DIFFERS, ...title].filter(Boolean).join('\n');
  return (
    <span className="decision" title={title.filter(Boolean).join('\n')}>
      <KeptMark isKept={standing.kept} />
      <span>{decisionText(entry, source, isNarrow)}</span>
      {entry.differs && (
        <span className="differs">
          <UnequalMark meaning={difference} /> <KeptMark isKept={row.recomputed.kept} />
        </span>
      )}
    </span>
  );
}

/** The reason is in the tooltip: the numbers beside it need the room. */
function whatIfText(whatIf: NonNullable<LedgerEntry['row']['whatIf']>): string {
  const { inclusion, inclusionError, kept } = whatIf;
  if (kept !== undefined) return kept ? 'kept' : 'discarded';
  if (inclusion === undefined) return decisionLabel(whatIf);
  return `${percent(inclusion)} %${inclusionError === undefined ? '' : ` ± ${percent(inclusionError)}`}`;
}

export function whatIfColumn(): LedgerColumn {
  return column({
    id: 'whatIf',
    label: 'what if',
    hint: 'With the settings of the panel. ▲ and ▽ mark changed decisions',
    minWidth: 88,
    grow: 1.2,
    sorts: 'ascending',
    measure: (entry) => {
      const after = entry.row.whatIf;
      return after === undefined ? undefined : `${entry.isFlip ? 0 : 1} ${decisionRank(after) ?? '3'}`;
    },
    value: ({ row: { whatIf } }) =>
      whatIf === undefined ? undefined : whatIf.isOutside ? 'not in the pool' : copiedDecision(whatIf),
    cell: ({ row, isFlip }) => {
      const { whatIf } = row;
      if (whatIf === undefined) return null;
      if (whatIf.isOutside) return <span className="dim">not in the pool</span>;
      const title = `what if: ${decisionLabel(whatIf)}`;
      return (
        <span className={isFlip ? 'decision is-flip' : 'decision'} title={title}>
          <KeptMark isKept={whatIf.kept} />
          <span>
            {isFlip && <b>{whatIf.kept ? '▲ ' : '▽ '}</b>}
            {whatIfText(whatIf)}
          </span>
        </span>
      );
    },
  });
}

const PART_LABELS = { pErr: 'p_err', pFormat: 'p_format', penalty: 'p_err + p_format' } as const;

/** Whether the penalty was computed from a reconstructed text, because the log has no text. */
const isRebuilt = ({ row }: LedgerEntry, kind: PenaltyKind): boolean =>
  kind === 'text' && row.penalties.text?.source === 'reconstructed';

/** All three values of one part, and the likely causes of their differences. */
function waysTitle(entry: LedgerEntry, part: PenaltyPart): string {
  const { row } = entry;
  const ways = PENALTY_KINDS.map((kind) => {
    const value = penaltyPart(row, kind, part);
    return `${PENALTY_LABELS[kind].short}: ${value === undefined ? 'unknown' : penaltyText(value)}${isRebuilt(entry, kind) ? ' (text reconstructed)' : ''}`;
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

/** The value that counts. In italics if its text was reconstructed; with `≠` if another source gives another value. */
export function CountedPenalty({ entry, part }: { readonly entry: LedgerEntry; readonly part: PenaltyPart }) {
  const isOff = entry.row.disagreements.some((one) => part === 'penalty' || one.part === part);
  return (
    <span title={waysTitle(entry, part)}>
      {isOff && (
        <sup className="unequal">
          <UnequalMark meaning={`${DISAGREES}\n${waysTitle(entry, part)}`} />
        </sup>
      )}
      {isRebuilt(entry, entry.kind) ? <i>{penaltyText(entry[part])}</i> : penaltyText(entry[part])}
    </span>
  );
}

interface WayCellProps {
  readonly entry: LedgerEntry;
  readonly kind: PenaltyKind;
  readonly part: PenaltyPart;
}

/** One part from one source. In italics if its text was reconstructed. */
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

/** The labels that readers gave the rollouts. Sorting groups equal labels. */
export function labelColumn(): LedgerColumn {
  return column({
    id: 'labels',
    label: 'labels',
    hint: 'Labels that reviewers gave it or parts of it',
    minWidth: 90,
    grow: 1,
    sorts: 'ascending',
    measure: ({ rollout }) => rollout?.labels?.join(' '),
    cell: ({ rollout }) => <LabelNames ids={rollout?.labels} />,
  });
}

/** A column of the ledger. All rows of a group are loaded, so the client sorts them by `measure`. */
export interface LedgerColumn extends Column<LedgerEntry> {
  readonly measure: (entry: LedgerEntry) => SortValue;
}

/** Creates a column. One that cannot be sorted needs no `measure`. Copies the sort value unless `value` is given. */
export function column(
  part: Omit<LedgerColumn, 'measure'> & Partial<Pick<LedgerColumn, 'measure'>>,
): LedgerColumn {
  const { measure } = part;
  return { measure: () => undefined, ...(measure === undefined ? {} : { value: measure }), ...part };
}
