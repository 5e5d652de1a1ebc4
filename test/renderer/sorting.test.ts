import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MOST_KEYS,
  parseSort,
  parseSorts,
  type Sort,
  sortedBy,
  sortedByKeys,
  sortsText,
  sortText,
  withSort,
} from '../../renderer/ui/sorting.ts';

const rows = [{ v: 2 }, { v: undefined }, { v: 1 }, { v: 3 }];

describe('sorting', () => {
  it('puts the unknown last in either direction', () => {
    expect(sortedBy(rows, (row) => row.v, 'ascending').map((row) => row.v)).toEqual([1, 2, 3, undefined]);
    expect(sortedBy(rows, (row) => row.v, 'descending').map((row) => row.v)).toEqual([3, 2, 1, undefined]);
  });

  it('compares text with its numbers', () => {
    expect(sortedBy(['p10', 'p9'], (text) => text, 'ascending')).toEqual(['p9', 'p10']);
  });

  it('goes through the URL', () => {
    const otherwise = { column: 'step', direction: 'ascending' } as const;
    const sort = { column: 'reward', direction: 'descending' } as const;
    expect(parseSort(sortText(sort), ['reward'], otherwise)).toEqual(sort);
    expect(parseSort('gone', ['reward'], otherwise)).toEqual(otherwise);
    expect(parseSort(null, ['reward'], otherwise)).toEqual(otherwise);
  });

  it('breaks ties by the further keys, at last by the order they came in', () => {
    const pairs = [
      { id: 1, a: 1, b: 1 },
      { id: 2, a: 0, b: 2 },
      { id: 3, a: 1, b: undefined },
      { id: 4, a: 1, b: 2 },
      { id: 5, a: 1, b: 1 },
    ];
    const sorted = sortedByKeys(pairs, [
      { measure: (row) => row.a, direction: 'descending' },
      { measure: (row) => row.b, direction: 'ascending' },
    ]);
    expect(sorted.map(({ id }) => id)).toEqual([1, 5, 4, 3, 2]);
  });

  it('puts words after numbers, so that an order of both has no cycle', () => {
    const mixed = [-5, '-7', '(none)', -10].map((v) => ({ v }));
    expect(sortedBy(mixed, (row) => row.v, 'ascending').map((row) => row.v)).toEqual([
      -10,
      -5,
      '-7',
      '(none)',
    ]);
  });

  it('is a total order of numbers, words and unknown values: any order of the rows gives the same', () => {
    const value = fc.oneof(
      fc.constant(undefined),
      fc.integer({ min: -12, max: 12 }),
      fc.constantFrom('-7', '-10', '7', 'C', 'c', '(none)', ''),
    );
    const values = fc.array(value, { maxLength: 8 });
    fc.assert(
      fc.property(values, fc.constantFrom('ascending' as const, 'descending' as const), (some, direction) => {
        const sort = (rows: typeof some) =>
          sortedBy(
            rows.map((v) => ({ v })),
            (row) => row.v,
            direction,
          ).map(({ v }) => v);
        expect(sort([...some].reverse())).toEqual(sort(some));
      }),
      { seed: 8, numRuns: 1000 },
    );
  });

  it('goes through the URL with several keys, in either spelling', () => {
    const columns = ['reward', 'turns', 'order'];
    const otherwise: readonly Sort[] = [{ column: 'order', direction: 'ascending' }];
    const sorts: readonly Sort[] = [
      { column: 'reward', direction: 'descending' },
      { column: 'turns', direction: 'ascending' },
    ];
    expect(sortsText(sorts)).toBe('-reward,turns');
    expect(parseSorts('-reward,turns', columns, otherwise)).toEqual(sorts);
    expect(parseSorts('reward:desc,turns:asc', columns, otherwise)).toEqual(sorts);
    expect(parseSorts('-reward,gone,reward,turns', columns, otherwise)).toEqual(sorts);
    expect(parseSorts('-reward', columns, otherwise)).toEqual(sorts.slice(0, 1));
    expect(parseSorts('gone', columns, otherwise)).toEqual(otherwise);
    expect(parseSorts(null, columns, otherwise)).toEqual(otherwise);
  });

  it('adds a key, reverses an existing one, and takes no more than the host', () => {
    const key = (column: string, direction: Sort['direction'] = 'ascending'): Sort => ({ column, direction });
    expect(withSort([key('a')], key('b'), true)).toEqual([key('a'), key('b')]);
    expect(withSort([key('a'), key('b')], key('a', 'descending'), true)).toEqual([
      key('a', 'descending'),
      key('b'),
    ]);
    expect(withSort([key('a'), key('b')], key('c'), false)).toEqual([key('c')]);
    const full = Array.from({ length: MOST_KEYS }, (_, i) => key(String(i)));
    expect(withSort(full, key('more'), true)).toEqual(full);
  });
});
