/** `token.statistics` of a scope with all groupings the page shows, computed in one pass over the tokens. */
import type { TokenStatistics } from '../../shared/api/contract.ts';
import type { StatisticsBy } from '../../shared/domain/signalStatistics.ts';
import type { SignalName } from '../../shared/domain/tokenSignal.ts';
import { type LongState, useLongQuery } from './useLongQuery.ts';

/** A run, narrowed by the optional fields. Same shape as in the request. */
export interface TokenScope {
  readonly runId: number;
  readonly step?: number;
  readonly groupId?: number;
  readonly rolloutId?: number;
}

export interface StatisticsQuestion {
  readonly scope: TokenScope;
  /** Whether there are several steps, since one step would be a single point. */
  readonly hasSteps: boolean;
  readonly signal: SignalName;
  readonly window: number;
  /** The lexicon's words. */
  readonly words: readonly string[];
  /** Least number of tokens for a row by token. */
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
