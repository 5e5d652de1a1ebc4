/** Rows of the pages about problems. */
import type { Nats, RunKind } from '../domain/model.ts';
import type { OddsRatio } from '../domain/oddsRatio.ts';

/** Problems by steps. Each column of `cells` has one entry per problem and step at which it was tried. */
export interface ProblemMap {
  readonly steps: readonly number[];
  readonly problems: readonly MappedProblem[];
  readonly cells: {
    /** Index into `problems`. */
    readonly problem: Uint32Array;
    /** Index into `steps`. */
    readonly step: Uint32Array;
    /** First group of the problem at the step. */
    readonly groupId: Uint32Array;
    readonly groups: Uint32Array;
    /** 0: the problem was tried, but no rollout matches the filter. */
    readonly rollouts: Uint32Array;
    /** Rollouts whose correctness is known. */
    readonly known: Uint32Array;
    readonly correct: Uint32Array;
    /** Different answers in a group. */
    readonly answers: Uint32Array;
  };
}

export interface MappedProblem {
  readonly problemId: string;
  /** Beginning of the user's question on one line, without the template. '' if the log has no prompt. */
  readonly question: string;
  readonly source?: string;
  readonly groundTruth?: string;
}

/** A problem for which most answers agree on one that is not the ground truth. */
export interface ProblemSuspect {
  readonly problemId: string;
  /** As in `MappedProblem`. */
  readonly question: string;
  readonly groundTruth: string;
  readonly answer: string;
  /** Rollouts with that answer, and rollouts with any answer. */
  readonly rollouts: number;
  readonly answers: number;
  /** A group of the latest step at which the problem was tried. */
  readonly step: number;
  readonly groupId: number;
}

/** An answer that was judged correct in one rollout of a problem and incorrect in another. */
export interface DisputedAnswer {
  readonly problemId: string;
  /** As in `MappedProblem`. */
  readonly question: string;
  readonly groundTruth?: string;
  readonly answer: string;
  /** Rollouts of the run that gave this answer and have known correctness. */
  readonly right: number;
  readonly wrong: number;
  /** One rollout of each judgement, from the same group if one group has both. */
  readonly rightId: number;
  readonly wrongId: number;
}

/** Results of one problem, group by group, over steps and runs. */
export interface ProblemHistory {
  readonly problemId: string;
  /** As in `MappedProblem`. */
  readonly question: string;
  readonly groundTruth?: string;
  readonly source?: string;
  /** Instructions of the simulated user. The policy did not see them. */
  readonly userScenario?: string;
  readonly prompt: string;
  readonly groups: readonly ProblemGroup[];
  /** Groups beyond the first thousand. */
  readonly leftOut: number;
}

export interface ProblemGroup {
  readonly runKey: string;
  readonly runName: string;
  readonly kind: RunKind;
  /** Absent if the log has no steps. */
  readonly step?: number;
  readonly groupId: number;
  readonly groupKey: string;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly meanReward?: number;
  readonly meanTokens?: number;
  readonly meanChars?: number;
  /** Over the policy tokens whose entropy is logged. */
  readonly meanEntropy?: Nats;
  /** Most frequent first. Rollouts without an answer are not counted. */
  readonly answers: readonly {
    readonly text: string;
    readonly rollouts: number;
    /** Rollouts with this answer whose correctness is known, and the correct ones. */
    readonly judged: number;
    readonly right: number;
    readonly isTruth?: boolean;
  }[];
  /** Labels of the group's rollouts, most frequent first. Absent if none exist. */
  readonly labels?: readonly { readonly label: string; readonly rollouts: number }[];
}

/** The changes of problems' outcomes from one step to another, of one run or of two. */
export interface ProblemChanges {
  /** Problems that are correct or incorrect at both steps: those that stayed so and those that changed. */
  readonly compared: number;
  readonly stayedCorrect: number;
  readonly stayedIncorrect: number;
  /** Exactly half of the rollouts are correct at one of the steps. */
  readonly undecided: number;
  /** At both steps, with no known correctness at one of them. */
  readonly unknown: number;
  /** At one of the steps only. */
  readonly onlyFrom: number;
  readonly onlyTo: number;
  readonly becameIncorrect: readonly ChangedProblem[];
  readonly becameCorrect: readonly ChangedProblem[];
  /** Two-sided, of the exact McNemar test over the changed problems. */
  readonly pValue: number;
}

export interface ChangedProblem {
  readonly problemId: string;
  /** Its beginning. '' if the log holds no prompt. */
  readonly question: string;
  readonly from: ChangeSide;
  readonly to: ChangeSide;
  /** Ids of labels on either rollout or parts of it, without duplicates. Absent: none. */
  readonly labels?: readonly string[];
}

/** A problem at one step, with the first rollout that has the outcome of most. */
export interface ChangeSide {
  readonly rolloutId: number;
  readonly groupKey: string;
  readonly ordinal: number;
  readonly correct: number;
  readonly known: number;
}

/** Incorrect rollouts in clusters (shared/domain/DOMAIN.md#groups-of-failures). */
export interface FailureClusters {
  /** Rollouts that match the filter, those of known correctness, and the incorrect ones. */
  readonly rollouts: number;
  readonly known: number;
  readonly wrong: number;
  /** Steps with matching rollouts, ascending. */
  readonly steps: readonly number[];
  /** Mean silhouette, -1 … 1. Absent for fewer than two clusters. */
  readonly silhouette?: number;
  /** Largest first. */
  readonly clusters: readonly FailureCluster[];
  /** Incorrect rollouts that are far from every medoid. */
  readonly unlike: FailureMembers;
}

export interface FailureMembers {
  /** In log order. */
  readonly ids: Uint32Array;
  /** Rollouts per entry of `steps`. */
  readonly byStep: Uint32Array;
}

export interface FailureCluster extends FailureMembers {
  /** In words, such as "python exception NameError, then no answer". */
  readonly name: string;
  readonly medoid: {
    readonly rolloutId: number;
    readonly step: number;
    readonly groupKey: string;
    readonly ordinal: number;
  };
  /** At most 20, the most distinguishing first. */
  readonly features: readonly FailureFeature[];
}

export interface FailureFeature {
  /** As in `failureFeatures`, such as "call: python exception NameError". */
  readonly feature: string;
  /** Rollouts with it in the cluster, and among all other incorrect rollouts. */
  readonly inside: number;
  readonly outside: number;
  /** Compared with all other incorrect rollouts. Absent without others. */
  readonly odds?: OddsRatio;
}
