/** The rollouts of a scope, one after the other, so that whoever reads them can show progress and stop in between. */
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
  /** Of everything, 0 … 1: one step alone may be sixteen thousand rollouts. */
  readonly share: number;
}

export class ScopeReader {
  readonly steps: readonly number[];
  private readonly db: ReadableLibrary;
  private readonly scope: MeasuredScope;
  /** Rollouts that have tokens, but not the signal or no loss mask. */
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

  /** Yields before each rollout; what is read of it goes to `take`. */
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
