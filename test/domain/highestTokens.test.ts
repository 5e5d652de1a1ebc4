import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HighestTokens } from '../../shared/domain/highestTokens.ts';
import { type MeasuredRollout, SignalStatistics } from '../../shared/domain/signalStatistics.ts';

/** Tokens with their values; upper case: the environment's. */
function rollout(tokens: readonly (readonly [string, number])[], k = 1): MeasuredRollout {
  let end = 0;
  return {
    step: 0,
    isCorrect: true,
    signal: 'entropy',
    source: { kind: 'top-k', k },
    values: Float32Array.from(tokens, ([, value]) => value),
    mask: Uint8Array.from(tokens, ([text]) => Number(text === text.toLowerCase())),
    ends: Uint32Array.from(tokens, ([text]) => {
      end += text.length;
      return end;
    }),
    segments: [],
    response: tokens.map(([text]) => text).join(''),
  };
}

describe('the highest occurrences of a token', () => {
  it('are whole policy tokens with a known value, in their line', () => {
    const found = new HighestTokens({ token: 'ab' }, 10, 'descending');
    found.add(
      rollout([
        ['x', 9],
        ['ab', 1],
        ['a', 5],
        ['b', 5],
        ['ab', Number.NaN],
        ['ab', 3],
        ['abc', 7],
      ]),
      7,
    );
    found.add(
      rollout([
        ['AB', 9],
        ['ab', 2],
      ]),
      8,
    );
    const { total, best } = found.finish() ?? { total: 0, best: [] };
    expect(total).toBe(3);
    expect(best).toEqual([
      { rolloutId: 7, token: 5, value: 3, text: 'ab', before: 'xabab' + 'ab', after: 'abc' },
      { rolloutId: 8, token: 1, value: 2, text: 'ab', before: 'AB', after: '' },
      { rolloutId: 7, token: 1, value: 1, text: 'ab', before: 'x', after: 'abababab' + 'c' },
    ]);
  });

  it('are limited in number, highest or lowest first', () => {
    const property = fc.property(
      fc.array(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 20 }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 12 }),
      fc.constantFrom('ascending' as const, 'descending' as const),
      (rollouts, limit, order) => {
        const found = new HighestTokens({ token: 't' }, limit, order);
        for (const [id, values] of rollouts.entries()) found.add(rollout(values.map((v) => ['t', v])), id);
        const all = rollouts.flat().sort((a, b) => (order === 'descending' ? b - a : a - b));
        const { total = 0, best = [] } = found.finish() ?? {};
        expect(total).toBe(all.length);
        expect(best.map(({ value }) => value)).toEqual(all.slice(0, limit));
      },
    );
    fc.assert(property, { seed: 6 });
  });

  it('have one source: the requested one, else the one with most of them', () => {
    const found = new HighestTokens({ token: 't' }, 10, 'descending');
    found.add(rollout([['t', 1]], 5), 1);
    found.add(
      rollout(
        [
          ['t', 2],
          ['t', 3],
        ],
        20,
      ),
      2,
    );
    expect(found.finish()?.source.k).toBe(20);
    expect(found.finish({ kind: 'top-k', k: 5 })?.best.map(({ rolloutId }) => rolloutId)).toEqual([1]);
    expect(found.finish({ kind: 'full' })).toBeUndefined();
  });

  it('never cut a character of their line', () => {
    const found = new HighestTokens({ token: 't' }, 1, 'descending');
    found.add(
      rollout([
        ['x🎉'.repeat(40), 0],
        ['t', 1],
        ['🎉'.repeat(40), 0],
      ]),
      1,
    );
    const [place] = found.finish()?.best ?? [];
    expect(place?.before.isWellFormed()).toBe(true);
    expect(place?.after.isWellFormed()).toBe(true);
  });

  it('are the reflection tokens after an error, as the statistics count them', () => {
    // 0…9 reasoning, then twice a response and ten tokens: the first call failed.
    const values = Array.from({ length: 30 }, (_, i) => (i % 7) + i / 100);
    const segment = (kind: 'reasoning' | 'tool-response' | 'text', start: number, end: number) => ({
      kind,
      outer: { start, end },
    });
    const reflecting: MeasuredRollout = {
      ...rollout(values.map((value) => ['t', value])),
      mask: Uint8Array.from(values, (_, i) => Number(i < 10 || (i > 11 && i < 20) || i > 21)),
      segments: [
        segment('reasoning', 0, 10),
        { ...segment('tool-response', 10, 12), failed: true },
        segment('reasoning', 12, 20),
        segment('tool-response', 20, 22),
        segment('text', 22, 30),
      ],
    };
    const window = 5;
    const statistics = new SignalStatistics([], window);
    statistics.add(reflecting);
    const counted = statistics.finish().sources[0]?.reflections;
    for (const reflection of ['error', 'success'] as const) {
      const found = new HighestTokens({ reflection, window }, 10, 'descending');
      found.add(reflecting, 1);
      const { total = 0, best = [] } = found.finish() ?? {};
      expect(total).toBe(counted?.[reflection].reflections);
      expect(total).toBeGreaterThan(0);
      const [from, to] = reflection === 'error' ? [12, 17] : [22, 27];
      for (const { token } of best) expect(token >= from && token < to).toBe(true);
    }
  });
});
