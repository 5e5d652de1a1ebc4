/** Rows of the pages about problems. */
import type { Nats, RunKind } from '../domain/model.ts';

/** Problems by steps: one entry of each column of `cells` per problem and step at which it was tried. */
export interface ProblemMap {
  readonly steps: readonly number[];
  readonly problems: readonly MappedProblem[];
  readonly cells: {
    /** Index into `problems`. */
    readonly problem: Uint32Array;
    /** Index into `steps`. */
    readonly step: Uint32Array;
    /** Of the first group of the problem at the step. */
    readonly groupId: Uint32Array;
    readonly groups: Uint32Array;
    /** 0: it was tried, and no rollout matches the filter. */
    readonly rollouts: Uint32Array;
    /** Rollouts of which it is known whether they are correct. */
    readonly known: Uint32Array;
    readonly correct: Uint32Array;
    /** Different answers in a group. */
    readonly answers: Uint32Array;
  };
}

export interface MappedProblem {
  readonly problemId: string;
  /** The beginning of what the user asks, in one line and without the template; '' where the log has no prompt. */
  readonly question: string;
  readonly source?: string;
  readonly groundTruth?: string;
}

/** Most of the answers agree on one that is not the ground truth. */
export interface ProblemSuspect {
  readonly problemId: string;
  readonly groundTruth: string;
  readonly answer: string;
  /** With that answer, of so many with any. */
  readonly rollouts: number;
  readonly answers: number;
  /** A group of the newest step at which it was tried. */
  readonly step: number;
  readonly groupId: number;
}

/** An answer that counted as right in one rollout of a problem and as wrong in another. */
export interface DisputedAnswer {
  readonly problemId: string;
  /** As in `MappedProblem`. */
  readonly question: string;
  readonly groundTruth?: string;
  readonly answer: string;
  /** Rollouts of the run that gave it, of known correctness. */
  readonly right: number;
  readonly wrong: number;
  /** One of each, of the same group where there is one with both. */
  readonly rightId: number;
  readonly wrongId: number;
}

/** How the same problem fared, group by group, over steps and runs. */
export interface ProblemHistory {
  readonly problemId: string;
  readonly groundTruth?: string;
  readonly source?: string;
  readonly prompt: string;
  readonly groups: readonly ProblemGroup[];
  /** Groups beyond the first thousand. */
  readonly leftOut: number;
}

export interface ProblemGroup {
  readonly runKey: string;
  readonly runName: string;
  readonly kind: RunKind;
  /** Absent where the log knows no step. */
  readonly step?: number;
  readonly groupId: number;
  readonly groupKey: string;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly meanReward?: number;
  readonly meanTokens?: number;
  readonly meanChars: number;
  /** Over the policy tokens whose entropy is logged. */
  readonly meanEntropy?: Nats;
  /** The most frequent first; rollouts without an answer are not among them. */
  readonly answers: readonly {
    readonly text: string;
    readonly rollouts: number;
    /** Of those, how many are known to be right or wrong, and how many are right. */
    readonly judged: number;
    readonly right: number;
    readonly isTruth?: boolean;
  }[];
  /** What readers have said of its rollouts, the most frequent first; absent where that is nothing. */
  readonly labels?: readonly { readonly label: string; readonly rollouts: number }[];
}
