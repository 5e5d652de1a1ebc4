/** Rows of the browsing pages: chart series per step. */
import type { Evaluation, MeanReward } from '../domain/evaluation.ts';
import type { ToolOutcome } from '../domain/model.ts';
import type { LatencyBySource, ScheduleFacts } from './scheduleRows.ts';

/** One number per step. Shares are 0 … 1; a share of nothing is unknown. */
const STEP_SERIES = [
  'meanReward',
  /** Correct rollouts among those whose correctness is known. */
  'passRate',
  'groupsAllWrong',
  'groupsMixed',
  'groupsAllRight',
  'toolCalls',
  'toolCallsPerRollout',
  'noToolShare',
  /** Rollouts with a malformed call that no tool answered, among those with a text. */
  'malformedCallShare',
  /** Failed calls among all calls. */
  'toolErrorRate',
  /** As `toolErrorRate`, within correct rollouts: the rate that Resample-on-Correct is meant to lower. */
  'toolErrorRateCorrect',
  /** Correct rollouts with a failed call among correct rollouts. */
  'correctWithErrorShare',
  'meanTurns',
  'meanTokens',
  'p95Tokens',
  'meanChars',
  'p95Chars',
  /** Share stopped by the length limit, among rollouts whose stop reason is logged. */
  'truncatedShare',
  /** Over policy tokens, in nats. */
  'meanEntropy',
  'keptShare',
  'keptShareCorrect',
  'keptShareWrong',
  /** Mean number of different answers in a group. */
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
  /** Calls whose latency is logged, and calls whose latency is parsed from the response. */
  readonly logged: number;
  readonly derived: number;
}

/** Calls in one latency bin of `shared/domain/latencyBins.ts`, by source of the latency. */
export interface LatencyBin {
  /** Inclusive. */
  readonly fromMs: number;
  /** Exclusive. Absent: unbounded. */
  readonly toMs?: number;
  readonly logged: number;
  /** Parsed from the text of the response. */
  readonly derived: number;
}

/** Distribution of tool call latencies. Percentiles use the nearest rank. */
export interface LatencyDistribution {
  readonly calls: number;
  /** Calls whose latency is known. */
  readonly known: number;
  /** Consecutive bins, from the first to the last that holds a call. */
  readonly bins: readonly LatencyBin[];
  /** Absent if no latency is known. */
  readonly summary?: Pick<LatencySummary, 'meanMs' | 'p50Ms' | 'p95Ms' | 'maxMs'>;
  readonly sources: readonly LatencyBySource[];
}

/** Facts of one step, or of its rollouts that match a filter. */
export interface StepFacts {
  readonly step: number;
  readonly rollouts: number;
  readonly groups: number;
  readonly values: { readonly [Name in SeriesName]?: number };
  /** Calls by outcome. Outcomes that did not occur are left out. */
  readonly outcomes: { readonly [Outcome in ToolOutcome]?: number };
  readonly latency?: LatencySummary;
  /** Calls with the same text as an earlier call of the rollout. Absent: not counted, by a warehouse. */
  readonly repeats?: number;
  /** Failed calls followed by a call with a known outcome, and those whose next call succeeded. */
  readonly retries: { readonly calls: number; readonly succeeded: number };
  /** Rollouts of known correctness with a failed call, and the correct ones among them. */
  readonly recovery: { readonly rollouts: number; readonly correct: number };
  /**
   * Known rewards, whose mean is `values.meanReward`: their number, and their sample standard deviation, which one
   * reward does not have. Absent if no reward is known.
   */
  readonly reward?: { readonly known: number; readonly deviation?: number };
  /** Absent if no rollout has a known start and end. */
  readonly schedule?: ScheduleFacts;
}

/** Known rewards of one step by problem, in log order. Problems without one are left out. */
export interface ProblemRewards {
  /** Equal for groups of the run with the same logged problem id or, if none is logged, the same question. */
  readonly problems: readonly string[];
  /** Rollouts of each problem whose reward is known. */
  readonly rollouts: Uint32Array;
  readonly sums: readonly number[];
}

/** A metric that the trainer logged under its own name. */
export interface LoggedMetric {
  readonly name: string;
  /** Ascending. */
  readonly steps: readonly number[];
  /** One per step, as logged. Steps without a finite number are left out. */
  readonly values: readonly number[];
}

/** One step of an evaluation, or the whole evaluation if the log has no steps. */
export interface EvaluationPoint extends Evaluation {
  readonly step: number;
  readonly rollouts: number;
  /** Over rollouts whose reward is known. */
  readonly meanReward?: MeanReward;
  /** Over rollouts whose number of policy tokens is known. */
  readonly meanTokens?: number;
  readonly meanChars?: number;
}

/** A benchmark: the problems of one data source. */
export interface EvaluationPanel {
  /** Absent: the log names no source. */
  readonly source?: string;
  readonly points: readonly EvaluationPoint[];
}

export interface SolvedProblem {
  readonly problemId: string;
  readonly groupKey: string;
  /** Rollouts of the solved problem, all of them correct. */
  readonly rollouts: number;
  readonly source?: string;
  readonly groundTruth?: string;
  /** Beginning of the question, as in `MappedProblem`. */
  readonly question: string;
}

/** Retries in an Inspect log, each with the number of samples that log them. Absent: no sample does. */
export interface LoggedRetries {
  /** Retries of calls of the model. Inspect logs none and an unknown number alike: as nothing. */
  readonly calls?: { readonly retries: number; readonly samples: number };
  /** Attempts at a sample that ended with an error, and were retried. */
  readonly attempts?: { readonly retries: number; readonly samples: number };
}

export interface SolvedProblems {
  /** Groups in which the correctness of every rollout is known, and all groups. */
  readonly known: number;
  readonly groups: number;
  readonly solved: readonly SolvedProblem[];
}

/** A value of a word field, for completion. */
export interface FrequentValue {
  readonly text: string;
  /** Display name of a label. Absent if it has none besides its id. */
  readonly name?: string;
  readonly rollouts: number;
}

/** A named filter. */
export interface SavedView {
  readonly name: string;
  readonly filter: string;
}

/** A parsed filter: its normalized text, its parts, and equivalent SQL. */
export interface ParsedFilter {
  /** As the filter printer writes it. */
  readonly text: string;
  /** An SQL statement over the public views that returns the same rollouts. */
  readonly sql: string;
  /** An SQL statement that counts them by run, or by step of one run. */
  readonly countSql: string;
}
