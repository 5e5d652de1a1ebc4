/** Counts rollouts and groups, and remembers the groups behind every number. */
import type { Bucket, GroupTally, Tally } from '../../shared/api/rocRows.ts';

/** The groups behind each number. Groups arrive one after another, so each is stored once. */
export class GroupKeys {
  private readonly groups = new Map<string, number[]>();

  note(key: string, groupId: number): void {
    const ids = this.groups.get(key);
    if (ids === undefined) this.groups.set(key, [groupId]);
    else if (ids[ids.length - 1] !== groupId) ids.push(groupId);
  }

  count(key: string): number {
    return this.groups.get(key)?.length ?? 0;
  }

  /** Empty for a number that is 0. */
  idsOf(key: string): Uint32Array {
    return Uint32Array.from(this.groups.get(key) ?? []);
  }

  tally(key: string): GroupTally {
    return { key, groups: this.count(key) };
  }
}

export class Counter {
  readonly key: string;
  private readonly keys: GroupKeys;
  private rollouts = 0;
  private kept = 0;
  private decided = 0;

  constructor(key: string, keys: GroupKeys) {
    this.key = key;
    this.keys = keys;
  }

  /** @param share kept fraction of the rollout, 0 … 1; NaN: undecided */
  add(groupId: number, share: number): void {
    this.rollouts++;
    this.keys.note(this.key, groupId);
    if (Number.isNaN(share)) return;
    this.decided++;
    this.kept += share;
  }

  finish(): Tally {
    const { key, rollouts, kept, decided } = this;
    return { key, rollouts, groups: this.keys.count(key), kept, decided };
  }
}

/**
 * Fixed ranges of a penalty. Exactly 0 is a separate range, because RoC selects for it. So is 0.5 if it
 * means "no tool call".
 */
export class Buckets {
  private readonly edges: readonly (readonly [from: number, to: number])[];
  private readonly counters: readonly { readonly positives: Counter; readonly negatives: Counter }[];
  private most: number;

  constructor(key: string, edges: readonly (readonly [from: number, to: number])[], keys: GroupKeys) {
    this.edges = edges;
    this.most = edges.at(-1)?.[1] ?? 0;
    this.counters = edges.map(([from]) => ({
      positives: new Counter(`${key}:${from}:positives`, keys),
      negatives: new Counter(`${key}:${from}:negatives`, keys),
    }));
  }

  add(value: number | undefined, isPositive: boolean, groupId: number, share: number): void {
    if (value === undefined) return;
    let at = this.edges.length - 1;
    while (at > 0 && value < (this.edges[at]?.[0] ?? 0)) at--;
    if (value > this.most) this.most = value;
    const counter = this.counters[at];
    (isPositive ? counter?.positives : counter?.negatives)?.add(groupId, share);
  }

  finish(): readonly Bucket[] {
    return this.counters.map(({ positives, negatives }, i) => {
      const [from = 0, to = 0] = this.edges[i] ?? [];
      const isLast = i === this.counters.length - 1;
      return {
        from,
        to: isLast ? this.most : to,
        positives: positives.finish(),
        negatives: negatives.finish(),
      };
    });
  }
}

/** The lower bound of "above 0". */
const ABOVE = Number.MIN_VALUE;
export const PART_EDGES = [
  [0, 0],
  [ABOVE, 0.25],
  [0.25, 0.5],
  [0.5, 0.5 + 1e-9],
  [0.5 + 1e-9, 0.75],
  [0.75, 1],
  [1, 1],
] as const;
export const PENALTY_EDGES = [
  [0, 0],
  [ABOVE, 0.25],
  [0.25, 0.5],
  [0.5, 0.75],
  [0.75, 1],
  [1, 1.25],
  [1.25, 1.5],
  [1.5, 2],
] as const;
