/**
 * The siblings of a group as a strip of bars: right, unknown, wrong; in each by penalty, then by rollout
 * order. That is the order in which the release ranks positives, so its cut is one line.
 */
import type { LedgerEntry } from './ledgerModel.ts';

export interface StripBar {
  readonly entry: LedgerEntry;
  /** 0…1 of the tallest; undefined: not known, drawn as a foot only. */
  readonly height: number | undefined;
}

export interface Strip {
  readonly bars: readonly StripBar[];
  readonly heightMeans: 'penalty' | 'response length';
  /** Positives before this index were kept and those from it on discarded; absent where no line parts them. */
  readonly cutAt?: number;
}

const RANK = { right: 0, unknown: 1, wrong: 2 } as const;

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
