/** When the rollouts of a step ran, and where. All times are seconds from the first start, as logged. */
import type { Milliseconds } from '../domain/model.ts';

/** What charts show of a step's schedule; only where rollouts have a start and an end. */
export interface ScheduleFacts {
  /** Rollouts whose start and end are known. */
  readonly placed: number;
  /** From the first start to the last end. */
  readonly wallSeconds: number;
  /** From when 90 % of the rollouts had ended to the end. */
  readonly tailSeconds: number;
  readonly medianSeconds: number;
  readonly stragglers: number;
  readonly peakRollouts: number;
  /** By Little's law, of the calls whose latency is known; absent where there is none. */
  readonly meanCalls?: number;
  /** Only where the start of every call with a latency is known. */
  readonly peakCalls?: number;
}

/** Latencies of one source; percentiles are the nearest rank. */
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
  /** Rows that its rollouts need beside each other: the most that ran at once. */
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
  /** From each time on, up to the next. */
  readonly at: Float32Array;
  readonly counts: Uint32Array;
}

/** Under a filter: of the rollouts that match alone. */
export interface MatchingSchedule {
  readonly rollouts: number;
  /** Whose start and end are known. */
  readonly placed: number;
  /** Of the durations, nearest rank; absent where none is placed. */
  readonly medianSeconds?: number;
  /** By the tail and the median of the step. */
  readonly stragglers: number;
}

/** Facts of the step are of all its rollouts, whatever the filter: what a worker did for others is not idle time. */
export interface StepSchedule {
  /** Of the step. */
  readonly rollouts: number;
  /** Absent where nothing is filtered. */
  readonly matching?: MatchingSchedule;
  /** A start is known, and no end; or a duration, and no start. */
  readonly unplaced: { readonly withStart: number; readonly withDuration: number };
  /** Seconds since 1970 of the first start; absent where none is placed. */
  readonly origin?: number;
  readonly facts?: ScheduleFacts;
  readonly tailFrom?: number;
  /** GPU by GPU, worker by worker. */
  readonly lanes: readonly ScheduleLane[];
  /** Workers of other steps that have no rollout in this one. */
  readonly idleWorkers: readonly string[];
  /** One entry of each column per rollout that is placed, lane by lane in the order of their starts. */
  readonly bars: {
    readonly rolloutId: Uint32Array;
    readonly lane: Uint32Array;
    /** Within the lane. */
    readonly row: Uint32Array;
    readonly start: Float32Array;
    readonly end: Float32Array;
    /** 1 right, 0 wrong, -1 unknown. */
    readonly isCorrect: Int32Array;
    readonly reward: Float32Array;
    readonly turns: Int32Array;
    readonly policyTokens: Int32Array;
    readonly straggler: Uint8Array;
    /** 1 where the filter leaves it. */
    readonly matches: Uint8Array;
    /** Sum of the latencies of its calls whose start is not known, in seconds; NaN where no latency is. */
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
  /** Only where the start of every call with a latency is known. */
  readonly callsInFlight?: CountOverTime;
  readonly kvCache: readonly KvCacheLine[];
  /** Of the calls of rollouts that match. */
  readonly latencies: readonly LatencyBySource[];
  /** As logged, of the calls of which it is, of rollouts that match. */
  readonly queue?: { readonly calls: number; readonly p50Ms: Milliseconds; readonly p95Ms: Milliseconds };
  /** Over all GPUs, where every placed rollout names one. */
  readonly idleGpuSeconds?: number;
}
