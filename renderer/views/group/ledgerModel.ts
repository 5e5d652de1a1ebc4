/** The rows of a group's ledger: what stands, what differs from it, and which penalty counts. */
import type {
  GroupLedger,
  LedgerDecision,
  LedgerRow,
  PenaltyKind,
  RolloutRow,
} from '../../../shared/api/contract.ts';
import type { UrlChoice } from '../../data/rocChoice.ts';
import { count, reward, signed } from '../../ui/numbers.ts';
import { reasonText } from '../../ui/reasons.ts';
import type { SortValue } from '../../ui/sorting.ts';
import { penaltyText, type Source } from '../../widgets/roc/rocLabels.ts';

export type Outcome = 'right' | 'wrong' | 'unknown';

/** What stands for a rollout, wherever it comes from. */
export interface Standing {
  readonly kept?: boolean;
  readonly reason?: string;
  readonly inclusion?: number;
  readonly advantage?: number;
}

export interface LedgerEntry {
  readonly row: LedgerRow;
  /** Undefined while it is on its way. */
  readonly rollout: RolloutRow | undefined;
  readonly outcome: Outcome;
  readonly standing: Standing;
  /** Whose penalties `pErr` and `pFormat` are, and `penalty`. */
  readonly kind: PenaltyKind;
  /** The number it is ranked by: as logged where the log stands, else under the basis. */
  readonly penalty: number | undefined;
  readonly pErr: number | undefined;
  readonly pFormat: number | undefined;
  readonly isTie: boolean;
  /** The what-if changes the decision. */
  readonly isFlip: boolean;
  /** Logged and recomputed decide otherwise. */
  readonly differs: boolean;
  /** Logged, text and typed penalties differ. */
  readonly disagrees: boolean;
}

/** `isCorrect` is derived from the reward where the log says nothing else; RoC itself knows the reward only. */
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
 * One part of a rollout's penalty in one of the three ways. The sum of text and typed is p_err + p_format;
 * which parts count is the configuration's word, and stands in the column of the one that counts.
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

/** Which of the three ways the columns show first: the logged one where the log stands and has it. */
export function countedKind(ledger: GroupLedger): PenaltyKind {
  const hasLogged = ledger.rows.some(
    ({ penalties: { logged } }) => logged?.pErr !== undefined || logged?.penalty !== undefined,
  );
  return ledger.source === 'logged' && hasLogged ? 'logged' : ledger.recomputed.basis.penalty;
}

/** Where nothing is configured no part counts, and a 0 from top to bottom would say nothing: then the plain sum. */
function countedPenalty(row: LedgerRow, ledger: GroupLedger, kind: PenaltyKind): number | undefined {
  if (ledger.source === 'unknown') return penaltyPart(row, kind, 'penalty');
  const logged = row.penalties.logged?.penalty;
  return kind === 'logged' && logged !== undefined ? logged : row.recomputed.penalty;
}

/** Resample-on-Correct is shown where decisions or a configuration are logged, or where the user simulates it. */
export function showsRoc({ source }: GroupLedger, { isExample, scope }: UrlChoice): boolean {
  return source !== 'unknown' || isExample || scope !== undefined;
}

/** The log of kept rollouts a pool was joined with: `listed in …`, as its decisions name it. */
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

/** A tie of what stands: the log's own reason, else the recomputation's. */
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

/** `show=kept.tie`; a mark no one has is left out. */
export function marksOf(text: string | null): readonly LedgerMark[] {
  const words = text?.split('.') ?? [];
  return LEDGER_MARKS.filter((mark) => words.includes(mark));
}

/** Kept and discarded at once would be an empty list: one puts the other out. */
export function marksText(marks: readonly LedgerMark[], flipped: LedgerMark): string | undefined {
  const next = marks.includes(flipped)
    ? marks.filter((mark) => mark !== flipped)
    : [...marks.filter((mark) => mark !== OPPOSITE[flipped]), flipped];
  return next.length === 0 ? undefined : next.join('.');
}

/** More ordinals would make a link of several thousand characters. */
const MOST_LINKED = 200;

/**
 * The rows that are left of a group, as a filter for the list that a replay follows. Marks such as ties have no field of
 * their own, so the ordinals are named.
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

/** What is copied of a decision: unknown is nothing. */
export function copiedDecision(decision: Standing | LedgerDecision): string | undefined {
  const said = decisionLabel(decision);
  if (said !== '') return said;
  return decision.inclusion === undefined ? undefined : `kept with probability ${decision.inclusion}`;
}

/** Kept before discarded, likelier before less likely; within each by reason. What is not decided sorts last. */
export function decisionRank({ kept, reason, inclusion }: Standing): SortValue {
  if (kept !== undefined) return `${kept ? 0 : 1} ${reason ?? ''}`;
  return inclusion === undefined ? undefined : `2 ${(1 - inclusion).toFixed(6)}`;
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
  /** 0…1 of the tallest; undefined: not known, drawn as a foot only. */
  readonly height: number | undefined;
}

interface Strip {
  readonly bars: readonly StripBar[];
  readonly heightMeans: 'penalty' | 'response length';
  /** Positives before this index were kept and those from it on discarded; absent where no line parts them. */
  readonly cutAt?: number;
}

const RANK = { right: 0, unknown: 1, wrong: 2 } as const;

/**
 * Bars of a group: correct, unknown, incorrect; within each by penalty, then by rollout order.
 * The release ranks positives in this order, so its cut is one line.
 */
export function stripOf(entries: readonly LedgerEntry[]): Strip {
  const hasPenalty = entries.some((entry) => entry.penalty !== undefined);
  const measure = (entry: LedgerEntry) => (hasPenalty ? entry.penalty : entry.rollout?.responseChars);
  // A penalty goes to 2; a group of small ones must not look like one of large ones.
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
    ...(cutAt === undefined ? {} : { cutAt }),
  };
}

/** Lost to the world size, whatever its penalty: no part of the ranking the cut is in. */
export const isTruncated = ({ standing }: LedgerEntry): boolean =>
  standing.reason === 'discarded_world_size_truncation';

/** Only where the positives are kept up to one place and discarded from there on. */
function cutOf(bars: readonly StripBar[]): number | undefined {
  const ranked = bars.filter(({ entry }) => entry.outcome === 'right' && !isTruncated(entry));
  const kept = ranked.filter(({ entry }) => entry.standing.kept === true).length;
  const discarded = ranked.filter(({ entry }) => entry.standing.kept === false).length;
  if (kept === 0 || discarded === 0 || kept + discarded !== ranked.length) return undefined;
  if (!ranked.slice(0, kept).every(({ entry }) => entry.standing.kept === true)) return undefined;
  const first = ranked[kept];
  return first === undefined ? undefined : bars.indexOf(first);
}
