/** Orders of the review queue. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byDisagreement, shuffled, stratified } from '../../../shared/domain/annotate/queue.ts';

const idSets = fc.uniqueArray(fc.nat(100_000), { maxLength: 200 }).map((ids) => Uint32Array.from(ids));
const sorted = (ids: Uint32Array): Uint32Array => ids.slice().sort((a, b) => a - b);

it('shuffles by the seed alone, and keeps every id once', () => {
  fc.assert(
    fc.property(idSets, fc.nat(), (ids, seed) => {
      const order = shuffled(ids, seed);
      expect(shuffled(ids.slice().reverse(), seed)).toEqual(order);
      expect(sorted(order)).toEqual(sorted(ids));
    }),
  );
});

it('removing some keeps the order of the others', () => {
  fc.assert(
    fc.property(idSets, fc.nat(), fc.integer({ min: 2, max: 5 }), (ids, seed, by) => {
      const some = ids.filter((id) => id % by === 0);
      expect(shuffled(ids, seed).filter((id) => id % by === 0)).toEqual(shuffled(some, seed));
    }),
  );
});

it('another seed gives another order, and positions are equally likely', () => {
  const ids = Uint32Array.from({ length: 10 }, (_, i) => i + 1);
  const first = new Map<number, number>();
  for (let seed = 0; seed < 5_000; seed++) {
    const id = shuffled(ids, seed)[0] ?? 0;
    first.set(id, (first.get(id) ?? 0) + 1);
  }
  // 500 each; five standard deviations are 106.
  for (const id of ids) expect(Math.abs((first.get(id) ?? 0) - 500)).toBeLessThan(106);
});

it('stratified returns one of each group in turn', () => {
  fc.assert(
    fc.property(idSets, fc.nat(), (ids, seed) => {
      const groupOf = (id: number): number => id % 7;
      const order = stratified(ids, (at) => groupOf(ids[at] ?? 0), seed);
      expect(sorted(order)).toEqual(sorted(ids));
      const taken = new Map<number, number>();
      let round = 0;
      for (const id of order) {
        const rank = taken.get(groupOf(id)) ?? 0;
        expect(rank).toBeGreaterThanOrEqual(round);
        round = rank;
        taken.set(groupOf(id), rank + 1);
      }
      expect(stratified(ids, (at) => groupOf(ids[at] ?? 0), seed)).toEqual(order);
    }),
  );
});

it('by disagreement: most differences first, then those one other has read, then the rest', () => {
  const labels = (...each: string[]) => ({
    labels: each.map((names) => new Set(names.split(' ').filter(Boolean))),
  });
  const others = new Map([
    [2, labels('a')],
    [3, labels('a', 'b')],
    [4, labels('a b', 'c d')],
    [5, labels('a', 'a')],
    [6, labels('', 'a')],
  ]);
  const order = byDisagreement(Uint32Array.of(1, 2, 3, 4, 5, 6, 7), (id) => others.get(id));
  expect([...order]).toEqual([4, 3, 6, 2, 5, 1, 7]);
});
