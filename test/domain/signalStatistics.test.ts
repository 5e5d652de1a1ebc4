/** Signal statistics: which tokens count, the cuts, and sources that are never added up. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SegmentKind } from '../../shared/domain/model.ts';
import {
  type MeasuredRollout,
  SignalStatistics,
  STATISTICS_BY,
  type StatisticsBy,
} from '../../shared/domain/signalStatistics.ts';

/** One-character tokens: kind, values, and whether the call of a tool response failed. */
function rollout(
  parts: readonly (readonly [SegmentKind, readonly number[], failed?: boolean])[],
  more: Partial<MeasuredRollout> = {},
): MeasuredRollout {
  let at = 0;
  const segments = parts.map(([kind, values, failed]) => {
    const outer = { start: at, end: at + values.length };
    at = outer.end;
    return { kind, outer, ...(failed === undefined ? {} : { failed }) };
  });
  const values = Float32Array.from(parts.flatMap(([, all]) => all));
  const mask = Uint8Array.from(
    parts.flatMap(([kind, all]) => all.map(() => Number(kind !== 'tool-response'))),
  );
  const ends = Uint32Array.from(values, (_, i) => i + 1);
  const source = { kind: 'full' as const };
  return { step: 1, isCorrect: true, signal: 'entropy', source, values, mask, ends, segments, ...more };
}

const cut = (by: readonly StatisticsBy[], rollouts: readonly MeasuredRollout[], least?: number) => {
  const all = new SignalStatistics(by);
  for (const one of rollouts) all.add(one);
  return all.finish(least);
};
const statistics = (by: StatisticsBy, rollouts: readonly MeasuredRollout[], least?: number) => {
  const { sources, rows } = cut([by], rollouts, least);
  return { sources, rows: rows[by] ?? [] };
};

const EXAMPLE = rollout([
  ['reasoning', [1, 3]],
  ['tool-call', [0, 0]],
  ['tool-response', [9, 9], true],
  ['reasoning', [2, 4, Number.NaN]],
  ['answer', [1]],
]);

describe('statistics', () => {
  it('by segment count policy tokens with a known value', () => {
    const { sources, rows } = statistics('segment', [EXAMPLE]);
    expect(
      rows.map(({ segment, tokens, mean, correctness }) => [segment, tokens, mean, correctness]),
    ).toEqual([
      ['answer', 1, 1, 'right'],
      ['reasoning', 4, 2.5, 'right'],
      ['tool-call', 2, 0, 'right'],
    ]);
    expect(sources).toMatchObject([{ signal: 'entropy', rollouts: 1, tokens: 7 }]);
    expect(sources[0]?.mean).toBeCloseTo(11 / 7, 12);
    expect(rows[1]?.deviation).toBeCloseTo(Math.sqrt(5 / 3), 6);
  });

  it('by position follow a tool response, with its result', () => {
    const success = rollout([
      ['tool-response', [9], false],
      ['text', [4, 0]],
    ]);
    const { rows } = statistics('position', [EXAMPLE, success]);
    expect(rows.map(({ position, after, tokens, mean }) => [position, after, tokens, mean])).toEqual([
      [0, 'error', 1, 2],
      [0, 'success', 1, 4],
      [1, 'error', 1, 4],
      [1, 'success', 1, 0],
    ]);
  });

  it('by step need no offsets', () => {
    const { ends: _ends, ...unaligned } = EXAMPLE;
    const { rows } = statistics('step', [
      { ...unaligned, ends: undefined, step: 3, isCorrect: undefined },
      { ...EXAMPLE, isCorrect: false },
    ]);
    expect(rows.map(({ step, correctness, tokens }) => [step, correctness, tokens])).toEqual([
      [1, 'wrong', 7],
      [3, 'unknown', 7],
    ]);
    expect(statistics('segment', [{ ...unaligned, ends: undefined }]).rows).toEqual([]);
  });

  it('by token skip rare tokens', () => {
    const response = 'abab__abca';
    const all = statistics('token', [{ ...EXAMPLE, response }]).rows;
    expect(all.map(({ token, tokens, mean }) => [token, tokens, mean])).toEqual([
      ['b', 3, 7 / 3],
      ['a', 4, 1],
    ]);
    const rare = statistics('token', [{ ...EXAMPLE, response }], 4).rows;
    expect(rare.map(({ token }) => token)).toEqual(['a']);
  });

  it('never add up different sources', () => {
    const surprisal = { signal: 'surprisal', source: { kind: 'surprisal' } } as const;
    const { sources, rows } = statistics('step', [EXAMPLE, { ...EXAMPLE, ...surprisal }]);
    expect(sources.map(({ signal, tokens }) => [signal, tokens])).toEqual([
      ['entropy', 7],
      ['surprisal', 7],
    ]);
    expect(rows.map(({ source }) => source)).toEqual([0, 1]);
  });

  it('by several cuts equal those by each alone', () => {
    const kinds = ['reasoning', 'tool-call', 'tool-response', 'text', 'answer'] as const;
    const part = fc.tuple(
      fc.constantFrom(...kinds),
      fc.array(fc.oneof(fc.double({ min: 0, max: 4, noNaN: true }), fc.constant(Number.NaN)), {
        maxLength: 12,
      }),
      fc.boolean(),
    );
    const one = fc.record({
      parts: fc.array(part, { maxLength: 6 }),
      step: fc.integer({ min: 0, max: 3 }),
      isCorrect: fc.option(fc.boolean(), { nil: undefined }),
      isAligned: fc.boolean(),
      k: fc.constantFrom(1, 2),
    });
    const property = fc.property(
      fc.array(one, { maxLength: 6 }),
      fc.integer({ min: 1, max: 3 }),
      (drawn, least) => {
        const rollouts = drawn.map(({ parts, step, isCorrect, isAligned, k }): MeasuredRollout => {
          const made = rollout(parts, { step, isCorrect, source: { kind: 'top-k', k } });
          const response = Array.from(made.values, (_, i) => 'abc'[i % 3]).join('');
          return { ...made, response, ...(isAligned ? {} : { ends: undefined }) };
        });
        const together = cut(STATISTICS_BY, rollouts, least);
        for (const by of STATISTICS_BY) {
          const alone = cut([by], rollouts, least);
          expect(together.sources).toEqual(alone.sources);
          expect(together.rows[by]).toEqual(alone.rows[by]);
        }
      },
    );
    fc.assert(property, { seed: 5, numRuns: 200 });
  });

  it('count classes among the highest fifth, and reflections by the result of the tool', () => {
    const { sources } = statistics('segment', [
      rollout([
        ['reasoning', [0, 9, 0, 0]],
        ['tool-call', [0, 0]],
        ['tool-response', [99], true],
        ['reasoning', [8, 0, 0, 0]],
      ]),
    ]);
    expect(sources[0]?.classes).toEqual({ forking: 1, reflection: 1, code: 0, answer: 0 });
    expect(sources[0]?.reflections).toEqual({
      success: { tokens: 0, reflections: 0 },
      error: { tokens: 4, reflections: 1 },
    });
  });
});

