import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_SPACER,
  rowSpace,
  scrollTopShowing,
  virtualTop,
  visibleRows,
} from '../../renderer/ui/virtualRows.ts';

const VIEWPORT = 600;

describe('virtual rows', () => {
  it('is as tall as its rows when they fit', () => {
    const space = rowSpace(1_000, 28, VIEWPORT);
    expect(space.spacer).toBe(28_000);
    expect(visibleRows(space, 280, 0)).toEqual({ first: 10, end: 32, top: 280 });
  });

  it('reaches the last of 3 million rows', () => {
    const space = rowSpace(3_000_000, 28, VIEWPORT);
    expect(space.spacer).toBe(MAX_SPACER);
    const bottom = MAX_SPACER - VIEWPORT;
    expect(visibleRows(space, bottom, 0).end).toBe(3_000_000);
    expect(visibleRows(space, 0, 0).first).toBe(0);
  });

  it.each([3, 40])('draws no row below the spacer of a list that shrank to %i', (count) => {
    const space = rowSpace(count, 28, VIEWPORT);
    const { first, end, top } = visibleRows(space, 20_000, 6);
    expect(end).toBe(count);
    expect(top).toBe(first * 28);
    expect(top + (end - first) * 28).toBe(space.spacer);
  });

  it('shows any requested row', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, from, to) => {
          const space = rowSpace(count, 28, VIEWPORT);
          const index = Math.min(count - 1, Math.floor(to * count));
          const top = virtualTop(
            space,
            scrollTopShowing(space, from * Math.max(0, space.spacer - VIEWPORT), index),
          );
          expect(index * 28).toBeGreaterThanOrEqual(top - 0.01);
          expect((index + 1) * 28).toBeLessThanOrEqual(top + VIEWPORT + 0.01);
        },
      ),
    );
  });

  it('does not scroll for a visible row', () => {
    const space = rowSpace(100, 28, VIEWPORT);
    expect(scrollTopShowing(space, 280, 12)).toBe(280);
  });
});
