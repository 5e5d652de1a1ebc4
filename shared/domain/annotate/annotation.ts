/**
 * What a reader says about a rollout. An annotation is about one place and says one thing: a label, a note, or both,
 * with a severity and a suggested correction where there are any. Two labels of one rollout are two annotations.
 *
 * It outlives the library's rows: it names its rollout by what the rollout is, not by where it is stored, and its
 * place by offsets together with the text that stood there.
 */

import type { Flag } from '../flags.ts';
import type { RunKind, TurnNumber, Utf16Offset } from '../model.ts';

/** Content hash of a text: 32 hexadecimal digits. Handed in, as this folder compiles without Node. */
export type ContentHash = (text: string) => string;

/** What is the same after the same logs were read again, from wherever. */
export interface RolloutKey {
  /** Key of the run: as logged (`~eval` behind that of its evaluation), or worked out from the first record. */
  readonly run: string;
  readonly kind: RunKind;
  /** 0 where the log knows none. */
  readonly step: number;
  /** As read, whatever groups the user has made since; likewise `ordinal`. */
  readonly group: string;
  readonly problem: string;
  /** Position in the group, from 0. */
  readonly ordinal: number;
  /** Hash of prompt and response (`rolloutHash`, `electron/storage/contentHash.ts`). */
  readonly contentHash: string;
  /** Hash of the record's bytes, where it was read from a log: the same whatever group it was put into. */
  readonly recordHash?: string;
}

/** How bad it is, in rising order. */
export const SEVERITIES = ['minor', 'major', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A piece of text by its offsets and by what stood there. */
export interface Anchor {
  /** Which text the offsets count in. */
  readonly text: 'prompt' | 'response';
  readonly start: Utf16Offset;
  readonly end: Utf16Offset;
  /** The piece itself; of one longer than `LONGEST_QUOTE` its beginning and, in `quoteEnd`, its end. */
  readonly quote: string;
  readonly quoteEnd?: string;
  /** With `quoteEnd`: the content hash of the whole piece. */
  readonly hash?: string;
  /** Up to `CONTEXT_CHARS` on either side. */
  readonly before: string;
  readonly after: string;
}

export type AnnotationTarget =
  | { readonly kind: 'rollout' }
  | { readonly kind: 'turn'; readonly turn: TurnNumber; readonly anchor: Anchor }
  /** `segment`: index among the segments of prompt and response together, as the transcript counts them. */
  | { readonly kind: 'segment'; readonly segment: number; readonly anchor: Anchor }
  | { readonly kind: 'span'; readonly anchor: Anchor };

export interface Annotation {
  /** Unique everywhere: two libraries that exchange packs mean the same by it. */
  readonly id: string;
  readonly rollout: RolloutKey;
  readonly target: AnnotationTarget;
  /** Id of a label of the taxonomy. One that the taxonomy no longer has stays, and is shown as it is. */
  readonly label?: string;
  /** Markdown. */
  readonly note?: string;
  /** What should have stood there. */
  readonly correction?: string;
  readonly severity?: Severity;
  /** The automatic flag it confirms. */
  readonly flag?: Flag;
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A reader has been through a rollout, whether or not there was anything to label. */
export interface Reading {
  readonly rollout: RolloutKey;
  readonly author: string;
  readonly verdict: 'read' | 'skipped';
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Whether the text an annotation is about still stands where it stood. */
export const ANCHOR_STATES = ['exact', 'moved', 'orphaned'] as const;
export type AnchorState = (typeof ANCHOR_STATES)[number];

/** Longer pieces are quoted by both ends. */
export const LONGEST_QUOTE = 2_000;
export const CONTEXT_CHARS = 48;
/** Bounds of what one annotation holds, so that a pack of somebody else cannot fill a disk. */
export const LONGEST_NOTE = 200_000;
export const LONGEST_CORRECTION = 1_000_000;
export const LONGEST_AUTHOR = 200;