describe('the lexicon', () => {
  const reflecting = {
    ...EXAMPLE,
    // One character per token; the fifth of the seven policy tokens is high.
    response: 'ab()99but.',
  };
  it('measures the overlap with high tokens over all rollouts, of policy tokens only', () => {
    const all = new SignalStatistics(['segment'], 60, ['b', 'but', '9']);
    all.add(reflecting);
    all.add(reflecting);
    const found = all.finish().sources[0]?.lexicon;
    const one = new SignalStatistics(['segment'], 60, ['b', 'but', '9']);
    one.add(reflecting);
    const single = one.finish().sources[0]?.lexicon;
    expect(single).toBeDefined();
    const cells = ['both', 'lexiconOnly', 'highOnly', 'neither'] as const;
    for (const cell of cells) expect(found?.[cell]).toBe(2 * (single?.[cell] ?? Number.NaN));
    expect(cells.reduce((sum, cell) => sum + (single?.[cell] ?? 0), 0)).toBe(8);
    expect((single?.both ?? 0) + (single?.lexiconOnly ?? 0)).toBe(3);
    expect(found?.phi).toBeCloseTo(single?.phi ?? Number.NaN, 12);
  });

  it('is unknown without words, and without offsets', () => {
    const without = new SignalStatistics(['segment'], 60, []);
    without.add(reflecting);
    expect(without.finish().sources[0]).not.toHaveProperty('lexicon');
    const unplaced = new SignalStatistics(['segment'], 60, ['but']);
    unplaced.add({ ...reflecting, ends: undefined });
    expect(unplaced.finish().sources[0]).not.toHaveProperty('lexicon');
  });
});

describe('tokens without text', () => {
  it('are counted by id', () => {
    const ids = Int32Array.of(7, 8, 7, 7, 1, 1, 8, 8, 8, 7);
    const { rows } = statistics('token', [{ ...EXAMPLE, ends: undefined, ids }]);
    expect(rows.map(({ id, token, tokens, mean }) => [id, token, tokens, mean])).toEqual([
      [8, undefined, 3, 3],
      [7, undefined, 4, 0.5],
    ]);
  });
});
