/** Histograms on both sides of 0: no value is lost, and a percentile is accurate to a thousandth. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValueHistogram } from '../../shared/domain/valueHistogram.ts';

function histogramOf(values: readonly number[], isSigned: boolean): ValueHistogram {
  const histogram = new ValueHistogram(isSigned);
  for (const value of values) histogram.add(value);
  return histogram;
}
const finite = fc.double({ min: -40, max: 40, noNaN: true });

describe('a histogram', () => {
  it.each([
    // A non-negative signal has bins of 0.02 from 0 on, whatever its values.
    [[0.05], false, { width: 0.02, from: 0, counts: [0, 0, 1], below: 0, above: 0 }],
    [[], false, { width: 0.02, from: 0, counts: [], below: 0, above: 0 }],
    // A rounding error below 0 counts as 0; truly negative values stay visible.
    [[-0.0004, 0], false, { width: 0.02, from: 0, counts: [2], below: 0, above: 0 }],
    [[-0.5, 0], false, { from: -0.5, below: 0 }],
    // Bins of signed signals fit their spread: a gap of hundredths, an advantage of units.
    [[-0.003, 0, 0.002], true, { width: 0.001, from: -0.003, counts: [1, 0, 0, 1, 0, 1] }],
    [[-1, -1, 2], true, { width: 0.02, from: -1 }],
    [[-16, 15.99], true, { width: 0.2, from: -16, below: 0, above: 0 }],
    // Values outside the grid are counted but have no bin.
    [[-99, 0, 99], true, { below: 1, above: 1, counts: [1] }],
  ] as const)('of %j, signed: %s', (values, isSigned, expected) => {
    expect(histogramOf(values, isSigned).finish()).toMatchObject(expected);
  });

  it('loses no value, and puts each on its side of 0', () => {
    const property = fc.property(fc.array(finite), fc.boolean(), (values, isSigned) => {
      const { width, from, counts, below, above } = histogramOf(values, isSigned).finish();
      const binned = counts.reduce((a, b) => a + b, 0);
      expect(binned + below + above).toBe(values.length);
      // 0 is an edge, so that no bin mixes signs.
      expect(Math.abs(from / width - Math.round(from / width))).toBeLessThan(1e-6);
      if (!isSigned) return;
      const zero = -Math.round(from / width);
      const negative = below + counts.slice(0, Math.max(0, zero)).reduce((a, b) => a + b, 0);
      expect(negative).toBe(values.filter((value) => Math.floor(value / 0.001) < 0).length);
    });
    fc.assert(property, { seed: 3 });
  });

  it('has percentiles accurate to a thousandth, on either side of 0', () => {
    const inside = fc.array(fc.double({ min: -15, max: 15, noNaN: true }), { minLength: 1 });
    const property = fc.property(inside, fc.double({ min: 0.01, max: 1, noNaN: true }), (values, share) => {
      const sorted = [...values].sort((a, b) => a - b);
      const exact = sorted[Math.max(0, Math.ceil(share * values.length) - 1)] ?? Number.NaN;
      const found = histogramOf(values, true).quantile(share) ?? Number.NaN;
      expect(found).toBeGreaterThanOrEqual(exact - 1e-9);
      expect(found - exact).toBeLessThanOrEqual(0.001 + 1e-9);
    });
    fc.assert(property, { seed: 4 });
    expect(histogramOf([], true).quantile(0.8)).toBeUndefined();
    // Unknown rather than the edge of the grid.
    expect(histogramOf([99, 99], true).quantile(0.8)).toBeUndefined();
    expect(histogramOf([-99, -99, 1], true).quantile(0.5)).toBeUndefined();
  });
});
