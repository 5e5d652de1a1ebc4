import { expect, test } from 'vitest';
import { lostTurns } from '../../shared/domain/lostTurns.ts';
import type { ToolOutcome } from '../../shared/domain/model.ts';
import { endOfTurn, type SampledRollout } from '../../shared/domain/valueByTurn.ts';

const policy = { model: 'm', temperature: 1, topP: 1, maxTokens: 64, stop: [] };
/** Of 16 continuations each. */
const rollout = (
  correct: readonly number[],
  outcomes: readonly ToolOutcome[],
  isCorrect: boolean | undefined = false,
): SampledRollout => ({
  lastTurn: correct.length,
  isCorrect,
  positions: correct.map((of, turn) => ({
    ...{ position: endOfTurn(turn), edit: '', policy, graded: 16, correct: of, cut: 0 },
    seeds: Array.from({ length: 16 }, (_, seed) => seed),
  })),
  calls: outcomes.map((outcome, i) => ({ turn: i + 1, outcome })),
});

test('gives the median losing turn, by the outcome of the call before', () => {
  const found = lostTurns([
    rollout([16, 16, 0, 0], ['exception', 'ok', 'ok']),
    rollout([16, 16, 16, 16, 0], ['ok', 'ok', 'timeout', 'ok']),
    rollout([16, 16, 16, 0], ['ok', 'ok', 'ok']),
    rollout([16, 0], ['ok']),
    rollout([16, 16, 0], ['missing', 'ok']),
    // Correct, of unknown outcome, and without a value.
    rollout([16, 0, 16], ['ok'], true),
    { ...rollout([16, 0], ['ok']), isCorrect: undefined },
    rollout([], []),
  ]);
  expect(found).toEqual({
    ...{ valued: 5, rollouts: 5, turn: 2 },
    byCall: [
      { before: 'failed', rollouts: 2, turn: 3 },
      { before: 'succeeded', rollouts: 1, turn: 3 },
      { before: 'none', rollouts: 1, turn: 1 },
      { before: 'unknown', rollouts: 1, turn: 2 },
    ],
  });
});

test('does not count what may be chance, and drops over several turns', () => {
  const chance = rollout([3, 1, 3, 1], []);
  const whole = rollout([16, 16, 0], []);
  const wide = { ...whole, positions: whole.positions.filter((_, turn) => turn !== 1) };
  expect(lostTurns([{ ...chance, isCorrect: false }, wide])).toBeUndefined();
  expect(lostTurns([chance, wide, whole])).toMatchObject({ valued: 3, rollouts: 1, turn: 2 });
});
