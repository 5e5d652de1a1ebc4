/**
 * What the host answers about Resample-on-Correct. A decision always says which of three it is:
 * logged, recomputed under a basis that is named in full, or unknown.
 */
import type { DownSamplingSettings, ResampleRule, SettingName } from '../domain/downSampling.ts';
import type { DecisionReason } from '../domain/model.ts';
import type { DisagreementCause, Penalties, TextPenalties } from '../domain/penalty.ts';
import type { ClassCounts, Cut, GroupOutcome, Quota, UndecidableReason } from '../domain/resample.ts';

/** Whose p_err and p_format count: the trainer's, the release's text rules, typed outcomes and real turns. */
export const PENALTY_KINDS = ['logged', 'text', 'typed'] as const;
export type PenaltyKind = (typeof PENALTY_KINDS)[number];

/** What the user chose; all else is as logged, else the release's default. */
export interface RocChoice {
  readonly rule?: ResampleRule;
  readonly penalty?: PenaltyKind;
  readonly settings?: Partial<DownSamplingSettings>;
  /** Only the first so many rollouts of each group are the pool: a smaller oversampling. */
  readonly groupSize?: number;
}

/** Under what decisions were recomputed, in full. */
export interface RocBasis {
  readonly rule: ResampleRule;
  readonly ruleSource: 'chosen' | 'logged' | 'default';
  readonly penalty: PenaltyKind;
  readonly settings: DownSamplingSettings;
  /** Settings the run logged, and those whose logged value cannot be read; what is in neither is a default. */
  readonly logged: readonly SettingName[];
  readonly unreadable: readonly SettingName[];
  readonly chosen: readonly SettingName[];
  readonly groupSize?: number;
  /** `min_zero + min_non_zero ≤ down_sample_to_n` does not hold: the run would not have started. */
  readonly assertion?: string;
}

// ── one group ───────────────────────────────────────────────────────────────────────────────────

/** One rollout under one basis. */
export interface LedgerDecision {
  /** Absent: not decidable, or the paper's rule, which has probabilities only. */
  readonly kept?: boolean;
  readonly reason?: DecisionReason | (string & {});
  /** Of being kept, under the paper's rule; `inclusionError` is its standard error where it was estimated. */
  readonly inclusion?: number;
  readonly inclusionError?: number;
  readonly penalty?: number;
  readonly advantage?: number;
  readonly advantageOfAll?: number;
  readonly isTie: boolean;
  /** Beyond `groupSize`: not in the pool. */
  readonly isOutside?: true;
}

export interface LedgerRow {
  readonly rolloutId: number;
  readonly ordinal: number;
  readonly penalties: {
    readonly logged?: { readonly pErr?: number; readonly pFormat?: number; readonly penalty?: number };
    readonly text: TextPenalties;
    readonly typed: Penalties;
  };
  /** As the trainer wrote it; absent where nothing was logged. */
  readonly logged?: {
    readonly kept?: boolean;
    readonly reason?: string;
    readonly advantage?: number;
    readonly rule?: string;
  };
  readonly recomputed: LedgerDecision;
  readonly whatIf?: LedgerDecision;
  /** Where logged, text and typed penalties differ, and why they likely do. */
  readonly disagreements: readonly PenaltyDisagreement[];
}

export interface PenaltyDisagreement {
  readonly part: keyof Penalties;
  readonly between: readonly [PenaltyKind, PenaltyKind];
  readonly values: readonly [number, number];
  readonly causes: readonly { readonly code: DisagreementCause; readonly sentence: string }[];
}

/** What happened to the group as a whole under one basis. */
export interface LedgerSide {
  readonly basis: RocBasis;
  readonly outcome: GroupOutcome;
  readonly why?: UndecidableReason;
  readonly quota?: Quota;
  readonly cut?: Cut;
  readonly assertion?: string;
  readonly sums: RocSums;
}

/** Over the kept rows; what nothing is known of is absent. Under the paper's rule: expectations. */
export interface RocSums {
  readonly kept?: number;
  readonly discarded?: number;
  readonly keptByClass?: ClassCounts;
  /** Of kept positives. */
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
  readonly whatIf?: LedgerSide;
  /** Over the logged decisions; absent where none is logged. */
  readonly logged?: RocSums;
  /** What stands for this group: the log's word, else the recomputation where the run logged or the user chose a configuration. */
  readonly source: 'logged' | 'recomputed' | 'unknown';
  /** Rows whose logged and recomputed decisions differ, and what likely made them. */
  readonly differences: {
    readonly rows: number;
    readonly causes: readonly { readonly code: DifferenceCause; readonly sentence: string }[];
  };
  /** Rows that the what-if decides otherwise than what stands. */
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

/** Rollouts with something in common. `key` asks `roc.groups` for the groups they are in. */
export interface Tally {
  readonly key: string;
  readonly rollouts: number;
  readonly groups: number;
  /** Of those with a decision; under the paper's rule the expected number. */
  readonly kept: number;
  readonly decided: number;
}

/** Groups with something in common. */
export interface GroupTally {
  readonly key: string;
  readonly groups: number;
}

/** Rollouts whose value lies in `[from, to)`; the last bucket has its end in it. */
export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly positives: Tally;
  readonly negatives: Tally;
}

/**
 * What rollouts look like, to ask whether the ones kept look otherwise. Asked with `roc.groups`: `key` for all of
 * them, `key:length:i` and `key:turns:i` for those of one entry, `key:without_calls` for those without a tool call.
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
  /** Rollouts per entry of the report's `lengthBins`. */
  readonly lengths: readonly number[];
  /** Rollouts per number of turns: 1, 2, … and the last entry for all more. */
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
  /** Right rollouts with a failed call, of the pool and of what is kept. */
  readonly erroneousBefore: GroupTally;
  readonly erroneousAfter: GroupTally;
  /** Tool calls within correct rollouts and the failed ones among them: of the pool, and of what is kept (paper, Fig. 4). */
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
  /** By outcome; none for logged decisions. */
  readonly outcomes: readonly (GroupTally & { readonly outcome: GroupOutcome })[];
  /** By reason, as logged or recomputed. */
  readonly reasons: readonly (Tally & { readonly reason: string })[];
  /** A positive whose tool calls all succeeded was discarded while one with failed calls was kept; not in rejected groups. */
  readonly cleanDropped: GroupTally;
  readonly tiesAtCut: GroupTally;
  readonly truncated: GroupTally;
}

export interface RocReport {
  /** For `roc.groups`, until the host forgets it. */
  readonly reportId: number;
  readonly runId: number;
  readonly step?: number;
  readonly groups: number;
  readonly rollouts: number;
  readonly allWrong: GroupTally;
  readonly mixed: GroupTally;
  readonly allRight: GroupTally;
  readonly rewardUnknown: GroupTally;
  /** Whose penalties the buckets are of. */
  readonly penalty: PenaltyKind;
  /** Upper bounds of `Likeness.lengths`, in characters. */
  readonly lengthBins: readonly number[];
  readonly logged?: RocSide;
  readonly recomputed: RocSide;
  readonly whatIf?: RocSide;
  readonly source: GroupLedger['source'];
  /** Rollouts that logged and recomputed decide otherwise. */
  readonly differences: Tally;
  /** Rollouts that the what-if decides otherwise than what stands. */
  readonly flips?: Tally;
  /** Rollouts whose text and typed penalties differ, by part. */
  readonly penaltyDifferences: readonly (Tally & { readonly part: keyof Penalties })[];
  readonly elapsedMs: number;
}
