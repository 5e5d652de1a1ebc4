/**
 * An annotation is one statement about one target: a label, a note, or both, with an optional severity and
 * suggested correction. Two labels of one rollout are two annotations.
 *
 * It outlives the library's rows. It names its rollout by content rather than by row id, and its target by
 * offsets and the quoted text.
 */

import type { Flag } from '../flags.ts';
import type { RunKind, TurnNumber, Utf16Offset } from '../model.ts';

/** Content hash of a text: 32 hexadecimal digits. A parameter, because this folder compiles without Node. */
export type ContentHash = (text: string) => string;

/** Identity of a rollout that stays the same when the same logs are ingested again, in any library. */
export interface RolloutKey {
  /**
   * Key of the run: as logged (with `~eval` appended for its evaluation), or derived from the first record.
   */
  readonly run: string;
  readonly kind: RunKind;
  /** 0 if the log has no steps. */
  readonly step: number;
  /** As ingested, regardless of regrouping by the user. The same holds for `ordinal`. */
  readonly group: string;
  readonly problem: string;
  /** Position in the group, from 0. */
  readonly ordinal: number;
  /** Hash of prompt and response (`rolloutHash`, `electron/storage/contentHash.ts`). */
  readonly contentHash: string;
  /** Hash of the record's bytes, if it was read from a log. Independent of the group. */
  readonly recordHash?: string;
}

/** Severities, ascending. */
export const SEVERITIES = ['minor', 'major', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A range of text by its offsets and its quoted content. */
export interface Anchor {
  /** The text that offsets refer to. */
  readonly text: 'prompt' | 'response';
  readonly start: Utf16Offset;
  readonly end: Utf16Offset;
  /** The quoted range. If it is longer than `LONGEST_QUOTE`: its beginning here, its end in `quoteEnd`. */
  readonly quote: string;
  readonly quoteEnd?: string;
  /** With `quoteEnd`: the content hash of the whole range. */
  readonly hash?: string;
  /** Up to `CONTEXT_CHARS` on either side. */
  readonly before: string;
  readonly after: string;
}

export type AnnotationTarget =
  | { readonly kind: 'rollout' }
  | { readonly kind: 'turn'; readonly turn: TurnNumber; readonly anchor: Anchor }
  /** `segment`: index among the segments of prompt and response together, in transcript order. */
  | { readonly kind: 'segment'; readonly segment: number; readonly anchor: Anchor }
  | { readonly kind: 'span'; readonly anchor: Anchor };

export interface Annotation {
  /** Globally unique: libraries that exchange packs share it. */
  readonly id: string;
  readonly rollout: RolloutKey;
  readonly target: AnnotationTarget;
  /** Id of a taxonomy label. Kept and shown as is if the taxonomy no longer has it. */
  readonly label?: string;
  /** Markdown. */
  readonly note?: string;
  /** Suggested replacement of the text. */
  readonly correction?: string;
  readonly severity?: Severity;
  /** The automatic flag that it confirms. */
  readonly flag?: Flag;
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A reviewer has finished a rollout, whether or not it got a label. */
export interface ReviewMark {
  readonly rollout: RolloutKey;
  readonly author: string;
  readonly verdict: 'read' | 'skipped';
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Whether the annotated text is still at its offsets. */
export const ANCHOR_STATES = ['exact', 'moved', 'orphaned'] as const;
export type AnchorState = (typeof ANCHOR_STATES)[number];

/** Longer ranges are quoted by both ends. */
export const LONGEST_QUOTE = 2_000;
export const CONTEXT_CHARS = 48;
/** Size limits of one annotation, so that an imported pack cannot fill the disk. */
export const LONGEST_NOTE = 200_000;
export const LONGEST_CORRECTION = 1_000_000;
export const LONGEST_AUTHOR = 200;
