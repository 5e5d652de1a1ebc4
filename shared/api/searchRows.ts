/** Rows of the search. */
import type { SegmentKind } from '../domain/model.ts';

/** Where a page of the search ended; the next one goes on behind it. */
export interface SearchCursor {
  readonly runId: number;
  readonly step: number;
  readonly groupId: number;
  readonly ordinal: number;
  readonly rolloutId: number;
}

/** One place, with some of the text around it. Offsets are UTF-16. */
export interface SearchHit {
  /** Position in the rollout's segments, prompt included. */
  readonly segment: number;
  readonly kind: SegmentKind;
  /** 0: the prompt. */
  readonly turn: number;
  /** In the segment as it is searched: without tags, the code of a call without escapes. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly text: string;
  readonly after: string;
  /** The segment goes on before `before`, behind `text` and behind `after`. */
  readonly isCut: { readonly before: boolean; readonly text: boolean; readonly after: boolean };
}

export interface HitList {
  /** The first ones. */
  readonly hits: readonly SearchHit[];
  readonly total: number;
  /** There are more than were counted. */
  readonly isAtLeast: boolean;
}

export interface FoundRollout {
  readonly rolloutId: number;
  readonly ordinal: number;
  readonly reward?: number;
  readonly isCorrect?: boolean;
  readonly turns: number;
  /** Of its response; those of the prompt are the group's. */
  readonly found: HitList;
}

export interface FoundGroup {
  readonly runId: number;
  readonly step: number;
  readonly groupId: number;
  readonly groupKey: string;
  readonly problemId: string;
  /** The beginning of the problem, on one line. */
  readonly preview: string;
  readonly rollouts: number;
  readonly correct: number;
  readonly correctKnown: number;
  readonly prompt: HitList;
  /** In the order of the log. A group may go on in the next page. */
  readonly found: readonly FoundRollout[];
}

export interface SearchPage {
  readonly groups: readonly FoundGroup[];
  /** Absent: that was all. */
  readonly next?: SearchCursor;
  /** Rollouts gone past on this page, found or not. */
  readonly passed: number;
  /** Of these, the ones whose text had to be read to tell: not in the index yet, or asked by a regular expression. */
  readonly scanned: number;
  /** In all of the search. */
  readonly total: number;
  /** In which a regular expression took too long. */
  readonly unsearched: readonly UnsearchedRollout[];
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
