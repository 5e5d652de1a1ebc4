import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changeText,
  endOfTurn,
  nextTurn,
  type PositionSamples,
  type TurnSamples,
  turnEndedAt,
  turnSamples,
  valueAtToken,
  valueByTurn,
  valuesByPolicy,
} from '../../shared/domain/valueByTurn.ts';

const samplesOf = (...counts: readonly (readonly [turn: number, correct: number, graded: number])[]) =>
  counts.map(([turn, correct, graded]) => ({ turn, sampled: graded, graded, correct }));

describe('the value by turn', () => {
  test('names the turn with the largest drop, and the one with the largest rise', () => {
    const samples = samplesOf([0, 8, 32], [1, 24, 32], [2, 16, 32], [3, 3, 32]);
    const { losing, saving, values } = valueByTurn(samples, { lastTurn: 4, isCorrect: false });
    expect([losing?.before.turn, losing?.after.turn]).toEqual([2, 3]);
    expect([saving?.before.turn, saving?.after.turn]).toEqual([0, 1]);
    expect(losing?.isClear).toBe(true);
    expect(losing === undefined ? '' : changeText(losing)).toMatch(
      /^turn 3, 16 of 32 → 3 of 32 correct \(−0\.41, 95 % interval −0\.5\d to −0\.1\d\)$/,
    );
    expect(values.at(-1)).toMatchObject({ turn: 4, value: 0, low: 0, high: 0, isOutcome: true });
  });

  test('says that a change may be chance', () => {
    const { losing } = valueByTurn(samplesOf([0, 3, 4], [1, 1, 4]), { lastTurn: 2 });
    expect(losing?.isClear).toBe(false);
    expect(losing === undefined ? '' : changeText(losing)).toMatch(/perhaps by chance/);
  });

  test('says between which turns it was lost where those between are unknown', () => {
    const { losing } = valueByTurn(samplesOf([0, 4, 4], [4, 0, 4]), { lastTurn: 6, isCorrect: false });
    expect(losing === undefined ? '' : changeText(losing)).toMatch(/^turns 1 to 4, /);
  });

  test('has no value where nothing was graded, and no outcome where it is unknown', () => {
    const { values } = valueByTurn([{ turn: 1, sampled: 3, graded: 0, correct: 0 }], { lastTurn: 2 });
    expect(values).toEqual([]);
  });

  test('knows no drop where the value only rises', () => {
    expect(valueByTurn(samplesOf([0, 1, 4]), { lastTurn: 1, isCorrect: true })).not.toHaveProperty('losing');
  });
});

const plans = fc.record({
  lastTurn: fc.integer({ min: 1, max: 40 }),
  isCorrect: fc.constantFrom(true, false, undefined),
  batch: fc.integer({ min: 1, max: 5 }),
  most: fc.integer({ min: 1, max: 12 }),
});

/** Samples as planned, where each continuation is correct if `draw` says so. */
function sampled(plan: Parameters<typeof nextTurn>[1], draw: () => boolean) {
  const order: number[] = [];
  const counts = new Map<number, TurnSamples>();
  for (;;) {
    const turn = nextTurn([...counts.values()], plan);
    if (turn === undefined) return { order, counts };
    order.push(turn);
    const before = counts.get(turn) ?? { turn, sampled: 0, graded: 0, correct: 0 };
    const size = Math.min(plan.batch, plan.most - before.sampled);
    if (size < 1) throw new Error(`turn ${turn} has the most continuations already`);
    const correct = Array.from({ length: size }, draw).filter(Boolean).length;
    counts.set(turn, {
      turn,
      sampled: before.sampled + size,
      graded: before.graded + size,
      correct: before.correct + correct,
    });
  }
}

