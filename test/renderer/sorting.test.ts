import { describe, expect, it } from 'vitest';
import { parseSort, sortedBy, sortText } from '../../renderer/ui/sorting.ts';

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
});
