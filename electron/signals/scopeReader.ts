/** Reads the rollouts of a scope one by one, so that the caller can show progress and stop. */
import type { MeasuredRollout } from '../../shared/domain/signalStatistics.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import {
  type MeasuredOptions,
  type MeasuredScope,
  measuredIds,
  measuredReader,
  measuredSteps,
} from '../storage/queries/measured.ts';

export interface ScopeProgress {
  readonly stepsDone: number;
  /** Fraction of all work, 0 … 1. One step can have sixteen thousand rollouts. */
  readonly share: number;
}

export class ScopeReader {
  readonly steps: readonly number[];
  private readonly db: ReadableLibrary;
  private readonly scope: MeasuredScope;
  /** Rollouts with tokens, but without the signal or a loss mask. */
  without = 0;

  /** @returns undefined when the library has no such run, step, group or rollout */
  static open(db: ReadableLibrary, scope: MeasuredScope): ScopeReader | undefined {
    const steps = measuredSteps(db, scope);
    return steps.length === 0 ? undefined : new ScopeReader(db, scope, steps);
  }

  private constructor(db: ReadableLibrary, scope: MeasuredScope, steps: readonly number[]) {
    this.db = db;
    this.scope = scope;
    this.steps = steps;
  }

  /** Yields before each rollout and passes its data to `take`. */
  *read(
    options: MeasuredOptions,
    take: (rollout: MeasuredRollout, rolloutId: number) => void,
  ): Generator<ScopeProgress> {
    const readOne = measuredReader(this.db, options);
    const total = Math.max(1, this.steps.length);
    for (const [stepsDone, step] of this.steps.entries()) {
      const ids = measuredIds(this.db, this.scope, step);
      for (const [done, id] of ids.entries()) {
        yield { stepsDone, share: (stepsDone + done / ids.length) / total };
        const found = readOne(id);
        if (found === undefined) this.without++;
        else take(found, id);
      }
    }
  }
}
