/** Rows of the browsing pages: what charts show, per step. */
import type { ToolOutcome } from '../domain/model.ts';

/** One number per step. Shares are 0 … 1; a share of nothing is unknown. */
export const STEP_SERIES = [
  'meanReward',
  /** Correct rollouts among those of which it is known. */
  'passRate',
  'groupsAllWrong',
  'groupsMixed',
  'groupsAllRight',
  'toolCalls',
  'toolCallsPerRollout',
  'noToolShare',
  /** Failed calls among all calls. */
  'toolErrorRate',
  /** The same within correct rollouts: what Resample-on-Correct is to bring down. */
  'toolErrorRateCorrect',
  /** Correct rollouts with a failed call among correct rollouts. */
  'correctWithErrorShare',
  'meanTurns',
  'meanTokens',
  'p95Tokens',
  'meanChars',
  'p95Chars',
  /** Stopped by the length limit, among those whose stop reason is logged. */
  'truncatedShare',
  /** Over policy tokens, in nats. */
  'meanEntropy',
  'keptShare',
  'keptShareCorrect',
  'keptShareWrong',
  /** Different answers in a group, on average. */
  'answersPerGroup',
] as const;
export type SeriesName = (typeof STEP_SERIES)[number];

export interface LatencySummary {
  /** Calls whose latency is known. */
  readonly calls: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/** Of one step, or of those of its rollouts that match a filter. */
export interface StepFacts {
  readonly step: number;
  readonly rollouts: number;
  readonly groups: number;
  readonly values: { readonly [Name in SeriesName]?: number };
  /** Calls by what became of them; outcomes that did not occur are left out. */
  readonly outcomes: { readonly [Outcome in ToolOutcome]?: number };
  readonly latency?: LatencySummary;
  /** Calls that say what an earlier call of the rollout said, and calls of which that is known. */
  readonly repeats: { readonly calls: number; readonly known: number };
  /** Failed calls that are followed by another call of the rollout, and of those the ones whose next call did not fail. */
  readonly retries: { readonly calls: number; readonly succeeded: number };
  /** Rollouts with a failed call of which it is known whether they are correct, and those that are. */
  readonly recovery: { readonly rollouts: number; readonly correct: number };
}

/** A filter under a name. */
export interface SavedView {
  readonly name: string;
  readonly filter: string;
}

/** What became of a filter: its parts, and the same question elsewhere. */
export interface FilterReading {
  /** As Turnwise writes it. */
  readonly text: string;
  /** A statement over the public views with the same answer. */
  readonly sql: string;
}
