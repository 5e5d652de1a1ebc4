/** The rows of a group's ledger: the effective decision, what differs from it, and the penalty that counts. */
import type {
  GroupLedger,
  LedgerDecision,
  LedgerRow,
  PenaltyKind,
  RolloutRow,
} from '../../../shared/api/contract.ts';
import { reasonText } from '../../../shared/domain/words.ts';
import type { UrlChoice } from '../../data/rocChoice.ts';
import { count, reward, signed } from '../../ui/numbers.ts';
import type { SortValue } from '../../ui/sorting.ts';
import { penaltyText, type Source } from '../../widgets/roc/rocLabels.ts';

export type Outcome = 'right' | 'wrong' | 'unknown';

/** The effective decision about a rollout, logged or recomputed. */
export interface Standing {
  readonly kept?: boolean;
  readonly reason?: string;
  readonly inclusion?: number;
  readonly advantage?: number;
}

/** Meanings of the marks `≠` in the ledger. */
export const DIFFERS = 'The logged decision differs from the recomputed one';
export const DISAGREES = 'The penalties as logged, by text rules and by tool outcomes differ';

export interface LedgerEntry {
  readonly row: LedgerRow;
  /** Undefined while it is loading. */
  readonly rollout: RolloutRow | undefined;
  readonly outcome: Outcome;
  readonly standing: Standing;
  /** The source of `pErr`, `pFormat` and `penalty`. */
  readonly kind: PenaltyKind;
  /** The value that the rollout is ranked by: the logged one if the log decides, else the recomputed one. */
  readonly penalty: number | undefined;
  readonly pErr: number | undefined;
  readonly pFormat: number | undefined;
  readonly isTie: boolean;
  /** Whether the what-if changes the decision. */
  readonly isFlip: boolean;
  /** Whether the logged and the recomputed decision differ. */
  readonly differs: boolean;
  /** Whether the logged, text and typed penalties differ. */
  readonly disagrees: boolean;
}

/** Derives correctness from the reward if the log has no `isCorrect`. RoC itself uses only the reward. */
export function outcomeOf(rollout: RolloutRow | undefined): Outcome {
  if (rollout === undefined) return 'unknown';
  if (rollout.isCorrect !== undefined) return rollout.isCorrect ? 'right' : 'wrong';
  return rollout.reward === undefined ? 'unknown' : rollout.reward > 0 ? 'right' : 'wrong';
}

function standingOf(row: LedgerRow, source: GroupLedger['source']): Standing {
  if (source === 'logged') return row.logged ?? {};
  return source === 'recomputed' ? row.recomputed : {};
}

export type PenaltyPart = 'pErr' | 'pFormat' | 'penalty';

/**
 * One part of a rollout's penalty from one of the three sources. For text and typed, `penalty` is p_err + p_format.
 * The configuration decides which parts count, and only the column of the counted penalty reflects that.
 */
export function penaltyPart(
  { penalties }: LedgerRow,
  kind: PenaltyKind,
  part: PenaltyPart,
): number | undefined {
  if (kind === 'logged') return penalties.logged?.[part];
  const way = penalties[kind];
  if (way === undefined) return undefined;
  return part === 'penalty' ? way.pErr + way.pFormat : way[part];
}

/** The source that the columns show first: the logged penalties if the log decides and has them. */
export function countedKind(ledger: GroupLedger): PenaltyKind {
  const hasLogged = ledger.rows.some(
    ({ penalties: { logged } }) => logged?.pErr !== undefined || logged?.penalty !== undefined,
  );
  return ledger.source === 'logged' && hasLogged ? 'logged' : ledger.recomputed.basis.penalty;
}

/** Without a configuration no part counts, and a column of zeros would be useless. Show the plain sum then. */
function countedPenalty(row: LedgerRow, ledger: GroupLedger, kind: PenaltyKind): number | undefined {
  if (ledger.source === 'unknown') return penaltyPart(row, kind, 'penalty');
  const logged = row.penalties.logged?.penalty;
  return kind === 'logged' && logged !== undefined ? logged : row.recomputed.penalty;
}

/** Whether to show Resample-on-Correct: decisions or a configuration are logged, or the user simulates it. */
export function showsRoc({ source }: GroupLedger, { isExample, scope }: UrlChoice): boolean {
  return source !== 'unknown' || isExample || scope !== undefined;
}

