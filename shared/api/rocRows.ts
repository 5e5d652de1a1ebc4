/**
 * Results about Resample-on-Correct. Every decision is marked as logged, as recomputed under a stated basis,
 * or as unknown.
 */
import type { DownSamplingSettings, ResampleRule, SettingName } from '../domain/downSampling.ts';
import type { DecisionReason } from '../domain/model.ts';
import type { DisagreementCause, Penalties, TextPenalties } from '../domain/penalty.ts';
import type { ClassCounts, Cut, GroupOutcome, Quota, UndecidableReason } from '../domain/resample.ts';

/**
 * Source of p_err and p_format: the trainer's values, the release's text rules, or typed outcomes and real
 * turns.
 */
export const PENALTY_KINDS = ['logged', 'text', 'typed'] as const;
export type PenaltyKind = (typeof PENALTY_KINDS)[number];

/** The user's choices. Other settings are as logged, or the release's default. */
export interface RocChoice {
  readonly rule?: ResampleRule;
  readonly penalty?: PenaltyKind;
  readonly settings?: Partial<DownSamplingSettings>;
  /** Only the first `groupSize` rollouts of each group form the pool, to simulate less oversampling. */
  readonly groupSize?: number;
}

/** The complete basis of recomputed decisions. */
export interface RocBasis {
  readonly rule: ResampleRule;
  /** `inferred`: it decides a group as logged, although the run did not name it. */
  readonly ruleSource: 'chosen' | 'logged' | 'default' | 'inferred';
  readonly penalty: PenaltyKind;
  readonly settings: DownSamplingSettings;
  /**
   * Settings that the run logged, and settings whose logged value is unreadable. Settings in neither list are
   * defaults.
   */
  readonly logged: readonly SettingName[];
  readonly unreadable: readonly SettingName[];
  readonly chosen: readonly SettingName[];
  readonly groupSize?: number;
  /**
   * Message if `min_zero + min_non_zero ≤ down_sample_to_n` does not hold: the run would not have started.
   */
  readonly assertion?: string;
}

// ── one group ───────────────────────────────────────────────────────────────────────────────────

/** One rollout under one basis. */
export interface LedgerDecision {
  /** Absent if undecidable, or under the paper's rule, which has probabilities only. */
  readonly kept?: boolean;
  readonly reason?: DecisionReason | (string & {});
  /**
   * Probability of being kept under the paper's rule. `inclusionError` is its standard error if it was
   * estimated.
   */
  readonly inclusion?: number;
  readonly inclusionError?: number;
  readonly penalty?: number;
  readonly advantage?: number;
  readonly advantageOfAll?: number;
  readonly isTie: boolean;
  /** Beyond `groupSize`, so not in the pool. */
  readonly isOutside?: true;
}

export interface LedgerRow {
  readonly rolloutId: number;
  readonly ordinal: number;
  readonly penalties: {
    readonly logged?: { readonly pErr?: number; readonly pFormat?: number; readonly penalty?: number };
    /** Absent without a text, like `typed`. */
    readonly text?: TextPenalties;
    readonly typed?: Penalties;
  };
  /** As the trainer wrote it. Absent if nothing was logged. */
  readonly logged?: {
    readonly kept?: boolean;
    readonly reason?: string;
    readonly advantage?: number;
    readonly rule?: string;
  };
  readonly recomputed: LedgerDecision;
  readonly whatIf?: LedgerDecision;
  /** Differences between logged, text and typed penalties, each with its likely cause. */
  readonly disagreements: readonly PenaltyDisagreement[];
}

export interface PenaltyDisagreement {
  readonly part: keyof Penalties;
  readonly between: readonly [PenaltyKind, PenaltyKind];
  readonly values: readonly [number, number];
  readonly causes: readonly { readonly code: DisagreementCause; readonly sentence: string }[];
}

/** Outcome of the whole group under one basis. */
export interface LedgerSide {
  readonly basis: RocBasis;
  readonly outcome: GroupOutcome;
  readonly why?: UndecidableReason;
  readonly quota?: Quota;
  readonly cut?: Cut;
  readonly assertion?: string;
  readonly sums: RocSums;
}

/** Over the kept rows. Unknown sums are absent. Under the paper's rule: expectations. */
export interface RocSums {
  readonly kept?: number;
  readonly discarded?: number;
  readonly keptByClass?: ClassCounts;
  /** Mean over kept positives. */
  readonly meanPenalty?: number;
  readonly meanPolicyTokens?: number;
  readonly meanResponseChars?: number;
  /** Mean of |advantage| over kept rows. */
  readonly meanAbsAdvantage?: number;
}

export interface GroupLedger {
  readonly groupId: number;
  readonly runId: number;
  readonly step: number;
  /** In rollout order. */
  readonly rows: readonly LedgerRow[];
  readonly recomputed: LedgerSide;
  /** Another rule or penalty source that decides exactly as logged. Absent if `recomputed` does, or none is known. */
  readonly asLogged?: { readonly side: LedgerSide; readonly rows: readonly LedgerDecision[] };
  readonly whatIf?: LedgerSide;
  /** Over the logged decisions. Absent if none is logged. */
  readonly logged?: RocSums;
  /**
   * Source of the decisions in force: the log, else the recomputation if the run logged or the user chose a
   * configuration.
   */
  readonly source: 'logged' | 'recomputed' | 'unknown';
  /** Rows whose logged and recomputed decisions differ, with the likely cause. */
  readonly differences: {
    readonly rows: number;
    readonly causes: readonly { readonly code: DifferenceCause; readonly sentence: string }[];
  };
  /** Rows that the what-if decides differently from the decisions in force. */
  readonly flips: number;
}

