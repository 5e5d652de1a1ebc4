/** Entropy from a partially known distribution, with bounds that hold for any tail. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entropyOf, surprisalOf, topKEntropy } from '../../shared/domain/entropy.ts';

const QWEN3 = 151_936;
const logs = (...head: readonly number[]) => head.map(Math.log);

describe('topKEntropy', () => {
  // shared/domain/DOMAIN.md#entropy-from-listed-alternatives, with the vocabulary of Qwen3.
  it.each([
    [[0.97, 0.02, 0.005, 0.002, 0.001], 0.154, 0.167, 0.19],
    [[0.6, 0.2, 0.1, 0.05, 0.03], 1.114, 1.192, 1.43],
    [[0.25, 0.15, 0.1, 0.08, 0.07], 1.25, 2.18, 5.793],
  ])('of %j is %d truncated, between %d and %d', (head, truncated, lower, upper) => {
    const found = topKEntropy(logs(...head), { vocabulary: QWEN3 });
    expect(found?.truncated).toBeCloseTo(truncated, 3);
    expect(found?.lower).toBeCloseTo(lower, 3);
    expect(found?.upper).toBeCloseTo(upper, 3);
    expect(found?.tail).toBeCloseTo(1 - head.reduce((sum, p) => sum + p, 0), 12);
  });

  it('has no upper bound without the vocabulary size', () => {
    const found = topKEntropy(logs(0.6, 0.2));
    expect(found).not.toHaveProperty('upper');
    expect(found?.lower).toBeGreaterThan(found?.truncated ?? Number.NaN);
  });

  it('returns undefined for an empty list, and skips invalid probabilities', () => {
    expect(topKEntropy([])).toBeUndefined();
    expect(topKEntropy([Number.NaN, Number.NEGATIVE_INFINITY])).toBeUndefined();
    expect(topKEntropy([0])).toEqual({ truncated: 0, tail: 0, lower: 0 });
    // Rounding may push a log-probability above 0, and the sum above 1.
    expect(topKEntropy([1e-7, Math.log(1e-4)], { vocabulary: 10 })?.tail).toBe(0);
  });

  it('bounds the entropy of the full softmax', () => {
    const logits = fc.array(fc.double({ min: -12, max: 12, noNaN: true }), { minLength: 2, maxLength: 60 });
    const property = fc.property(logits, fc.nat(), fc.nat(), (z, choice, draw) => {
      const most = Math.max(...z);
      const sum = z.reduce((total, value) => total + Math.exp(value - most), 0);
      const all = z.map((value) => value - most - Math.log(sum)).sort((a, b) => b - a);
      const k = 1 + (choice % all.length);
      const truth = entropyOf(all);
      const head = topKEntropy(all.slice(0, k), { vocabulary: all.length });
      expect(head?.truncated).toBeLessThanOrEqual(truth + 1e-9);
      expect(head?.lower).toBeLessThanOrEqual(truth + 1e-9);
      expect(head?.upper).toBeGreaterThanOrEqual(truth - 1e-9);
      // A sampled token beyond the list narrows both.
      const sampled = all[k + (draw % Math.max(1, all.length - k))];
      if (sampled === undefined) return;
      const more = topKEntropy(all.slice(0, k), { vocabulary: all.length, sampled });
      expect(more?.lower).toBeLessThanOrEqual(truth + 1e-9);
      expect(more?.upper).toBeGreaterThanOrEqual(truth - 1e-9);
    });
    fc.assert(property, { seed: 4_101, numRuns: 2000 });
  });
});

it('the mean surprisal of samples is the entropy', () => {
  const all = logs(0.5, 0.25, 0.125, 0.125);
  const mean = all.reduce((sum, logprob) => sum + Math.exp(logprob) * surprisalOf(logprob), 0);
  expect(mean).toBeCloseTo(entropyOf(all), 12);
});