/** The log of kept rollouts that the pool was joined with: `listed in …`, as the decisions name it. */
export function listedIn({ rows }: GroupLedger): string | undefined {
  return rows.map(({ logged }) => logged?.rule).find((rule) => rule?.startsWith('listed in '));
}

function isFlip(row: LedgerRow, standing: Standing): boolean {
  const after = row.whatIf?.kept;
  return after !== undefined && standing.kept !== undefined && after !== standing.kept;
}

function differs({ logged, recomputed }: LedgerRow): boolean {
  return logged?.kept !== undefined && recomputed.kept !== undefined && logged.kept !== recomputed.kept;
}

export function ledgerEntries(
  ledger: GroupLedger,
  rolloutOf: (rolloutId: number) => RolloutRow | undefined,
): readonly LedgerEntry[] {
  const kind = countedKind(ledger);
  return ledger.rows.map((row) => {
    const rollout = rolloutOf(row.rolloutId);
    const standing = standingOf(row, ledger.source);
    return {
      row,
      rollout,
      outcome: outcomeOf(rollout),
      standing,
      kind,
      penalty: countedPenalty(row, ledger, kind),
      pErr: penaltyPart(row, kind, 'pErr'),
      pFormat: penaltyPart(row, kind, 'pFormat'),
      isTie: isTie(row, standing, ledger.source),
      isFlip: isFlip(row, standing),
      differs: differs(row),
      disagrees: row.disagreements.length > 0,
    };
  });
}

/** Whether the effective decision was a tie: by the log's reason, else by the recomputation. */
function isTie(row: LedgerRow, standing: Standing, source: GroupLedger['source']): boolean {
  if (source === 'unknown') return false;
  return source === 'logged' && standing.reason !== undefined
    ? standing.reason.endsWith('_tie')
    : row.recomputed.isTie;
}

// ── filter ──────────────────────────────────────────────────────────────────────────────────────

export const LEDGER_MARKS = [
  'kept',
  'discarded',
  'right',
  'wrong',
  'tie',
  'flip',
  'differs',
  'disagrees',
] as const;
export type LedgerMark = (typeof LEDGER_MARKS)[number];

const OPPOSITE: Partial<Record<LedgerMark, LedgerMark>> = {
  kept: 'discarded',
  discarded: 'kept',
  right: 'wrong',
  wrong: 'right',
};

export function hasMark(entry: LedgerEntry, mark: LedgerMark): boolean {
  switch (mark) {
    case 'kept':
      return entry.standing.kept === true;
    case 'discarded':
      return entry.standing.kept === false;
    case 'right':
    case 'wrong':
      return entry.outcome === mark;
    case 'tie':
      return entry.isTie;
    case 'flip':
      return entry.isFlip;
    case 'differs':
      return entry.differs;
    case 'disagrees':
      return entry.disagrees;
  }
}

/** Parses `show=kept.tie`. Ignores unknown marks. */
export function marksOf(text: string | null): readonly LedgerMark[] {
  const words = text?.split('.') ?? [];
  return LEDGER_MARKS.filter((mark) => words.includes(mark));
}

/** Kept and discarded together would give an empty list, so each switches the other off. */
export function marksText(marks: readonly LedgerMark[], flipped: LedgerMark): string | undefined {
  const next = marks.includes(flipped)
    ? marks.filter((mark) => mark !== flipped)
    : [...marks.filter((mark) => mark !== OPPOSITE[flipped]), flipped];
  return next.length === 0 ? undefined : next.join('.');
}

/** More ordinals would make a URL of several thousand characters. */
const MOST_LINKED = 200;

/**
 * The filtered rows of a group, as a filter for the list that a replay follows. Marks such as ties are not fields of
 * the filter language, so the filter lists ordinals.
 *
 * @returns '' if no row is left out, or there are too many
 */
export function filterOfRows(rows: readonly LedgerEntry[], all: number): string {
  if (rows.length === all || rows.length > MOST_LINKED) return '';
  return `ordinal:${rows
    .map(({ row }) => row.ordinal)
    .sort((a, b) => a - b)
    .join(',')}`;
}

export function matchesLedger(entry: LedgerEntry, marks: readonly LedgerMark[]): boolean {
  return marks.every((mark) => hasMark(entry, mark));
}

