/** Kept and discarded positives as numbers with keys: is the resampling biased, and in which groups? */
import type { Likeness } from '../../../shared/api/contract.ts';
import { compact, counted, decimal, percent, ratio } from '../../ui/numbers.ts';

/** Keys of the groups behind the entries of a likeness. `rocRows.ts` defines the same keys. */
const lengthKey = (like: Likeness, entry: number): string => `${like.key}:length:${entry}`;
const turnsKey = (like: Likeness, entry: number): string => `${like.key}:turns:${entry}`;
const withoutCallsKey = (like: Likeness): string => `${like.key}:without_calls`;

export interface LikenessFact {
  readonly label: string;
  readonly kept: string;
  readonly discarded: string;
  /** Key of the groups to open: those of the whole class, or only of the counted rollouts. */
  readonly keyOf: (like: Likeness) => string;
  /** Kept divided by discarded. Absent if one is unknown or 0. */
  readonly factor?: number;
}

export function likenessFacts(kept: Likeness, discarded: Likeness): readonly LikenessFact[] {
  const all = (like: Likeness) => like.key;
  const facts: (readonly [
    string,
    (like: Likeness) => number | undefined,
    (value: number) => string,
    LikenessFact['keyOf'],
  ])[] = [
    ['characters', (like) => like.meanResponseChars, (value) => compact(value), all],
    ['tokens', (like) => like.meanPolicyTokens, (value) => compact(value), all],
    ['turns', (like) => like.meanTurns, (value) => decimal(value, 2), all],
    ['tool calls', (like) => like.meanToolCalls, (value) => decimal(value, 2), all],
    [
      'without a tool call',
      (like) => like.withoutToolCalls,
      (value) => `${percent(value)} %`,
      withoutCallsKey,
    ],
  ];
  return facts.flatMap(([label, pick, text, keyOf]) => {
    const [a, b] = [pick(kept), pick(discarded)];
    if (a === undefined && b === undefined) return [];
    const factor = a === undefined || b === undefined || b === 0 ? undefined : a / b;
    return [
      {
        label,
        kept: a === undefined ? '' : text(a),
        discarded: b === undefined ? '' : text(b),
        keyOf,
        ...(factor === undefined ? {} : { factor }),
      },
    ];
  });
}

/** One class in one bin, with the key of its groups. */
interface BinSide {
  readonly key: string;
  readonly rollouts: number;
  /** Share within its own class, so that the shapes compare whatever the number of kept rollouts. */
  readonly share: number;
}

export interface Bin {
  readonly label: string;
  readonly kept: BinSide;
  readonly discarded: BinSide;
}

const lengthText = (bins: readonly number[], i: number): string => {
  const to = bins[i] ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(to) ? `≤ ${compact(to)}` : `> ${compact(bins[i - 1] ?? 0)}`;
};

export function lengthBins(bins: readonly number[], kept: Likeness, discarded: Likeness): readonly Bin[] {
  const side = (like: Likeness, i: number): BinSide => sideOf(like, lengthKey(like, i), like.lengths[i]);
  return trimmed(
    bins.map((_, i) => ({ label: lengthText(bins, i), kept: side(kept, i), discarded: side(discarded, i) })),
  );
}

export function turnBins(kept: Likeness, discarded: Likeness): readonly Bin[] {
  const length = Math.max(kept.turns.length, discarded.turns.length);
  const side = (like: Likeness, i: number): BinSide => sideOf(like, turnsKey(like, i), like.turns[i]);
  return trimmed(
    Array.from({ length }, (_, i) => ({
      label: i === length - 1 ? `${i + 1}+` : String(i + 1),
      kept: side(kept, i),
      discarded: side(discarded, i),
    })),
  );
}

const sideOf = (like: Likeness, key: string, rollouts = 0): BinSide => ({
  key,
  rollouts,
  share: ratio(rollouts, like.rollouts) ?? 0,
});

/** Removes empty bins at either end. An empty bin between two others is part of the shape. */
function trimmed(bins: readonly Bin[]): readonly Bin[] {
  const isFilled = (bin: Bin) => bin.kept.rollouts > 0 || bin.discarded.rollouts > 0;
  const first = bins.findIndex(isFilled);
  return first < 0 ? [] : bins.slice(first, bins.findLastIndex(isFilled) + 1);
}

/** Labels for every key of a likeness. `what` is its class. */
export function likenessNames(
  like: Likeness,
  what: string,
  bins: readonly number[],
): readonly (readonly [key: string, words: string])[] {
  return [
    [like.key, what],
    [withoutCallsKey(like), `${what} without a tool call`],
    ...bins.map((_, i) => [lengthKey(like, i), `${what} of ${lengthText(bins, i)} characters`] as const),
    ...like.turns.map((_, i) => {
      const turns = i === like.turns.length - 1 ? `${i + 1} or more turns` : counted(i + 1, 'turn');
      return [turnsKey(like, i), `${what} of ${turns}`] as const;
    }),
  ];
}
