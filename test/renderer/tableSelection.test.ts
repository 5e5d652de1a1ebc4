import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allRows,
  extendedTo,
  isRowSelected,
  NO_ROWS,
  type RowSelection,
  selectedCount,
  selectedIndexes,
  withRowFlipped,
} from '../../renderer/ui/useRowSelection.ts';

describe('selected rows', () => {
  it('Shift extends from the anchor, and shrinks again', () => {
    const one = withRowFlipped(NO_ROWS, 10);
    expect(selectedIndexes(extendedTo(one, 0, 13))).toEqual([10, 11, 12, 13]);
    expect(selectedIndexes(extendedTo(extendedTo(one, 0, 13), 0, 11))).toEqual([10, 11]);
    expect(selectedIndexes(extendedTo(extendedTo(one, 0, 13), 0, 8))).toEqual([8, 9, 10]);
  });

  it('without an anchor Shift extends from the cursor', () => {
    expect(selectedIndexes(extendedTo(NO_ROWS, 4, 5))).toEqual([4, 5]);
  });

  it('separate selections stay', () => {
    const apart = withRowFlipped(withRowFlipped(NO_ROWS, 2), 20);
    expect(selectedIndexes(extendedTo(apart, 0, 22))).toEqual([2, 20, 21, 22]);
    expect(selectedIndexes(withRowFlipped(apart, 2))).toEqual([20]);
  });

  it('all of a million rows is one range', () => {
    const all = allRows(1_000_000);
    expect(selectedCount(all)).toBe(1_000_000);
    expect(all.ranges).toHaveLength(1);
    const less = withRowFlipped(all, 500_000);
    expect(selectedCount(less)).toBe(999_999);
    expect(isRowSelected(less, 500_000)).toBe(false);
    expect(isRowSelected(less, 500_001)).toBe(true);
    expect(selectedCount(allRows(0))).toBe(0);
  });

  it('equals a set of positions', () => {
    const step = fc.record({ isShift: fc.boolean(), index: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let selection: RowSelection = NO_ROWS;
        let base = new Set<number>();
        let model = new Set<number>();
        let anchor: number | undefined;
        for (const { isShift, index } of steps) {
          if (isShift) {
            if (anchor === undefined) base = new Set(model);
            anchor ??= 3;
            model = new Set(base);
            for (let i = Math.min(anchor, index); i <= Math.max(anchor, index); i++) model.add(i);
            selection = extendedTo(selection, 3, index);
          } else {
            model = new Set(model);
            if (!model.delete(index)) model.add(index);
            base = model;
            anchor = index;
            selection = withRowFlipped(selection, index);
          }
          expect(selectedIndexes(selection)).toEqual([...model].sort((a, b) => a - b));
          expect(selectedCount(selection)).toBe(model.size);
          for (let i = 0; i < 32; i++) expect(isRowSelected(selection, i)).toBe(model.has(i));
        }
      }),
    );
  });
});
