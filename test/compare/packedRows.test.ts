import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ComparedBlock, ComparedRow, Comparison } from '../../shared/api/contract.ts';
import { packComparison, unpackComparison } from '../../shared/api/packedRows.ts';

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });

const comparison = fc.integer({ min: 1, max: 4 }).chain((laneCount): fc.Arbitrary<Comparison> => {
  const perLane = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
    fc.array(value, { minLength: laneCount, maxLength: laneCount });
  const edit = fc
    .array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 5, maxLength: 10 })
    .map((numbers) => new Int32Array(numbers));
  const block: fc.Arbitrary<ComparedBlock> = fc.record({
    segments: perLane(maybe(fc.nat())),
    relations: perLane(maybe(fc.constantFrom('equal', 'similar', 'only'))),
    edits: perLane(maybe(edit)),
  });
  const row: fc.Arbitrary<ComparedRow> = fc.record({
    turns: perLane(maybe(fc.nat())),
    isEqual: fc.boolean(),
    blocks: fc.array(block, { maxLength: 4 }),
  });
  const lane = maybe(fc.record({ prefix: fc.record({ turns: fc.nat(), chars: fc.nat() }), cost: fc.nat() }));
  return fc.record({
    rows: fc.array(row, { maxLength: 8 }),
    lanes: perLane(lane),
  }) as fc.Arbitrary<Comparison>;
});

describe('a comparison on the wire', () => {
  it('is equal after packing', () => {
    fc.assert(
      fc.property(comparison, (one) => {
        expect(unpackComparison(packComparison(one))).toEqual(one);
      }),
    );
  });

  it('is equal without rows', () => {
    const none: Comparison = { rows: [], lanes: [null, null] };
    expect(unpackComparison(packComparison(none))).toEqual(none);
  });
});
