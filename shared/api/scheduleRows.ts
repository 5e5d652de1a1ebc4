/** When and where the rollouts of a step ran. Times are seconds from the first start, as logged. */
import type { Milliseconds } from '../domain/model.ts';

/** Chart values of a step's schedule, over rollouts that have a start and an end. */
export interface ScheduleFacts {
  /** Rollouts whose start and end are known. */
  readonly placed: number;
  /** First start, in seconds since 1970. */
  readonly startedAt: number;
  /** From the first start to the last end. */
  readonly wallSeconds: number;
  /** From the time when 90 % of the rollouts had ended to the end. */
  readonly tailSeconds: number;
  readonly medianSeconds: number;
  readonly stragglers: number;
  readonly peakRollouts: number;
  /** By Little's law, over calls whose latency is known. Absent if none exist. */
  readonly meanCalls?: number;
  /** Present only if the start of every call with a latency is known. */
  readonly peakCalls?: number;
}

/** Latencies of one source. Percentiles use the nearest rank. */
export interface LatencyBySource {
  readonly source: 'logged' | 'derived';
  readonly calls: number;
  readonly p50Ms: Milliseconds;
  readonly p95Ms: Milliseconds;
  readonly maxMs: Milliseconds;
}

/** One worker on one GPU; either may be unknown. */
export interface ScheduleLane {
  readonly worker?: string;
  readonly gpu?: string;
  readonly rollouts: number;
  /** Rows needed to draw its rollouts without overlap: the maximum that ran at once. */
  readonly rows: number;
  /** Seconds in which at least one of its rollouts ran. */
  readonly busySeconds: number;
}

export interface KvCacheLine {
  readonly gpu?: string;
  readonly at: Float32Array;
  /** 0 … 1 */
  readonly share: Float32Array;
}

export interface CountOverTime {
  /** The count holds from each time until the next. */
  readonly at: Float32Array;
  readonly counts: Uint32Array;
}

/** Schedule facts of only the rollouts that match the filter. */
export interface MatchingSchedule {
  readonly rollouts: number;
  /** Rollouts whose start and end are known. */
  readonly placed: number;
  /** Median duration, nearest rank. Absent if no rollout is placed. */
  readonly medianSeconds?: number;
  /** By the tail and the median of the whole step. */
  readonly stragglers: number;
}

/**
 * Step facts cover all rollouts regardless of the filter, because a worker is not idle while it runs other
 * rollouts.
 */
export interface StepSchedule {
  /** All rollouts of the step. */
  readonly rollouts: number;
  /** Absent without a filter. */
  readonly matching?: MatchingSchedule;
  /** Rollouts with a start but no end, or with a duration but no start. */
  readonly unplaced: { readonly withStart: number; readonly withDuration: number };
  /** First start, in seconds since 1970. Absent if no rollout is placed. */
  readonly origin?: number;
  readonly facts?: ScheduleFacts;
  readonly tailFrom?: number;
  /** Ordered by GPU, then worker. */
  readonly lanes: readonly ScheduleLane[];
  /** Workers of other steps without a rollout in this one. */
  readonly idleWorkers: readonly string[];
  /** Each column has one entry per placed rollout, lane by lane, ordered by start. */
  readonly bars: {
    readonly rolloutId: Uint32Array;
    readonly lane: Uint32Array;
    /** Row within the lane. */
    readonly row: Uint32Array;
    readonly start: Float32Array;
    readonly end: Float32Array;
    /** 1: correct, 0: incorrect, -1: unknown. */
    readonly isCorrect: Int32Array;
    readonly reward: Float32Array;
    readonly turns: Int32Array;
    readonly policyTokens: Int32Array;
    readonly straggler: Uint8Array;
    /** 1: matches the filter. */
    readonly matches: Uint8Array;
    /** Total latency of its calls without a known start, in seconds; NaN: no latency is known. */
    readonly waitSeconds: Float32Array;
  };
  /** Tool calls whose start and latency are known. */
  readonly waits: {
    /** Index into `bars`. */
    readonly bar: Uint32Array;
    readonly start: Float32Array;
    readonly end: Float32Array;
  };
  readonly inFlight: CountOverTime;
  /** Present only if the start of every call with a latency is known. */
  readonly callsInFlight?: CountOverTime;
  readonly kvCache: readonly KvCacheLine[];
  /** Over calls of rollouts that match. */
  readonly latencies: readonly LatencyBySource[];
  /** Queue wait of tool calls in matching rollouts. Only calls that log one. */
  readonly queue?: { readonly calls: number; readonly p50Ms: Milliseconds; readonly p95Ms: Milliseconds };
  /** Over all GPUs. Present only if every placed rollout names its GPU. */
  readonly idleGpuSeconds?: number;
}