// ── decisions in words ──────────────────────────────────────────────────────────────────────────

export function decisionLabel(decision: Standing | LedgerDecision): string {
  const { kept, reason } = decision;
  const verb = kept === undefined ? '' : kept ? 'kept' : 'discarded';
  const why = reasonText(reason);
  return [verb, why].filter(Boolean).join(', ');
}

/** The reason alone, for a place where a mark shows `kept` or `discarded`. */
export function shortDecisionLabel(decision: Standing | LedgerDecision): string {
  return decision.reason === undefined ? decisionLabel(decision) : reasonText(decision.reason);
}

/** The text to copy for a decision. Undefined if it is unknown. */
export function copiedDecision(decision: Standing | LedgerDecision): string | undefined {
  const said = decisionLabel(decision);
  if (said !== '') return said;
  return decision.inclusion === undefined ? undefined : `kept with probability ${decision.inclusion}`;
}

/**
 * Kept before discarded, then by reason. Undecided rollouts follow by descending probability; unknown ones are last.
 */
export function decisionRank({ kept, reason, inclusion }: Standing): SortValue {
  if (kept !== undefined) return `${kept ? 0 : 1} ${reason ?? ''}`;
  return inclusion === undefined ? undefined : `2 ${(1 - inclusion).toFixed(6)}`;
}

type Pair = readonly [LedgerEntry, LedgerEntry];

/**
 * Chooses the pair for the group's button: the two selected rollouts, else the best correct and the best incorrect
 * one. The best has the highest reward, then the lowest penalty, then the lowest number.
 *
 * @returns a pair and its description, or a reason
 */
export function pairToCompare(
  entries: readonly LedgerEntry[],
  selected: readonly number[],
): { readonly pair: Pair; readonly what: string } | { readonly whyNot: string } {
  const [a, b] = selected.map((id) => entries.find(({ row }) => row.rolloutId === id));
  if (a !== undefined && b !== undefined)
    return { pair: [a, b], what: 'The two selected rollouts, turn by turn' };
  if (entries.length < 2)
    return { whyNot: 'This group has one rollout: there is nothing to compare it with' };
  if (entries.some(({ rollout }) => rollout === undefined)) return { whyNot: 'The rollouts are loading' };
  const best = (outcome: Outcome): LedgerEntry | undefined =>
    entries
      .filter((entry) => entry.outcome === outcome)
      .toSorted(
        (one, other) =>
          (other.rollout?.reward ?? Number.NEGATIVE_INFINITY) -
            (one.rollout?.reward ?? Number.NEGATIVE_INFINITY) ||
          (one.penalty ?? 0) - (other.penalty ?? 0) ||
          one.row.ordinal - other.row.ordinal,
      )[0];
  const [correct, incorrect] = [best('right'), best('wrong')];
  if (correct !== undefined && incorrect !== undefined) {
    const what = `The best correct rollout (#${correct.row.ordinal}) and the best incorrect one (#${incorrect.row.ordinal}), turn by turn`;
    return { pair: [correct, incorrect], what };
  }
  const whyNot =
    correct === undefined && incorrect === undefined
      ? 'It is not known which rollouts are correct'
      : `No rollout of this group is ${correct === undefined ? 'correct' : 'incorrect'}`;
  return { whyNot: `${whyNot}. Select two rows to compare them` };
}

interface PairFact {
  readonly label: string;
  readonly values: readonly [string, string];
  readonly differs: boolean;
}

type Fact = readonly [label: string, of: (entry: LedgerEntry) => string];

const rocFacts = (source: Source): readonly Fact[] => [
  ['p_err', (entry) => penaltyText(entry.pErr)],
  ['p_format', (entry) => penaltyText(entry.pFormat)],
  ['penalty', (entry) => penaltyText(entry.penalty)],
  [source === 'unknown' ? 'decision' : `decision, ${source}`, ({ standing }) => decisionLabel(standing)],
  ['advantage', ({ standing }) => signed(standing.advantage)],
];

const MALFORMED_FACT: readonly Fact[] = [
  ['malformed calls', ({ rollout }) => count(rollout?.malformedCalls)],
];

