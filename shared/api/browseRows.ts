/** Rows of the browsing pages: what charts show, per step. */
import type { Evaluation } from '../domain/evaluation.ts';
import type { ToolOutcome } from '../domain/model.ts';
import type { LatencyBySource, ScheduleFacts } from './scheduleRows.ts';

/** One number per step. Shares are 0 … 1; a share of nothing is unknown. */
const STEP_SERIES = [
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
  /** Of these, the ones whose latency the log gives, and the ones whose response says it. */
  readonly logged: number;
  readonly derived: number;
}

/** Calls whose latency lies in a bin of `shared/domain/latencyBins.ts`, by where it is known from. */
export interface LatencyBin {
  /** Inclusive. */
  readonly fromMs: number;
  /** Exclusive; absent: no end. */
  readonly toMs?: number;
  readonly logged: number;
  /** Read out of the text of the response. */
  readonly derived: number;
}

/** How the latencies of tool calls lie. Percentiles are the nearest rank. */
export interface LatencyDistribution {
  readonly calls: number;
  /** Calls whose latency is known. */
  readonly known: number;
  /** Without gaps, from the first that holds a call to the last. */
  readonly bins: readonly LatencyBin[];
  /** Absent where no latency is known. */
  readonly summary?: Pick<LatencySummary, 'meanMs' | 'p50Ms' | 'p95Ms' | 'maxMs'>;
  readonly sources: readonly LatencyBySource[];
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
  /** Calls with the same text as an earlier call of the rollout. */
  readonly repeats: number;
  /** Failed calls followed by another one with a known outcome, and of those the ones whose next call succeeded. */
  readonly retries: { readonly calls: number; readonly succeeded: number };
  /** Rollouts with a failed call of which it is known whether they are correct, and those that are. */
  readonly recovery: { readonly rollouts: number; readonly correct: number };
  /** Absent where no rollout is placed in time. */
  readonly schedule?: ScheduleFacts;
}

/** A number the trainer logged by a name of its own. */
export interface LoggedMetric {
  readonly name: string;
  /** In order. */
  readonly steps: readonly number[];
  /** As logged: one per step. A step without a finite number is left out. */
  readonly values: readonly number[];
}

/** One step of an evaluation, or all of it where the log knows no step. */
export interface EvaluationPoint extends Evaluation {
  readonly step: number;
  readonly rollouts: number;
  /** Over the rollouts whose policy tokens are known. */
  readonly meanTokens?: number;
  readonly meanChars?: number;
}

/** A benchmark: the problems of one source. */
export interface EvaluationPanel {
  /** Absent: the log names none. */
  readonly source?: string;
  readonly points: readonly EvaluationPoint[];
}

export interface SolvedProblem {
  readonly problemId: string;
  readonly groupKey: string;
  /** k of k. */
  readonly rollouts: number;
  readonly source?: string;
  readonly groundTruth?: string;
  /** Its beginning, as in `MappedProblem`. */
  readonly question: string;
}

export interface SolvedProblems {
  /** Groups of which it is known of every rollout whether it is correct, and all groups. */
  readonly known: number;
  readonly groups: number;
  readonly solved: readonly SolvedProblem[];
}

/** A value of a word field, for completion. */
export interface FrequentValue {
  readonly text: string;
  /** A label is found by its name, too; absent where it has none of its own. */
  readonly name?: string;
  readonly rollouts: number;
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
