import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alike } from '../../shared/domain/alike.ts';
import { drawnRollout, hostileRollout } from '../support/alignmentLaws.ts';
import { drawRollout } from '../support/drawAlignment.ts';

describe('alike', () => {
  it('ranks the shared beginning first, then code, then words', () => {
    const target = drawRollout('T1 C1 R1\nT2 C2 R2\nT3 A1');
    const others = [
      'T9 C9 R9\nT6 C8 R6\nT9 A1',
      "T9 C1 R9\nT8 C2' R8\nT7 A1",
      "T9 C9 R9\nT2 C8 R2\nT3' A1",
      'T1 C1 R1\nT5 C5 R5\nT6 A2',
    ];
    const found = alike(
      target,
      others.map((drawing, id) => ({ id, ...drawRollout(drawing) })),
    );
    expect(found.map(({ id, sharedTurns }) => [id, sharedTurns])).toEqual([
      [3, 1],
      [1, 0],
      [2, 0],
      [0, 0],
    ]);
    expect(found[1]?.codeLikeness).toBeGreaterThan(0.7);
  });

  it('finds itself, and has no code likeness without code', () => {
    const target = { ...drawRollout('T1 A1'), tokenEnds: Uint32Array.of(3, 9) };
    expect(alike(target, [{ id: 1, ...target }])).toEqual([
      {
        id: 1,
        sharedPrefixChars: target.response.length,
        sharedPrefixTokens: 2,
        sharedTurns: 1,
        textLikeness: 1,
      },
    ]);
    expect(alike(target, [])).toEqual([]);
    expect(alike(drawRollout(''), [{ id: 1, ...drawRollout('') }])[0]).toMatchObject({ textLikeness: 0 });
  });

  it('answers for everyone once, however odd they are, within 0 … 1', () => {
    const rollouts = fc.array(fc.oneof(drawnRollout, hostileRollout), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rollouts, ([target, ...others]) => {
        if (target === undefined) return;
        const found = alike(
          target,
          others.map((other, id) => ({ id, ...other })),
        );
        expect(found.map(({ id }) => id).sort()).toEqual(others.map((_, id) => id));
        for (const { textLikeness, codeLikeness = 0 } of found) {
          for (const likeness of [textLikeness, codeLikeness]) {
            expect(likeness).toBeGreaterThanOrEqual(0);
            expect(likeness).toBeLessThanOrEqual(1);
          }
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
