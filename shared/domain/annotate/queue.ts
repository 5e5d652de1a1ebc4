/**
 * In which order rollouts are read. The order is made of everything that is asked for, and only then is left out what
 * has been read: reading one does not shuffle the others, nor do rollouts that come in meanwhile.
 */

/** A number for each id that says nothing about it; the same for the same seed. Two lots for one id are equally likely either way. */
function lotOf(id: number, seed: number): number {
  let mixed = Math.imul(id ^ (id >>> 16), 0x45d9f3b) ^ Math.imul(seed ^ 0x9e3779b9, 0x27d4eb2f);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** By lot; the same whatever order they come in. */
export function drawn(ids: Uint32Array, seed: number): Uint32Array {
  const lots = Float64Array.from(ids, (id) => lotOf(id, seed));
  const order = Uint32Array.from(ids.keys());
  order.sort((a, b) => (lots[a] ?? 0) - (lots[b] ?? 0) || (ids[a] ?? 0) - (ids[b] ?? 0));
  return order.map((at) => ids[at] ?? 0);
}

/** One of each group in turn: groups by lot, and those of a group by lot. */
export function stratified(ids: Uint32Array, groupOf: (at: number) => number, seed: number): Uint32Array {
  const groups = new Map<number, number[]>();
  ids.forEach((id, at) => {
    const group = groupOf(at);
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [id]);
    else members.push(id);
  });
  const keys = drawn(Uint32Array.from(groups.keys()), seed);
  const members = Array.from(keys, (key) => drawn(Uint32Array.from(groups.get(key) ?? []), seed));
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

/** What readers other than the one who asks have said of a rollout. */
export interface OtherReadings {
  /** Labels of each who has read it; one without any is among them. */
  readonly labels: readonly ReadonlySet<string>[];
}

/** Most differences first; then what one other has read; then the rest. Equal ones stay as they stand. */
export function byDisagreement(
  ids: Uint32Array,
  othersOf: (id: number) => OtherReadings | undefined,
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

/** Labels that some of the readers gave and others did not. */
function disputed(readings: readonly ReadonlySet<string>[]): number {
  const counts = new Map<string, number>();
  for (const labels of readings) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  let differing = 0;
  for (const count of counts.values()) if (count < readings.length) differing++;
  return differing;
}