describe('the plan', () => {
  test('samples each turn once before any twice, and then all up to the most', () => {
    fc.assert(
      fc.property(plans, fc.infiniteStream(fc.boolean()), (plan, draws) => {
        const { order, counts } = sampled(plan, () => draws.next().value === true);
        const turns = Array.from({ length: plan.lastTurn }, (_, turn) => turn);
        expect(order.slice(0, plan.lastTurn).sort((a, b) => a - b)).toEqual(turns);
        for (const turn of turns) expect(counts.get(turn)?.sampled).toBe(plan.most);
      }),
    );
  });

  test('finds a turn that decides everything after few others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 64 }), (last, at) => {
        const decisive = Math.min(at, last);
        const counts: TurnSamples[] = [];
        const plan = { lastTurn: last, isCorrect: false, batch: 4, most: 4 };
        // From the start, and then half of what is left each time.
        for (let steps = 0; steps < 2 + Math.log2(last); steps += 1) {
          const turn = nextTurn(counts, plan);
          if (turn === undefined) break;
          counts.push({ turn, sampled: 4, graded: 4, correct: turn < decisive ? 4 : 0 });
        }
        const { losing } = valueByTurn(counts, plan);
        expect([losing?.before.turn, losing?.after.turn]).toEqual([decisive - 1, decisive]);
      }),
    );
  });

  test('then goes to the widest interval and to the ends of the largest drop by turns', () => {
    const plan = { lastTurn: 6, isCorrect: false, batch: 4, most: 64 };
    const counts = samplesOf([0, 16, 16], [1, 16, 16], [2, 14, 16], [3, 2, 16], [4, 8, 16], [5, 1, 16]);
    // The value after turn 4 is the least certain.
    expect(nextTurn(counts, plan)).toBe(4);
    const after = counts.map((one) =>
      one.turn === 4 ? { ...one, sampled: 20, graded: 20, correct: 10 } : one,
    );
    expect([2, 3, 4, 5]).toContain(nextTurn(after, plan));
  });
});

describe('stored continuations', () => {
  const policy = { model: 'm', temperature: 1, topP: 1, maxTokens: 64, stop: [] };
  const stored = (position: PositionSamples['position'], more: Partial<PositionSamples> = {}) => ({
    ...{ position, edit: '', policy, seeds: [1, 2, 3, 4], graded: 4, correct: 1, cut: 0 },
    ...more,
  });

  test('the start of a turn is the end of the one before it', () => {
    const positions = [
      stored({ kind: 'turn', turn: 2, at: 'start' }),
      stored({ kind: 'turn', turn: 1, at: 'end' }, { correct: 3 }),
    ];
    expect(turnSamples(positions, policy)).toEqual([{ turn: 1, sampled: 8, graded: 8, correct: 4 }]);
    for (const turn of [0, 1, 7]) expect(turnEndedAt(endOfTurn(turn))).toBe(turn);
  });

  test('of edits, of other positions and of other policies are no part of a value', () => {
    const at = { kind: 'turn', turn: 1, at: 'end' } as const;
    const positions = [
      stored(at, { edit: 'Wait' }),
      stored({ kind: 'token', token: 5 }),
      stored(at, { policy: { ...policy, model: 'other' }, seeds: [1], graded: 1 }),
      stored(at),
    ];
    expect(turnSamples(positions, policy)).toEqual([{ turn: 1, sampled: 4, graded: 4, correct: 1 }]);
    const values = valuesByPolicy({ lastTurn: 2, isCorrect: false, positions, calls: [] });
    expect(values.map((one) => [one.policy.model, one.sampled])).toEqual([
      ['m', 4],
      ['other', 1],
    ]);
  });
});

describe('the value at a token', () => {
  const policy = { model: 'm', temperature: 1, topP: 1, maxTokens: 64, stop: [] };
  const stored = (more: Partial<PositionSamples>): PositionSamples => ({
    ...{ position: { kind: 'token', token: 7 }, edit: '', policy, seeds: [], graded: 16, correct: 2, cut: 0 },
    ...more,
  });

  test('sets continuations with an edit beside those without', () => {
    const found = valueAtToken(
      [
        stored({}),
        stored({ edit: 'So', graded: 4, correct: 1 }),
        stored({ edit: 'Wait', correct: 7 }),
        stored({ position: { kind: 'token', token: 8 }, edit: 'No' }),
        stored({ position: { kind: 'character', at: 7 }, edit: 'No' }),
      ],
      7,
    );
    expect(found?.values.map(({ edit, correct, graded }) => [edit, correct, graded])).toEqual([
      ['Wait', 7, 16],
      ['So', 1, 4],
      ['', 2, 16],
    ]);
    expect(found?.values[0]?.low).toBeCloseTo(0.2308, 3);
  });

  test('does not mix policies, and leaves out what is not graded', () => {
    const other = { ...policy, model: 'other' };
    const positions = [
      stored({ policy: other, graded: 8 }),
      stored({ edit: 'Wait', graded: 10 }),
      stored({ edit: 'So', graded: 0, correct: 0 }),
    ];
    const found = valueAtToken(positions, 7);
    expect(found?.policy.model).toBe('m');
    expect(found?.values.map(({ edit }) => edit)).toEqual(['Wait']);
    expect(valueAtToken(positions, 6)).toBeUndefined();
    expect(valueAtToken([stored({ graded: 0 })], 7)).toBeUndefined();
  });
});
