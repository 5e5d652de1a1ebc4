/** Statistics of a signal over a run, a step, a group or a rollout. */
import type { TokenStatistics } from '../../shared/api/contract.ts';
import { SignalStatistics, type StatisticsBy } from '../../shared/domain/signalStatistics.ts';
import type { SignalName } from '../../shared/domain/tokenSignal.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import type { MeasuredScope } from '../storage/queries/measured.ts';
import { type ScopeProgress, ScopeReader } from './scopeReader.ts';

export interface StatisticsRequest extends MeasuredScope {
  readonly by: readonly StatisticsBy[];
  readonly signal?: SignalName | undefined;
  readonly vocabulary?: number | undefined;
  /** Number of policy tokens after a tool response that may react to it. */
  readonly window?: number | undefined;
  /** Words of the lexicon, to compare with high values. */
  readonly words?: readonly string[] | undefined;
  /** With `by: token`: skips rarer tokens. */
  readonly leastTokens?: number | undefined;
}

export class StatisticsBuilder {
  private readonly reader: ScopeReader;
  private readonly request: StatisticsRequest;
  private readonly statistics: SignalStatistics;

  /** @returns undefined when there is nothing to read */
  static open(db: ReadableLibrary, request: StatisticsRequest): StatisticsBuilder | undefined {
    const reader = ScopeReader.open(db, request);
    return reader === undefined ? undefined : new StatisticsBuilder(reader, request);
  }

  private constructor(reader: ScopeReader, request: StatisticsRequest) {
    this.reader = reader;
    this.request = request;
    this.statistics = new SignalStatistics(request.by, request.window, request.words);
  }

  get steps(): readonly number[] {
    return this.reader.steps;
  }

  read(): Generator<ScopeProgress> {
    const { signal, vocabulary, by, words = [] } = this.request;
    const options = { signal, vocabulary, withText: by.includes('token') || words.length > 0 };
    return this.reader.read(options, (rollout) => this.statistics.add(rollout));
  }

  finish(): TokenStatistics {
    return { ...this.statistics.finish(this.request.leastTokens), withoutSignal: this.reader.without };
  }
}
