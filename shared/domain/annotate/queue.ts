/**
 * Orders of the review queue. The order covers all requested rollouts, and reviewed ones are removed
 * afterwards. So neither a review nor newly ingested rollouts shuffle the others.
 */

/** A pseudorandom number per id, determined by the seed. Any two ids are equally likely in either order. */
function shuffleKey(id: number, seed: number): number {
  let mixed = Math.imul(id ^ (id >>> 16), 0x45d9f3b) ^ Math.imul(seed ^ 0x9e3779b9, 0x27d4eb2f);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Shuffles ids by the seed, independent of their input order. */
export function shuffled(ids: Uint32Array, seed: number): Uint32Array {
  const keys = Float64Array.from(ids, (id) => shuffleKey(id, seed));
  const order = Uint32Array.from(ids.keys());
  order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || (ids[a] ?? 0) - (ids[b] ?? 0));
  return order.map((at) => ids[at] ?? 0);
}

/** One rollout of each group in turn. Groups are shuffled, and so are the rollouts within each. */
export function stratified(ids: Uint32Array, groupOf: (at: number) => number, seed: number): Uint32Array {
  const groups = new Map<number, number[]>();
  ids.forEach((id, at) => {
    const group = groupOf(at);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [id]);
    else members.push(id);
  });
  const keys = shuffled(Uint32Array.from(groups.keys()), seed);
  const members = Array.from(keys, (key) => shuffled(Uint32Array.from(groups.get(key) ?? []), seed));
  const ordered = new Uint32Array(ids.length);
  let count = 0;
  for (let round = 0; count < ids.length; round++) {
    for (const each of members) {
      const id = each[round];
      if (id !== undefined) ordered[count++] = id;
    }
  }
  return ordered;
}

/** Labels that other reviewers gave a rollout. */
export interface OtherReviews {
  /** Label set of each reviewer who has read it; may be empty. */
  readonly labels: readonly ReadonlySet<string>[];
}

/** Most disputed first, then those one other reviewer has read, then the rest. Stable. */
export function byDisagreement(
  ids: Uint32Array,
  othersOf: (id: number) => OtherReviews | undefined,
): Uint32Array {
  const ranks = Float64Array.from(ids, (id) => {
    const others = othersOf(id);
    if (others === undefined || others.labels.length === 0) return 0;
    return others.labels.length === 1 ? 0.5 : 0.25 + disputed(others.labels);
  });
  const order = Uint32Array.from(ids.keys());
  order.sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
  return order.map((at) => ids[at] ?? 0);
}

/** Number of labels that some reviewers gave and others did not. */
function disputed(labelSets: readonly ReadonlySet<string>[]): number {
  const counts = new Map<string, number>();
  for (const labels of labelSets) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  let differing = 0;
  for (const count of counts.values()) if (count < labelSets.length) differing++;
  return differing;
}
