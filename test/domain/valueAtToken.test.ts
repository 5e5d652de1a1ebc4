import { expect, test } from 'vitest';
import { valueAtToken } from '../../shared/domain/valueAtToken.ts';
import type { PositionSamples } from '../../shared/domain/valueByTurn.ts';

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
