/**
 * Comparison of rollouts: aligned rows, the trees of a group, and similar rollouts. Unknown is an absent
 * field; in arrays it is null.
 */
import type { OutcomeCount } from '../domain/actionTree.ts';
import type { CommonPrefix, Relation } from '../domain/align.ts';
import type { Writer } from '../domain/divergence.ts';
import type { SignalSource } from '../domain/entropy.ts';
import type { Nats, SegmentKind, TurnNumber, Utf16Offset } from '../domain/model.ts';
import type { PrefixNode } from '../domain/prefixTree.ts';
import type { StepCount } from '../domain/stepProfile.ts';
import type { SignalName } from '../domain/tokenSignal.ts';

/** Aligned turns. Each list has one entry per lane. */
export interface ComparedRow {
  readonly turns: readonly (TurnNumber | null)[];
  /** Every lane has the turn, with segments equal to the baseline's. */
  readonly isEqual: boolean;
  readonly blocks: readonly ComparedBlock[];
}

/** Aligned segments. Each list has one entry per lane. */
export interface ComparedBlock {
  /** Indices into the segments of `rollout.get`. */
  readonly segments: readonly (number | null)[];
  /**
   * Relation to the baseline's segment; `only` if the baseline has none. The baseline's own entry is `equal`.
   */
  readonly relations: readonly (Relation | null)[];
  /** Edits from the baseline's segment to the lane's, for `similar`: runs as `alignText.ts` packs them. */
  readonly edits: readonly (Int32Array | null)[];
}

export interface Comparison {
  readonly rows: readonly ComparedRow[];
  /** How each lane differs from the baseline; null for the baseline itself. */
  readonly lanes: readonly (ComparedLane | null)[];
}

export interface ComparedLane {
  readonly prefix: CommonPrefix;
  /** Absent: the responses are equal. */
  readonly fork?: Fork;
  /**
   * First difference in the policy's text, given if `fork` lies in text of a tool or a user. Absent: no such
   * difference.
   */
  readonly policyFork?: Fork;
  /**
   * First token ids that differ, if both logs have ids that are not placed on the text. Absent: none differ,
   * or unknown.
   */
  readonly idFork?: IdFork;
  /** The first different action. Absent: neither side calls a tool or gives an answer. */
  readonly actionFork?: ActionFork;
  /** UTF-16 units that only one side has. */
  readonly cost: number;
}

export interface ActionFork {
  /** Number of leading actions (calls, then the answer) that are the same. */
  readonly shared: number;
  /** The first action that differs. Absent: the side does nothing more. Both absent: all actions are the same. */
  readonly baseline?: ActionSide;
  readonly lane?: ActionSide;
}

export interface ActionSide {
  readonly kind: 'call' | 'answer';
  readonly turn: TurnNumber;
  readonly segment: number;
  /** Tool of a call. Absent if it is unreadable. */
  readonly tool?: string;
  /** Present for a malformed call that nothing answered. */
  readonly isMalformed?: true;
  /** Beginning of the code, the arguments or the answer. */
  readonly text: string;
}

export interface IdFork {
  /** Number of leading tokens with equal ids, which is the index of the first that differs. */
  readonly token: number;
  readonly baseline: IdSide;
  readonly lane: IdSide;
}

export interface IdSide extends Pick<ForkSide, 'signal' | 'source' | 'value' | 'upper' | 'percentile'> {
  /** Absent: this side has no more tokens. */
  readonly id?: number;
}

/** The first position where two responses differ, on one side. */
export interface Fork {
  readonly baseline: ForkSide;
  readonly lane: ForkSide;
}

export interface ForkSide {
  readonly offset: Utf16Offset;
  /** Absent if tokens have no position in the text, or the response has ended. */
  readonly token?: number;
  readonly turn?: TurnNumber;
  readonly segment?: number;
  /** Kind of the segment at the fork. */
  readonly kind?: SegmentKind;
  /** The token at the fork; without tokens, the word. Absent: the response has ended. */
  readonly text?: string;
  /**
   * The best signal of the rollout at that token, with its kind. For entropy from listed alternatives: the
   * lower bound.
   */
  readonly signal?: SignalName;
  readonly source?: SignalSource;
  readonly value?: Nats;
  readonly upper?: Nats;
  /** Share of the rollout's policy tokens whose value is at most this one, 0 … 1. */
  readonly percentile?: number;
  /** Alternatives listed for that token, most likely first. */
  readonly alternatives?: readonly (readonly [token: string, logprob: Nats])[];
  /** Total probability of tokens that are not listed. */
  readonly tail?: number;
  /**
   * The other side's token among the listed alternatives. Absent if nothing is listed or the other side has
   * no token there.
   */
  readonly other?: { readonly isListed: boolean; readonly rank?: number; readonly logprob?: Nats };
}

