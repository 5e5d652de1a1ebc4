/** `token.statistics` of a scope, cut in every way that is shown: all of them come from one reading of the tokens. */
import type { TokenStatistics } from '../../shared/api/contract.ts';
import type { StatisticsBy } from '../../shared/domain/signalStatistics.ts';
import type { SignalName } from '../../shared/domain/tokenSignal.ts';
import { type LongState, useLongQuery } from './useLongQuery.ts';

/** A run, narrowed as far as its fields go; as the host takes it. */
export interface TokenScope {
  readonly runId: number;
  readonly step?: number;
  readonly groupId?: number;
  readonly rolloutId?: number;
}

export interface StatisticsQuestion {
  readonly scope: TokenScope;
  /** There are steps to be told apart; one step is one point. */
  readonly hasSteps: boolean;
  readonly signal: SignalName;
  readonly window: number;
  /** Of the lexicon. */
  readonly words: readonly string[];
  /** Of the rows by token. */
  readonly leastTokens: number;
}

export type StatisticsState = LongState<TokenStatistics>;

export function useTokenStatistics(question: StatisticsQuestion | undefined): StatisticsState {
  const cuts: StatisticsBy[] = ['segment', 'position', 'token'];
  if (question?.hasSteps === true) cuts.push('step');
  return useLongQuery(
    'token.statistics',
    question === undefined
      ? undefined
      : {
          ...question.scope,
          by: cuts,
          signal: question.signal,
          window: question.window,
          words: [...question.words],
          leastTokens: question.leastTokens,
        },
  );
}
