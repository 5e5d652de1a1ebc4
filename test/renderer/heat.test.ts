import { describe, expect, it } from 'vitest';
import {
  entropyMeaning,
  heatLevel,
  heatLevels,
  heatThresholds,
  markedTokens,
  policyValues,
  shareBelow,
  signalOf,
  tokenAt,
} from '../../renderer/views/replay/heatModel.ts';

const INFO = {
  count: 2,
  isAligned: true,
  hasEntropy: false,
  hasLogprob: true,
  hasTrainerLogprob: false,
  hasMask: true,
};

describe('token heat', () => {
  it('never calls surprisal entropy', () => {
    const signal = signalOf(INFO, { count: 2, logprob: Float32Array.of(-0.5, -2) });
    expect(signal?.kind).toBe('surprisal');
    expect(signal?.meaning).toContain('not entropy');
    expect(Array.from(signal?.values ?? [])).toEqual([0.5, 2]);
    expect(signalOf(INFO, { count: 2 })).toBeUndefined();
  });

  it('says what the entropy is of', () => {
    expect(entropyMeaning({ kind: 'full', unit: 'nats', temperature: 1, policy: 'trainer' })).toBe(
      'entropy, full distribution, nats, T = 1, trainer policy',
    );
    expect(entropyMeaning({ kind: 'top-k', k: 20 })).toBe('entropy, of the top 20 only, unit not logged');
  });

  it('marks the top fifth of the policy tokens, whatever the environment printed', () => {
    const values = Float32Array.from({ length: 110 }, (_, i) => (i < 100 ? i + 1 : 1_000));
    const mask = Uint8Array.from({ length: 110 }, (_, i) => (i < 100 ? 1 : 0));
    const thresholds = heatThresholds(policyValues(values, mask));
    expect(thresholds).toEqual([81, 91, 97, 100]);
    const levels = heatLevels(values, mask, thresholds);
    expect(levels.filter((level) => level > 0)).toHaveLength(20);
    expect(levels.slice(100).every((level) => level === 0)).toBe(true);
  });

  it('marks nothing where nothing is known or nothing is uncertain', () => {
    expect(heatThresholds(policyValues(Float32Array.of(Number.NaN), undefined))).toEqual([]);
    expect(heatLevel(0, [0, 0, 0, 0])).toBe(0);
    expect(heatLevel(Number.NaN, [0])).toBe(0);
  });

  it('finds the token of a character', () => {
    const ends = Uint32Array.of(3, 7, 8);
    expect([0, 2, 3, 7, 8].map((offset) => tokenAt(ends, offset))).toEqual([0, 0, 1, 2, 3]);
  });

  it('marks exact characters, without the space before a word', () => {
    //            0123456789
    const text = 'The Wait, x';
    const ends = Uint32Array.of(3, 8, 9, 11);
    const levels = Uint8Array.of(0, 4, 1, 2);
    expect(markedTokens({ start: 0, end: 11 }, text, ends, levels)).toEqual([
      { start: 4, end: 8, level: 4 },
      { start: 8, end: 9, level: 1 },
      { start: 10, end: 11, level: 2 },
    ]);
    expect(markedTokens({ start: 5, end: 8 }, text, ends, levels)).toEqual([{ start: 5, end: 8, level: 4 }]);
  });

  it('says how many policy tokens are lower', () => {
    const known = Float32Array.of(0, 1, 1, 3);
    expect([0, 1, 2, 9].map((value) => shareBelow(known, value))).toEqual([0, 0.25, 0.75, 1]);
    expect(shareBelow(new Float32Array(), 1)).toBe(0);
  });
});
