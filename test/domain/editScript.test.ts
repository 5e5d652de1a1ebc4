import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommonRuns, commonRuns, longestRising } from '../../shared/domain/editScript.ts';

const compare = (a: readonly number[], b: readonly number[]): CommonRuns =>
  commonRuns(Int32Array.from(a), Int32Array.from(b), () => {});

/** Length of a longest common subsequence, by the textbook algorithm. */
function longestCommon(a: readonly number[], b: readonly number[]): number {
  let above = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const here = [0];
    b.forEach((y, j) => {
      here.push(x === y ? (above[j] ?? 0) + 1 : Math.max(above[j + 1] ?? 0, here[j] ?? 0));
    });
    above = here;
  }
  return above.at(-1) ?? 0;
}

function expectRuns(runs: CommonRuns, a: readonly number[], b: readonly number[]): number {
  let [atA, atB, common] = [0, 0, 0];
  for (let i = 0; i < runs.length; i += 3) {
    const [x = -1, y = -1, length = 0] = runs.subarray(i, i + 3);
    expect(length).toBeGreaterThan(0);
    expect(x).toBeGreaterThanOrEqual(atA);
    expect(y).toBeGreaterThanOrEqual(atB);
    if (i > 0) expect(x > atA || y > atB).toBe(true);
    expect(a.slice(x, x + length)).toEqual(b.slice(y, y + length));
    [atA, atB, common] = [x + length, y + length, common + length];
  }
  expect(atA).toBeLessThanOrEqual(a.length);
  expect(atB).toBeLessThanOrEqual(b.length);
  return common;
}

const few = fc.array(fc.nat(4), { maxLength: 40 });
const many = fc.array(fc.nat(300), { minLength: 700, maxLength: 1500 });

describe('commonRuns', () => {
  it('finds a longest common subsequence within the exact bounds', () => {
    fc.assert(
      fc.property(few, few, (a, b) => {
        expect(expectRuns(compare(a, b), a, b)).toBe(longestCommon(a, b));
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  it('is common and in order beyond the bounds, too', () => {
    fc.assert(
      fc.property(many, many, (a, b) => {
        expectRuns(compare(a, b), a, b);
      }),
      { seed: 2, numRuns: 30 },
    );
  });

  it('finds a passage moved far, among much that differs', () => {
    const passage = Array.from({ length: 200 }, (_, i) => (i % 17 === 0 ? -i : i % 7));
    const noise = (seed: number, length: number): number[] =>
      Array.from({ length }, (_, i) => 1000 + ((i * 7919 * seed) % 97));
    const a = [...noise(1, 4000), ...passage, ...noise(2, 100)];
    const b = [...noise(5, 100), ...passage, ...noise(3, 4000)];
    expect(expectRuns(compare(a, b), a, b)).toBeGreaterThanOrEqual(200);
  });

  it('does not depend on the numbering of units', () => {
    fc.assert(
      fc.property(many, many, (a, b) => {
        const other = (ids: readonly number[]): number[] => ids.map((id) => 5000 - 3 * id);
        expect(compare(other(a), other(b))).toEqual(compare(a, b));
      }),
      { seed: 3, numRuns: 20 },
    );
  });

  it('is one run for equal sequences, and empty for disjoint ones', () => {
    expect([...compare([1, 2, 3], [1, 2, 3])]).toEqual([0, 0, 3]);
    expect([...compare([1, 2], [3])]).toEqual([]);
    expect([...compare([], [])]).toEqual([]);
  });
});

it('longestRising selects the maximum', () => {
  expect(
    longestRising([
      [0, 5],
      [1, 1],
      [2, 2],
      [3, 0],
      [4, 3],
    ]),
  ).toEqual([
    [1, 1],
    [2, 2],
    [4, 3],
  ]);
  expect(longestRising([])).toEqual([]);
});
