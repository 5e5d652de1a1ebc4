import { describe, expect, it } from 'vitest';
import {
  flaggedRanges,
  heatCuts,
  heatLevel,
  heatLevels,
  markedTokens,
  reachedLevels,
  shareBelow,
  tokenAt,
} from '../../renderer/views/replay/text/heatModel.ts';
import { formulaMark, type TextMarks } from '../../renderer/views/replay/text/textMarks.ts';
import { signalLabels } from '../../renderer/views/replay/text/tokenHeat.ts';
import { REFLECTION } from '../../shared/domain/reflection.ts';
import { policyValues, quantileThreshold } from '../../shared/domain/thresholds.ts';

const VALUES = Float32Array.of(0.5, 2);

describe('labels beside the scale', () => {
  it('never calls surprisal entropy', () => {
    const words = signalLabels({
      signal: 'surprisal',
      source: { kind: 'surprisal', unit: 'nats', policy: 'rollout' },
    });
    expect(words?.name).toBe('surprisal');
    expect(words?.source).toBe('surprisal, not entropy, nats, T unknown, rollout policy');
  });

  it('names the distribution of the entropy', () => {
    const source = { kind: 'full', unit: 'nats', temperature: 1, policy: 'trainer' } as const;
    expect(signalLabels({ signal: 'entropy', source })?.source).toBe(
      'entropy, full, nats, T=1.0, trainer policy',
    );
    expect(signalLabels({ signal: 'entropy', source: { kind: 'unsaid' } })?.source).toBe(
      'entropy, as logged, distribution not stated, unit not logged, T unknown',
    );
    expect(signalLabels({ signal: 'entropy', source: { kind: 'top-k', k: 20 } })?.source).toBe(
      'entropy, of the top 20 only, as logged, unit not logged, T unknown',
    );
  });

  it('calls the entropy of listed alternatives a lower bound', () => {
    const source = { kind: 'top-k', k: 5, unit: 'nats' } as const;
    const words = signalLabels({ signal: 'entropy', source, tail: VALUES });
    expect(words?.name).toBe('entropy ≥');
    expect(words?.source).toBe('entropy ≥, lower bound from the 5 alternatives listed, nats, T unknown');
  });

  it('is empty for a missing signal', () => {
    expect(signalLabels({})).toBeUndefined();
    expect(signalLabels({ signal: 'logprob', source: { kind: 'logprob' } })).toBeUndefined();
  });
});

describe('token heat', () => {
  it('marks the top fifth of the policy tokens, whatever the environment printed', () => {
    const values = Float32Array.from({ length: 110 }, (_, i) => (i < 100 ? i + 1 : 1_000));
    const mask = Uint8Array.from({ length: 110 }, (_, i) => (i < 100 ? 1 : 0));
    const known = policyValues(values, mask);
    const thresholds = heatCuts(known, quantileThreshold(known, 0.2));
    expect(thresholds).toEqual([81, 91, 97, 100]);
    const levels = heatLevels(values, mask, thresholds);
    expect(levels.filter((level) => level > 0)).toHaveLength(20);
    expect(levels.slice(100).every((level) => level === 0)).toBe(true);
  });

  it('marks nothing if nothing is known or uncertain', () => {
    expect(heatCuts(policyValues(Float32Array.of(Number.NaN), undefined), undefined)).toEqual([]);
    expect(heatCuts(Float32Array.of(0.1), 0.5)).toEqual([]);
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
      { start: 4, end: 8, level: 4, token: 1 },
      { start: 8, end: 9, level: 1, token: 2 },
      { start: 10, end: 11, level: 2, token: 3 },
    ]);
    expect(markedTokens({ start: 5, end: 8 }, text, ends, levels)).toEqual([
      { start: 5, end: 8, level: 4, token: 1 },
    ]);
  });

  it('counts lower policy tokens', () => {
    const known = Float32Array.of(0, 1, 1, 3);
    expect([0, 1, 2, 9].map((value) => shareBelow(known, value))).toEqual([0, 0.25, 0.75, 1]);
    expect(shareBelow(new Float32Array(), 1)).toBe(0);
  });

  it('joins neighbours that carry the same flag', () => {
    const ends = Uint32Array.of(2, 4, 6, 8);
    const flags = Uint8Array.of(1, 1, 0, 1);
    expect(flaggedRanges({ start: 1, end: 7 }, ends, flags)).toEqual([
      { start: 1, end: 4 },
      { start: 6, end: 7 },
    ]);
  });

  it('has as many levels in its legend as tokens can reach', () => {
    expect(reachedLevels([0.1, 0.2, 0.3, 0.4])).toEqual([1, 2, 3, 4]);
    expect(reachedLevels([0.7, 0.7, 0.7, 0.9])).toEqual([3, 4]);
    expect(reachedLevels([0.2, 0.2, 0.2, 0.2])).toEqual([4]);
    expect(reachedLevels([])).toEqual([]);
  });

  it('marks a formula as a whole, by the highest token in it', () => {
    const text = 'so $x^2$ is $y$.';
    const heat = {
      response: text,
      ends: Uint32Array.of(3, 5, 7, 8, 12, 15, 16),
      levels: Uint8Array.of(4, 1, 3, 0, 0, 0, 2),
      classes: new Uint8Array(7),
    };
    const marks = (classes: Uint8Array, isUnderlined = false) =>
      ({ heat: { ...heat, classes }, isUnderlined, words: [] }) as unknown as TextMarks;
    expect(formulaMark({ start: 3, end: 8 }, marks(heat.classes))).toBe('heat-3');
    expect(formulaMark({ start: 3, end: 8 }, marks(heat.classes, true))).toBe('line-3');
    expect(formulaMark({ start: 12, end: 15 }, marks(heat.classes))).toBeUndefined();
    const reflecting = Uint8Array.from({ length: 7 }, (_, i) => (i === 2 ? REFLECTION : 0));
    expect(formulaMark({ start: 3, end: 8 }, marks(reflecting))).toBe('reflection-3');
  });
});
