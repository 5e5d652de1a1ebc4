/** Searches with needles of any length, against those of the engine. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eachMatch, indexIn, lastIndexIn } from '../../shared/domain/linearSearch.ts';

const repetitive = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 });

it('finds the same places as the engine, whatever the length', () => {
  const property = fc.property(repetitive, repetitive, fc.nat(60), (text, piece, from) => {
    // Longer than 250 characters each, so that the engine does not do it.
    const [long, needle] = [text.repeat(30), piece.repeat(10)];
    for (const each of [piece, needle]) {
      expect(indexIn(long, each)).toBe(long.indexOf(each));
      expect(indexIn(long, each, from)).toBe(long.indexOf(each, from));
      expect(lastIndexIn(long, each)).toBe(long.lastIndexOf(each));
      if (each === '') continue;
      const found: number[] = [];
      eachMatch(long, each, 0, (at) => {
        found.push(at);
        return false;
      });
      expect(found).toEqual([...long].flatMap((_, at) => (long.startsWith(each, at) ? [at] : [])));
    }
  });
  fc.assert(property, { seed: 3, numRuns: 300 });
});

it('takes linear time where the engine compares each place with the whole needle', () => {
  const text = 'a'.repeat(2_000_000);
  const before = process.cpuUsage();
  for (const needle of [`${'a'.repeat(10)}b${'a'.repeat(400_000)}`, `${'a'.repeat(400_000)}b`])
    expect([indexIn(text, needle), lastIndexIn(text, needle)]).toEqual([-1, -1]);
  // The engine takes minutes.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
});
