/**
 * How a branch fares over training: of each step, how many rollouts go this way and how many of them are right.
 * Sparse: a branch of a tree over a hundred steps mostly has rollouts of a few.
 */

export interface SteppedRollout {
  readonly step: number;
  /** Absent: unknown. */
  readonly isCorrect?: boolean;
}

/** Rollouts of one step. */
export interface StepCount {
  readonly step: number;
  readonly rollouts: number;
  readonly correct: number;
  /** Rollouts whose correctness is known. */
  readonly correctKnown: number;
}

/** By ascending step; steps nobody is of are not in it. */
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
