import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packEnds, packMask, unpackEnds, unpackMask } from '../../electron/storage/tokenColumns.ts';

it('offsets and masks survive a round trip', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3_000_000 }), { maxLength: 50 }),
      fc.array(fc.boolean()),
      (steps, bits) => {
        let end = 0;
        const ends = Uint32Array.from(steps, (step) => {
          end += step;
          return end;
        });
        expect(unpackEnds(packEnds(ends), ends.length)).toEqual(ends);
        const mask = Uint8Array.from(bits, Number);
        expect(unpackMask(packMask(mask), mask.length)).toEqual(mask);
      },
    ),
    { seed: 8 },
  );
});
