/** Statistics of a signal over a group, a step or a run. */
import type { TokenStatistics } from '../../shared/api/rows.ts';
import { SignalStatistics, type StatisticsBy } from '../../shared/domain/signalStatistics.ts';
import type { SignalName } from '../../shared/domain/tokenSignal.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { measuredRollouts } from '../storage/queries/measured.ts';
import { poolRun } from '../storage/queries/pool.ts';

export interface StatisticsRequest {
  readonly runId: number;
  readonly step?: number | undefined;
  /** With `step`. */
  readonly groupId?: number | undefined;
  readonly by: StatisticsBy;
  readonly signal?: SignalName | undefined;
  readonly vocabulary?: number | undefined;
  /** Policy tokens after a tool response that can reflect on it. */
  readonly window?: number | undefined;
  /** By token: rarer ones are left out. */
  readonly leastTokens?: number | undefined;
}

/** Step by step, so that whoever runs it can show progress and stop between two. */
export class StatisticsBuilder {
  readonly steps: readonly number[];
  private readonly db: ReadableLibrary;
  private readonly request: StatisticsRequest;
  private readonly statistics: SignalStatistics;
  private without = 0;

  /** @returns undefined when there is no such run, or it has no such step */
  static open(db: ReadableLibrary, request: StatisticsRequest): StatisticsBuilder | undefined {
    const run = poolRun(db, request.runId);
    if (run === undefined) return undefined;
    if (request.step !== undefined && !run.steps.includes(request.step)) return undefined;
    return new StatisticsBuilder(db, run.steps, request);
  }

  private constructor(db: ReadableLibrary, steps: readonly number[], request: StatisticsRequest) {
    this.db = db;
    this.request = request;
    this.steps = request.step === undefined ? steps : [request.step];
    this.statistics = new SignalStatistics(request.by, request.window);
  }

  addStep(step: number): void {
    const { runId, groupId, signal, vocabulary, by } = this.request;
    const scope = { runId, step, groupId };
    for (const rollout of measuredRollouts(this.db, scope, {
      signal,
      vocabulary,
      withText: by === 'token',
    })) {
      if (rollout === undefined) this.without++;
      else this.statistics.add(rollout);
    }
  }

  finish(): TokenStatistics {
    const { sources, rows } = this.statistics.finish(this.request.leastTokens);
    return { by: this.request.by, sources, rows, withoutSignal: this.without };
  }
}