const DIFFERENCE_CAUSES = [
  'other_rule',
  'penalties_differ',
  'configuration_unknown',
  'pool_incomplete',
  'world_size',
  'tie',
  'unexplained',
] as const;
export type DifferenceCause = (typeof DIFFERENCE_CAUSES)[number];

// ── a step, a run ───────────────────────────────────────────────────────────────────────────────

/** Rollouts with a common property. Pass `key` to `roc.groups` for the groups that contain them. */
export interface Tally {
  readonly key: string;
  readonly rollouts: number;
  readonly groups: number;
  /** Those with a decision. Under the paper's rule: the expected number. */
  readonly kept: number;
  readonly decided: number;
}

/** Groups with a common property. */
export interface GroupTally {
  readonly key: string;
  readonly groups: number;
}

/** Rollouts whose value lies in `[from, to)`. The last bucket includes its end. */
export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly positives: Tally;
  readonly negatives: Tally;
}

/**
 * Features of a set of rollouts, to compare the kept ones with all. Keys for `roc.groups`: `key` for all of
 * them, `key:length:i` and `key:turns:i` for one entry, `key:without_calls` for those without a tool call.
 */
export interface Likeness {
  readonly key: string;
  readonly rollouts: number;
  readonly meanResponseChars?: number;
  readonly meanPolicyTokens?: number;
  readonly meanTurns?: number;
  readonly meanToolCalls?: number;
  /** Share without any tool call, 0 … 1. */
  readonly withoutToolCalls?: number;
  /** Rollouts per bin of the report's `lengthBins`. */
  readonly lengths: readonly number[];
  /** Rollouts per number of turns: 1, 2, …; the last entry counts all higher numbers. */
  readonly turns: readonly number[];
}

export interface RocStep {
  readonly step: number;
  readonly groups: number;
  readonly allWrong: number;
  readonly mixed: number;
  readonly allRight: number;
  readonly positives: Tally;
  readonly negatives: Tally;
  /** Correct rollouts with a failed call, in the pool and among the kept. */
  readonly erroneousBefore: GroupTally;
  readonly erroneousAfter: GroupTally;
  /**
   * Tool calls within correct rollouts and the failed ones among them, in the pool and among the kept (paper,
   * Fig. 4).
   */
  readonly callsBefore: number;
  readonly errorsBefore: number;
  readonly callsAfter: number;
  readonly errorsAfter: number;
}

/** One set of decisions over a step or a run. */
export interface RocSide {
  /** Absent: the decisions are the logged ones. */
  readonly basis?: RocBasis;
  readonly sums: RocSums;
  readonly positives: Tally;
  readonly negatives: Tally;
  readonly byPenalty: readonly Bucket[];
  readonly byErr: readonly Bucket[];
  readonly byFormat: readonly Bucket[];
  readonly keptPositives: Likeness;
  readonly discardedPositives: Likeness;
  readonly steps: readonly RocStep[];
  /** By outcome. Empty for logged decisions. */
  readonly outcomes: readonly (GroupTally & { readonly outcome: GroupOutcome })[];
  /** By reason, logged or recomputed. */
  readonly reasons: readonly (Tally & { readonly reason: string })[];
  /**
   * Groups, not rejected, in which a positive whose tool calls all succeeded was discarded while one with
   * failed calls was kept.
   */
  readonly cleanDropped: GroupTally;
  readonly tiesAtCut: GroupTally;
  readonly truncated: GroupTally;
}

export interface RocReport {
  /** For `roc.groups`, until the host evicts the report. */
  readonly reportId: number;
  readonly runId: number;
  readonly step?: number;
  readonly groups: number;
  readonly rollouts: number;
  readonly allWrong: GroupTally;
  readonly mixed: GroupTally;
  readonly allRight: GroupTally;
  readonly rewardUnknown: GroupTally;
  /** Source of the recomputed side's penalties. Those of the logged side are logged. */
  readonly penalty: PenaltyKind;
  /** Upper bounds of `Likeness.lengths`, in characters. */
  readonly lengthBins: readonly number[];
  readonly logged?: RocSide;
  readonly recomputed: RocSide;
  readonly whatIf?: RocSide;
  readonly source: GroupLedger['source'];
  /** Rollouts whose logged and recomputed decisions differ. */
  readonly differences: Tally;
  /**
   * The likely causes, each with the differing rollouts of the groups it explains, by descending number. A group may
   * have several.
   */
  readonly differenceCauses: readonly {
    readonly code: DifferenceCause;
    readonly sentence: string;
    readonly rollouts: number;
    readonly groups: number;
  }[];
  /** Rollouts that the what-if decides differently from the decisions in force. */
  readonly flips?: Tally;
  /** Rollouts whose text and typed penalties differ, by part. */
  readonly penaltyDifferences: readonly (Tally & { readonly part: keyof Penalties })[];
  readonly elapsedMs: number;
}

/** The groups behind one number of a report. */
export interface GroupsBehind {
  readonly ids: Uint32Array;
  /**
   * Rollouts of each group whose logged and recomputed decisions differ. -1: no rollout has both decisions. Absent: no
   * decision is logged.
   */
  readonly differences?: Int32Array;
  /** As `differences`, for rollouts that the what-if decides differently from the decisions in force. */
  readonly flips?: Int32Array;
}
