/**
 * A tree branch over training: rollouts per step and how many are correct. Sparse, because a branch usually
 * has rollouts at few of many steps.
 */

export interface SteppedRollout {
  readonly step: number;
  /** Absent: unknown. */
  readonly isCorrect?: boolean;
}

/** Counts of one step. */
export interface StepCount {
  readonly step: number;
  readonly rollouts: number;
  readonly correct: number;
  /** Rollouts whose correctness is known. */
  readonly correctKnown: number;
}

/** By ascending step, without empty steps. */
export function stepProfile(rollouts: readonly SteppedRollout[]): readonly StepCount[] {
  const counts = new Map<number, { rollouts: number; correct: number; correctKnown: number }>();
  for (const { step, isCorrect } of rollouts) {
    const count = counts.get(step) ?? { rollouts: 0, correct: 0, correctKnown: 0 };
    count.rollouts += 1;
    if (isCorrect !== undefined) count.correctKnown += 1;
    if (isCorrect === true) count.correct += 1;
    counts.set(step, count);
  }
  return [...counts].sort(([a], [b]) => a - b).map(([step, count]) => ({ step, ...count }));
}
