/** Rollouts side by side, where those of a group part, and which are alike. Unknown is an absent field, in arrays null. */
import type { CommonPrefix, Relation } from '../domain/align.ts';
import type { SignalSource } from '../domain/entropy.ts';
import type { Nats, SegmentKind, TurnNumber, Utf16Offset } from '../domain/model.ts';
import type { PrefixNode } from '../domain/prefixTree.ts';
import type { StepCount } from '../domain/stepProfile.ts';
import type { SignalName } from '../domain/tokenSignal.ts';

/** Turns that belong together; one entry per lane in each list. */
export interface ComparedRow {
  readonly turns: readonly (TurnNumber | null)[];
  /** Every lane has the turn, with segments equal to the baseline's. */
  readonly isEqual: boolean;
  readonly blocks: readonly ComparedBlock[];
}

/** Segments that belong together; one entry per lane in each list. */
export interface ComparedBlock {
  /** Indices into the segments of `rollout.get`. */
  readonly segments: readonly (number | null)[];
  /** To the baseline's segment; `only` where the baseline has none. The baseline's own is `equal`. */
  readonly relations: readonly (Relation | null)[];
  /** From the baseline's segment to the lane's, for `similar`: runs as `alignText.ts` packs them. */
  readonly edits: readonly (Int32Array | null)[];
}

export interface Comparison {
  readonly rows: readonly ComparedRow[];
  /** How each lane parts from the baseline; null for the baseline itself. */
  readonly lanes: readonly (ComparedLane | null)[];
}

export interface ComparedLane {
  readonly prefix: CommonPrefix;
  /** Absent: the responses are equal. */
  readonly fork?: Fork;
  /** Where what the policy wrote parts, given where `fork` lies in what a tool or a user wrote. Absent: nowhere. */
  readonly policyFork?: Fork;
  /** Where both logs have ids without a place on the text: the first that differ, which is exact. Absent: none, or not known. */
  readonly idFork?: IdFork;
  /** UTF-16 units one side has and the other has not. */
  readonly cost: number;
}

export interface IdFork {
  /** Tokens before it are of equal id on both sides; counted from 0. */
  readonly token: number;
  readonly baseline: IdSide;
  readonly lane: IdSide;
}

export interface IdSide extends Pick<ForkSide, 'signal' | 'source' | 'value' | 'upper' | 'percentile'> {
  /** Absent: this side has no more tokens. */
  readonly id?: number;
}

/** The first place where two responses differ, on either side. */
export interface Fork {
  readonly baseline: ForkSide;
  readonly lane: ForkSide;
}

export interface ForkSide {
  readonly offset: Utf16Offset;
  /** Absent where tokens have no place on the text, and where the response has ended. */
  readonly token?: number;
  readonly turn?: TurnNumber;
  readonly segment?: number;
  /** Of that segment: who wrote what stands there. */
  readonly kind?: SegmentKind;
  /** What stands there: the token, without tokens the word. Absent: the response has ended. */
  readonly text?: string;
  /** The best signal the rollout has, at that token, with its kind. Of entropy from listed alternatives: the lower bound. */
  readonly signal?: SignalName;
  readonly source?: SignalSource;
  readonly value?: Nats;
  readonly upper?: Nats;
  /** Share of the rollout's policy tokens whose value is not above this one, 0 … 1. */
  readonly percentile?: number;
  /** What else was listed there, most likely first. */
  readonly alternatives?: readonly (readonly [token: string, logprob: Nats])[];
  /** Probability of all that is not listed. */
  readonly tail?: number;
  /** The other side's token among the listed ones; absent where nothing is listed or the other side has no token there. */
  readonly other?: { readonly isListed: boolean; readonly rank?: number; readonly logprob?: Nats };
}

/** A rollout as a leaf of the tree. */
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

export interface ForkNode extends Omit<PrefixNode, 'members'> {
  /** Indices into the tree's rollouts. */
  readonly members: readonly number[];
  /** The node's own text, its beginning and its end when it is long. */
  readonly text: string;
  /** UTF-16 units left out of the middle of `text`. */
  readonly omitted: number;
  /** Mean of the signal at the token after which its children part, over the members that have it. */
  readonly fork?: {
    readonly signal: SignalName;
    readonly source: SignalSource;
    readonly mean: Nats;
    readonly rollouts: number;
  };
  /** Its rollouts by step; absent where the tree is of one step only, and for a branch of one rollout. */
  readonly profile?: readonly StepCount[];
}

/** Where the responses of one or more groups part. */
export interface ForkTree {
  readonly rollouts: readonly TreeRollout[];
  readonly nodes: readonly ForkNode[];
  /** All rollouts of the tree by step, ascending: what the profiles of branches are shares of. */
  readonly steps: readonly StepCount[];
  /** Branches left out, because there are too many. */
  readonly isCut: boolean;
  /** Rollouts of the groups beyond those that are looked at. */
  readonly leftOut: number;
}

export type { StepCount };

export interface AlikeRollout extends TreeRollout {
  readonly runKey: string;
  readonly isSibling: boolean;
  readonly sharedPrefixChars: number;
  readonly sharedPrefixTokens?: number;
  readonly sharedTurns: number;
  /** Of all tool calls together, 0 … 1; absent where neither has any. */
  readonly codeLikeness?: number;
  /** Of all else the policy wrote, 0 … 1. */
  readonly textLikeness: number;
}

/** Rollouts of the same problem, most alike first. */
export interface AlikeList {
  readonly rollouts: readonly AlikeRollout[];
  /** How many were looked at, of all there are of this problem. */
  readonly considered: number;
  readonly total: number;
}