/** @param source undefined: Resample-on-Correct is not shown */
export function pairFacts(a: LedgerEntry, b: LedgerEntry, source: Source | undefined): readonly PairFact[] {
  const hasTokens = a.rollout?.policyTokens !== undefined || b.rollout?.policyTokens !== undefined;
  const facts: readonly Fact[] = [
    ['answer', ({ rollout }) => rollout?.answer ?? ''],
    ['reward', ({ rollout }) => reward(rollout?.reward)],
    ...(source === undefined ? [] : rocFacts(source)),
    ['turns', ({ rollout }) => count(rollout?.turns)],
    [
      'calls, failed',
      ({ rollout }) =>
        rollout === undefined ? '' : `${count(rollout.toolCalls)}, ${count(rollout.toolErrors)}`,
    ],
    ...([a, b].some(({ rollout }) => (rollout?.malformedCalls ?? 0) > 0) ? MALFORMED_FACT : []),
    hasTokens
      ? ['tokens', ({ rollout }) => count(rollout?.policyTokens)]
      : ['characters', ({ rollout }) => count(rollout?.responseChars)],
    ['stopped by', ({ rollout }) => rollout?.stopReason ?? ''],
  ];
  return facts.map(([label, of]) => {
    const values = [of(a), of(b)] as const;
    return { label, values, differs: values[0] !== values[1] };
  });
}

export interface StripBar {
  readonly entry: LedgerEntry;
  /** 0…1 of the tallest. Undefined: unknown, drawn as a short stub. */
  readonly height: number | undefined;
}

interface Strip {
  readonly bars: readonly StripBar[];
  readonly heightMeans: 'penalty' | 'response length';
  /** Whether the height of a bar is unknown. */
  readonly hasUnknown: boolean;
  /** Positives before this index were kept and the others discarded. Absent if no single cut separates them. */
  readonly cutAt?: number;
}

const RANK = { right: 0, unknown: 1, wrong: 2 } as const;

/**
 * Bars of a group: correct, unknown, incorrect; within each by penalty, then by rollout order. The release ranks
 * positives in this order, so its cut is a single line.
 */
export function stripOf(entries: readonly LedgerEntry[]): Strip {
  const hasPenalty = entries.some((entry) => entry.penalty !== undefined);
  const measure = (entry: LedgerEntry) => (hasPenalty ? entry.penalty : entry.rollout?.responseChars);
  // A penalty goes up to 2. Scale to at least 1, so that a group of small penalties does not look like one of large
  // ones.
  const tallest = entries.reduce((most, entry) => Math.max(most, measure(entry) ?? 0), hasPenalty ? 1 : 0);
  const bars = entries
    .map((entry) => {
      const value = measure(entry);
      return {
        entry,
        height: value === undefined || tallest === 0 ? undefined : Math.max(0, value) / tallest,
      };
    })
    .sort(
      (a, b) =>
        RANK[a.entry.outcome] - RANK[b.entry.outcome] ||
        (a.height ?? Number.POSITIVE_INFINITY) - (b.height ?? Number.POSITIVE_INFINITY) ||
        a.entry.row.ordinal - b.entry.row.ordinal,
    );
  const cutAt = hasPenalty ? cutOf(bars) : undefined;
  return {
    bars,
    heightMeans: hasPenalty ? 'penalty' : 'response length',
    hasUnknown: bars.some(({ height }) => height === undefined),
    ...(cutAt === undefined ? {} : { cutAt }),
  };
}

/** Discarded to fit the world size, whatever its penalty, so it is not part of the ranking that is cut. */
export const isTruncated = ({ standing }: LedgerEntry): boolean =>
  standing.reason === 'discarded_world_size_truncation';

/** Only if all positives before one index were kept and all later ones discarded. */
function cutOf(bars: readonly StripBar[]): number | undefined {
  const ranked = bars.filter(({ entry }) => entry.outcome === 'right' && !isTruncated(entry));
  const kept = ranked.filter(({ entry }) => entry.standing.kept === true).length;
  const discarded = ranked.filter(({ entry }) => entry.standing.kept === false).length;
  if (kept === 0 || discarded === 0 || kept + discarded !== ranked.length) return undefined;
  if (!ranked.slice(0, kept).every(({ entry }) => entry.standing.kept === true)) return undefined;
  const first = ranked[kept];
  return first === undefined ? undefined : bars.indexOf(first);
}
