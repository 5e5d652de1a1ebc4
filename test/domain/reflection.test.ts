/** High tokens: thresholds, classes by position, and the lexicon. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agreementOf, DEFAULT_LEXICON, lexiconHits, lexiconPattern } from '../../shared/domain/lexicon.ts';
import type { SegmentKind } from '../../shared/domain/model.ts';
import { assignTokens, classifyTokens, TOKEN_CLASSES } from '../../shared/domain/reflection.ts';
import { countHigh, policyValues, quantileThreshold } from '../../shared/domain/thresholds.ts';

/** Segments of one-character tokens: kind and count. */
function rolloutOf(parts: readonly (readonly [SegmentKind, number])[]) {
  let at = 0;
  const segments = parts.map(([kind, length]) => {
    const outer = { start: at, end: at + length };
    at += length;
    return { kind, outer };
  });
  const ends = Uint32Array.from({ length: at }, (_, i) => i + 1);
  const mask = Uint8Array.from({ length: at }, (_, i) => {
    const kind = segments.find(({ outer }) => i < outer.end)?.kind;
    return Number(kind !== 'tool-response' && kind !== 'user');
  });
  return { segments, ends, mask };
}

const wordsOf = (classes: Uint8Array): string =>
  [...classes].map((code) => TOKEN_CLASSES[code]?.charAt(0)).join('');

describe('classifyTokens', () => {
  const rollout = rolloutOf([
    ['reasoning', 2],
    ['tool-call', 2],
    ['tool-response', 2],
    ['reasoning', 3],
    ['answer', 1],
  ]);

  it('separates forks, reflections, code and answers by position', () => {
    const values = new Float32Array(10).fill(1);
    expect(wordsOf(classifyTokens({ ...rollout, values, threshold: 1, window: 2 }))).toBe('ffccnnrrfa');
    expect(wordsOf(classifyTokens({ ...rollout, values, threshold: 1, window: 0 }))).toBe('ffccnnrrra');
  });

  it('marks only values that reach the threshold, never environment tokens or unknown values', () => {
    const values = Float32Array.of(2, 0.5, Number.NaN, 2, 9, 9, 0.9, 2, 2, 0);
    expect(wordsOf(classifyTokens({ ...rollout, values, threshold: 1 }))).toBe('fnncnnnrrn');
    expect(wordsOf(classifyTokens({ ...rollout, values, threshold: undefined }))).toBe('n'.repeat(10));
  });

  it('counts a token over a border to the segment it ends in', () => {
    const { segments } = rollout;
    const ends = Uint32Array.of(1, 3, 5, 10, 10);
    const places = assignTokens({ segments, ends, mask: undefined });
    expect([...places.segment]).toEqual([0, 1, 2, 4, 4]);
  });

  it('counts the end of a turn to the policy that wrote it', () => {
    const { segments } = rollout;
    const ends = Uint32Array.from({ length: 10 }, (_, i) => i + 1);
    const mask = Uint8Array.of(1, 1, 1, 1, 1, 0, 1, 1, 1, 1);
    const places = assignTokens({ segments, ends, mask });
    expect([...places.segment]).toEqual([0, 0, 1, 1, 1, 2, 3, 3, 3, 4]);
    expect([...places.afterResponse]).toEqual([-1, -1, -1, -1, -1, -1, 0, 1, 2, -1]);
  });

  it('is empty without segments', () => {
    const ends = Uint32Array.of(1, 2);
    const values = Float32Array.of(1, 1);
    expect([...classifyTokens({ segments: [], ends, mask: undefined, values, threshold: 0 })]).toEqual([
      0, 0,
    ]);
  });
});

describe('thresholds', () => {
  it('mark exactly the configured share of distinct values', () => {
    const property = fc.property(
      fc.uniqueArray(fc.float({ min: 0, max: 9, noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (values, q) => {
        const ascending = policyValues(Float32Array.from(values, Math.abs), undefined);
        const distinct = new Set(ascending).size === ascending.length;
        const threshold = quantileThreshold(ascending, q);
        const wanted = Math.floor(q * ascending.length);
        if (threshold === undefined) expect(wanted).toBe(0);
        else if (distinct) expect(countHigh(ascending, threshold)).toBe(wanted);
        else expect(countHigh(ascending, threshold)).toBeGreaterThanOrEqual(wanted);
      },
    );
    fc.assert(property, { seed: 20, numRuns: 500 });
  });

  it('skip unknown values and tokens of the environment', () => {
    const values = Float32Array.of(3, Number.NaN, 1, 2, 9);
    expect([...policyValues(values, Uint8Array.of(1, 1, 1, 1, 0))]).toEqual([1, 2, 3]);
    expect(quantileThreshold(Float32Array.of(1, 2, 3), 0.2)).toBeUndefined();
    expect(quantileThreshold(new Float32Array(0), 1)).toBeUndefined();
  });
});

describe('the lexicon', () => {
  const hits = (text: string, words: readonly string[] = DEFAULT_LEXICON): string[] => {
    const pattern = lexiconPattern(words);
    if (pattern === undefined) return [];
    const ranges = lexiconHits(text, pattern, { start: 0, end: text.length });
    return ranges.map(({ start, end }) => text.slice(start, end));
  };

  it('finds whole words, ignoring case, longest first', () => {
    expect(hits('Wait, but before I rebut: double-check. Butter; waited.')).toEqual([
      'Wait',
      'but before',
      'double-check',
    ]);
    expect(hits('für und verify', ['ü', 'verify'])).toEqual(['verify']);
    expect(hits('a.b a+b', ['a.b', ' ', 'a.b'])).toEqual(['a.b']);
    expect(hits('anything', [' '])).toEqual([]);
  });

  it('computes the overlap with entropy', () => {
    const mask = Uint8Array.of(1, 1, 1, 1, 0);
    expect(agreementOf([1, 1, 0, 0, 1], [1, 0, 1, 0, 1], mask)).toEqual({
      both: 1,
      lexiconOnly: 1,
      highOnly: 1,
      neither: 1,
      phi: 0,
    });
    expect(agreementOf([1, 0], [1, 0]).phi).toBe(1);
    expect(agreementOf([0, 0], [1, 0]).phi).toBeUndefined();
  });
});
