import { useRef } from 'react';

/**
 * Keys of the rows in sight. A row that stays in sight keeps its own; after a leap to where none of them is, the elements
 * of the former rows are given the new ones: to fill them is less work than to make others.
 *
 * @param shown half-open
 */
export function useRowKeys(shown: {
  readonly first: number;
  readonly end: number;
}): (index: number) => number {
  const former = useRef({ first: shown.first, end: shown.end, base: 0 });
  const { first, end, base } = former.current;
  const isLeap = shown.first >= end || shown.end <= first;
  former.current = {
    first: shown.first,
    end: shown.end,
    base: isLeap ? base + shown.first - first : base,
  };
  const own = former.current.base;
  return (index) => index - own;
}
