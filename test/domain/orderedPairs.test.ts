import { describe, expect, it } from 'vitest';
import { type Item, pairInOrder, sharedCells } from '../../shared/domain/orderedPairs.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';

const ANCHOR_EVERY = 250;

/** Items that are all unequal. Every 250th has marks that only the same item of the other side has. */
function unequalItems(count: number, side: number): readonly Item[] {
  return Array.from({ length: count }, (_, at) => ({
    identity: 2 * at + side,
    marks: at % ANCHOR_EVERY === 0 ? Uint32Array.of(3 * at, 3 * at + 1, 3 * at + 2) : new Uint32Array(0),
  }));
}

function paired(count: number) {
  const random = seededRandom(1);
  let asked = 0;
  const pairs = pairInOrder(unequalItems(count, 0), unequalItems(count, 1), {
    worth: ({ marks }) => {
      asked++;
      return marks.length > 0 ? 1 : 0.1 + random() / 10;
    },
    checkpoint: () => {},
  });
  return { pairs, asked };
}

describe('pairInOrder', () => {
  it('compares every item of a gap with every other when the lists have 2,000 items', () => {
    const { asked } = paired(2_000);
    expect(asked).toBeGreaterThanOrEqual(8 * (ANCHOR_EVERY - 1) ** 2);
  });

  it('compares a bounded number of items when 20,000 have many gaps', () => {
    const { pairs, asked } = paired(20_000);
    expect(asked).toBeLessThan(600_000);
    expect(pairs.length).toBeGreaterThan(15_000);
    for (const [at, [a, b]] of pairs.entries()) {
      const [lastA, lastB] = pairs[at - 1] ?? [-1, -1];
      expect(a > lastA && b > lastB).toBe(true);
    }
    const found = new Set(pairs.map(([a, b]) => (a === b ? a : -1)));
    for (let at = 0; at < 20_000; at += ANCHOR_EVERY) expect(found).toContain(at);
  });
});

describe('sharedCells', () => {
  it('gives every turn all cells when few have many segments', () => {
    const [share = 0] = sharedCells(Array.from({ length: 8 }, () => [256, 256] as const));
    expect(share).toBeGreaterThanOrEqual(256 * 256);
  });

  it('divides a bounded number among very many', () => {
    const shares = sharedCells([[10, 10], ...Array.from({ length: 80 }, () => [256, 256] as const)]);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThan(600_000);
  });
});
