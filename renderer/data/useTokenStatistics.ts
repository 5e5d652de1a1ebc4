/**
 * `token.statistics` of a scope, cut in all ways. Each way is a pass of its own over the tokens, so they are asked one
 * after the other: the first answer comes soonest, and other questions get their turn between two.
 */
import type { TokenStatistics } from '../../shared/api/contract.ts';
import type { StatisticsBy } from '../../shared/domain/signalStatistics.ts';
import type { SignalName } from '../../shared/domain/tokenSignal.ts';
import { type AnalysisParams, type AnalysisState, useAnalysis } from './useAnalysis.ts';

export interface StatisticsScope {
  readonly runId: number;
  readonly step: number | undefined;
  readonly signal: SignalName;
  readonly window: number;
  /** Of the rows by token. */
  readonly leastTokens: number;
}

export interface StatisticsState {
  readonly segment: TokenStatistics | undefined;
  readonly position: TokenStatistics | undefined;
  readonly token: TokenStatistics | undefined;
  /** Of a run only; a step is one point. */
  readonly byStep: TokenStatistics | undefined;
  /** What is shown answers a former question. */
  readonly isFormer: boolean;
  readonly error: Error | null;
  readonly isComputing: boolean;
  readonly isStopped: boolean;
  /** Of all ways together, 0 … 1; undefined: not yet known. */
  readonly share: number | undefined;
  /** Of the way that is computed now. */
  readonly words: string;
  readonly stop: () => void;
  readonly compute: () => void;
}

type Way = AnalysisState<TokenStatistics>;

const WORDS: Readonly<Record<StatisticsBy, string>> = {
  segment: 'by segment',
  position: 'after tool responses',
  step: 'by step',
  token: 'by token',
};

const isDone = (way: Way): boolean => way.answer !== undefined && !way.isFormer && !way.isComputing;

/** @param hasSteps there are steps to be told apart */
export function useTokenStatistics(scope: StatisticsScope | undefined, hasSteps: boolean): StatisticsState {
  const params = (by: StatisticsBy): AnalysisParams<'token.statistics'> | undefined =>
    scope === undefined
      ? undefined
      : {
          runId: scope.runId,
          ...(scope.step === undefined ? {} : { step: scope.step }),
          by,
          signal: scope.signal,
          window: scope.window,
          ...(by === 'token' ? { leastTokens: scope.leastTokens } : {}),
        };
  const segment = useAnalysis('token.statistics', params('segment'));
  // Nothing of the kind was logged: the other ways would look for it in vain.
  const isFound = isDone(segment) && (segment.answer?.sources.length ?? 0) > 0;
  const position = useAnalysis('token.statistics', params('position'), isFound);
  const asksSteps = hasSteps && isFound && isDone(position);
  const byStep = useAnalysis('token.statistics', hasSteps ? params('step') : undefined, asksSteps);
  const asksTokens = isFound && isDone(position) && (!hasSteps || isDone(byStep));
  const token = useAnalysis('token.statistics', params('token'), asksTokens);

  const ways: readonly (readonly [StatisticsBy, Way])[] = [
    ['segment', segment],
    ['position', position],
    ...(hasSteps ? [['step', byStep] as const] : []),
    ['token', token],
  ];
  const active = ways.find(([, way]) => way.isComputing || way.isStopped || way.error !== null);
  const done = ways.filter(([, way]) => isDone(way)).length;
  const progress = active?.[1].progress;
  // A former answer stays in sight as long as what stands above it is of the same signal.
  const shown = ({ answer, isFormer }: Way): TokenStatistics | undefined =>
    !isFormer || segment.isFormer || answer?.sources.some(({ signal }) => signal === scope?.signal)
      ? answer
      : undefined;
  return {
    segment: segment.answer,
    position: shown(position),
    token: shown(token),
    byStep: shown(byStep),
    isFormer: segment.isFormer,
    error: active?.[1].error ?? null,
    isComputing: active?.[1].isComputing ?? false,
    isStopped: active?.[1].isStopped ?? false,
    share:
      progress === undefined
        ? undefined
        : (done + progress.stepsDone / Math.max(1, progress.steps)) / ways.length,
    words: active === undefined ? '' : WORDS[active[0]],
    stop: () => active?.[1].stop(),
    compute: () => void active?.[1].compute(),
  };
}