/** A leaf of the tree. */
export interface TreeRollout {
  readonly rolloutId: number;
  readonly groupId: number;
  readonly groupKey: string;
  readonly step: number;
  readonly ordinal: number;
  readonly isCorrect?: boolean;
  readonly reward?: number;
  readonly kept?: boolean;
  readonly answer?: string;
}

/** A branch of a tree. */
export interface TreeNode {
  /** Index of the parent; absent for the root. Parents precede their children. */
  readonly parent?: number;
  readonly depth: number;
  /** Indices into the tree's rollouts. */
  readonly members: readonly number[];
  readonly correct: number;
  /** Members whose correctness is known. */
  readonly correctKnown: number;
  /** Indices of nodes, most members first. */
  readonly children: readonly number[];
  /** Rollouts by step. Absent if the tree covers one step, and for a branch of one rollout. */
  readonly profile?: readonly StepCount[];
}

export interface ForkNode extends TreeNode, Omit<PrefixNode, keyof TreeNode> {
  /** The node's own text; beginning and end only if it is long. */
  readonly text: string;
  /** UTF-16 units left out of the middle of `text`. */
  readonly omitted: number;
  /** Writers of `text` up to where it is cut, each from an offset in it. Absent: the policy wrote that part. */
  readonly writers?: readonly { readonly at: Utf16Offset; readonly writer: Writer }[];
  /** Mean signal at the token after which the children diverge, over members that have the signal there. */
  readonly fork?: {
    readonly signal: SignalName;
    readonly source: SignalSource;
    readonly mean: Nats;
    readonly rollouts: number;
  };
}

/** One action of the rollouts on this branch. */
export interface ActionNode extends TreeNode {
  /** As the first of them wrote it. Absent for the root, and where rollouts end while others go on. */
  readonly action?: Omit<ActionSide, 'turn' | 'segment'>;
  /** Outcomes of the call, most frequent first. Empty for an answer. */
  readonly outcomes: readonly OutcomeCount[];
  /** Further actions of a rollout that is alone here. 0 if there are several. */
  readonly after: number;
}

interface RolloutTree<Node extends TreeNode> {
  readonly rollouts: readonly TreeRollout[];
  readonly nodes: readonly Node[];
  /** All rollouts of the tree by step, ascending: the denominators of the branch profiles. */
  readonly steps: readonly StepCount[];
  /** Some branches were left out because there are too many. */
  readonly isCut: boolean;
  /** Rollouts beyond the maximum, which were not examined. */
  readonly leftOut: number;
}

/** The tree of the responses of one or more groups. */
export interface ForkTree extends RolloutTree<ForkNode> {}

/** The tree of the actions of the rollouts of one or more groups. */
export interface ActionTree extends RolloutTree<ActionNode> {
  /** Rollouts that neither call a tool nor give an answer. */
  readonly withoutActions: number;
  /** Those of them that have no text. */
  readonly withoutText: number;
}

export type { StepCount };

export interface AlikeRollout extends TreeRollout {
  readonly runKey: string;
  readonly isSibling: boolean;
  readonly sharedPrefixChars: number;
  readonly sharedPrefixTokens?: number;
  readonly sharedTurns: number;
  /** Similarity of all tool calls together, 0 … 1. Absent if neither rollout has any. */
  readonly codeLikeness?: number;
  /** Similarity of the rest of the policy's text, 0 … 1. */
  readonly textLikeness: number;
}

/** Rollouts of the same problem, most similar first. */
export interface AlikeList {
  readonly rollouts: readonly AlikeRollout[];
  /** Number of rollouts compared, out of all rollouts of this problem. */
  readonly considered: number;
  readonly total: number;
}
