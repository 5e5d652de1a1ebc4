/** Rows of the search. */
import type { SegmentKind } from '../domain/model.ts';

/** Last position of a search page. The next page starts after it. */
export interface SearchCursor {
  readonly runId: number;
  readonly step: number;
  readonly groupId: number;
  readonly ordinal: number;
  readonly rolloutId: number;
}

/** One match with surrounding text. Offsets are UTF-16. */
export interface SearchHit {
  /** Index among the rollout's segments, prompt included. */
  readonly segment: number;
  readonly kind: SegmentKind;
  /** 0: the prompt. */
  readonly turn: number;
  /** Offset in the segment's searchable text: without tags, and with the code of a call unescaped. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly text: string;
  readonly after: string;
  /** Whether text was cut before `before`, after `text` and after `after`. */
  readonly isCut: { readonly before: boolean; readonly text: boolean; readonly after: boolean };
}

export interface HitList {
  /** The first hits. */
  readonly hits: readonly SearchHit[];
  readonly total: number;
  /** Counting stopped, so there may be more. */
  readonly isAtLeast: boolean;
}

export interface FoundRollout {
  readonly rolloutId: number;
  readonly ordinal: number;
  readonly reward?: number;
  readonly isCorrect?: boolean;
  readonly turns?: number;
  /** Hits in its response. Hits in the prompt belong to the group. */
  readonly found: HitList;
}

export interface FoundGroup {
  readonly runId: number;
  readonly step: number;
  readonly groupId: number;
  readonly groupKey: string;
  readonly problemId: string;
  /** Beginning of the problem, on one line. */
  readonly preview: string;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly prompt: HitList;
  /** In the order of the log. A group may continue on the next page. */
  readonly found: readonly FoundRollout[];
}

/** Progress of a search in one answer, because a search is answered in parts. */
interface SearchReach {
  /** Absent: the search is complete. */
  readonly next?: SearchCursor;
  /** Rollouts examined for this answer, matching or not. */
  readonly passed: number;
  /** Those whose text was read because they are not indexed yet or the query is a regular expression. */
  readonly scanned: number;
  /** Rollouts in the whole search. */
  readonly total: number;
  /** Rollouts in which a regular expression took too long or needed too much memory. */
  readonly unsearched: readonly UnsearchedRollout[];
}

export interface SearchPage extends SearchReach {
  readonly groups: readonly FoundGroup[];
}

/** Matching rollouts among those examined for this answer. */
export interface SearchCount extends SearchReach {
  /** In search order; runs without a match are left out. */
  readonly runs: readonly { readonly runId: number; readonly rollouts: number }[];
}

export interface UnsearchedRollout {
  readonly rolloutId: number;
  readonly runId: number;
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
}

/** Every hit of a query in one rollout. */
export interface RolloutHits {
  readonly hits: readonly Pick<SearchHit, 'segment' | 'kind' | 'turn' | 'start' | 'end'>[];
  readonly isAtLeast: boolean;
}

export interface SearchState {
  readonly rollouts: number;
  readonly indexed: number;
}
