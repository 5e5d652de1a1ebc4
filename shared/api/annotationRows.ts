/** Annotations as the host returns them: with their current position, imported conflicts, and summaries. */
import type { NoKappa } from '../domain/annotate/agreement.ts';
import type { AnchorState, Annotation, ReviewMark } from '../domain/annotate/annotation.ts';
import type { Taxonomy } from '../domain/annotate/taxonomy.ts';
import type { Utf16Offset } from '../domain/model.ts';

export type { Annotation, ReviewMark, Severity } from '../domain/annotate/annotation.ts';
export { ANCHOR_STATES, SEVERITIES } from '../domain/annotate/annotation.ts';
export type { Label, LabelKey, Taxonomy } from '../domain/annotate/taxonomy.ts';
export { LABEL_COLOURS, LABEL_KEYS, LABEL_OF_FLAG } from '../domain/annotate/taxonomy.ts';

/** Position of an annotation in this library. */
export interface AnnotationPosition {
  readonly rolloutId: number;
  readonly runId: number;
  readonly runKey: string;
  readonly step: number;
  readonly groupId: number;
  /**
   * `moved`: its text is at another position, or, for a whole rollout, the text has changed. `orphaned`: its
   * text no longer exists.
   */
  readonly state: AnchorState;
  /** Offset in the text that its anchor names. Absent for a whole rollout, and if orphaned. */
  readonly start?: Utf16Offset;
  readonly end?: Utf16Offset;
}

export interface AnnotationRow extends Annotation {
  /**
   * Key of list rows, local to this library; `id` is global. Changes if the annotation is removed and the
   * removal undone.
   */
  readonly annotationNo: number;
  /** Absent: its rollout is not in this library. */
  readonly place?: AnnotationPosition;
  /** The beginning of its problem's question, in lists. Absent: not in this library, or the log holds no prompt. */
  readonly question?: string;
  /** Other versions of it, imported from packs, that wait for a decision. */
  readonly conflicts: number;
}

interface ReadingRow extends ReviewMark {
  /** Absent: its rollout is not in this library. */
  readonly rolloutId?: number;
}

export interface TaxonomyState {
  readonly taxonomy: Taxonomy;
  /** True until somebody changes the taxonomy. */
  readonly isDefault: boolean;
  /** One entry per label in use, in the taxonomy or not. */
  readonly counts: readonly LabelCount[];
}

export interface LabelCount {
  readonly label: string;
  readonly annotations: number;
  /** Distinct rollouts. */
  readonly rollouts: number;
}

/** The next undo and the next redo. Kept across restarts. */
export interface HistoryState {
  /** Description of the change that `annotation.undo` would undo. Absent: nothing to undo. */
  readonly undo?: string;
  readonly redo?: string;
  /** Revision of all annotation data. Every change increments it. */
  readonly revision: number;
}

/** Annotations of one rollout. */
export interface RolloutAnnotations {
  /** Those about the whole rollout first, then by position in the text. */
  readonly annotations: readonly AnnotationRow[];
  /** How many others were added before the 5,000 that are listed. Absent: none. */
  readonly unlisted?: number;
  readonly readings: readonly ReadingRow[];
  /** As in `HistoryState`. */
  readonly revision: number;
}

/** Result of a change, an undo, a redo or a resolved conflict. */
export interface AppliedChanges {
  /** Description of the change. Absent: there was nothing to undo or redo. */
  readonly words?: string;
  /** Current rows of the changed annotations, without the removed ones. */
  readonly annotations: readonly AnnotationRow[];
  /** Ids. With `choice: 'one'` also the labels that a new label replaced. */
  readonly removed: readonly string[];
  readonly readings: readonly ReadingRow[];
  /** The changed rollouts that are in this library. */
  readonly rolloutIds: readonly number[];
  readonly history: HistoryState;
  /** Current annotations of the first 100 of these rollouts. */
  readonly rollouts: readonly ({ readonly rolloutId: number } & RolloutAnnotations)[];
}

export interface LabelQueue {
  /** Rollouts left to review, in order. */
  readonly ids: Uint32Array;
  /** Rollouts in the queue, reviewed or not. */
  readonly total: number;
  /** Rollouts reviewed by this author. */
  readonly read: number;
  readonly skipped: number;
}

/** Cohen's κ and the counts behind it: decisions of two reviewers about the same rollouts. */
interface KappaRow {
  /** Rollouts both reviewers have read. */
  readonly n: number;
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
  /**
   * Absent if undefined: no rollout was read by both, or agreement by chance is certain. `why` says which.
   */
  readonly kappa?: number;
  readonly why?: NoKappa;
}

export interface AgreementReport {
  readonly authors: readonly [string, string];
  /** Rollouts each reviewer has read, and rollouts both have read. */
  readonly first: number;
  readonly second: number;
  readonly both: number;
  /** In taxonomy order, then labels outside the taxonomy. Labels nobody gave are left out. */
  readonly labels: readonly (KappaRow & { readonly label: string })[];
  /**
   * With `choice: 'one'`: the categories are the given label or none. Otherwise over every decision (rollout
   * × label in the taxonomy or given).
   */
  readonly overall: {
    readonly of: 'categories' | 'decisions';
    readonly n: number;
    readonly agreed: number;
    readonly kappa?: number;
    readonly why?: NoKappa;
  };
  /** Rollouts both have read and label differently, most differences first. */
  readonly disagreements: readonly {
    readonly rolloutId: number;
    readonly onlyFirst: readonly string[];
    readonly onlySecond: readonly string[];
  }[];
}

/** Number of annotations and of distinct rollouts. */
export interface LabelTally {
  readonly rollouts: number;
  readonly annotations: number;
}

export interface LabelReport extends LabelTally {
  /** Absent: notes without a label. */
  readonly label?: string;
  readonly byStep: readonly (LabelTally & { readonly runId: number; readonly step: number })[];
  readonly byRun: readonly (LabelTally & { readonly runId: number; readonly runKey: string })[];
  readonly byClass: {
    readonly correct: LabelTally;
    readonly wrong: LabelTally;
    readonly unknown: LabelTally;
  };
  readonly byKept: {
    readonly kept: LabelTally;
    readonly discarded: LabelTally;
    readonly unknown: LabelTally;
  };
  /**
   * By the outcomes of the rollout's tool calls. A rollout with two outcomes counts in both; `none`: no
   * calls.
   */
  readonly byOutcome: readonly (LabelTally & { readonly outcome: string })[];
  readonly bySeverity: readonly (LabelTally & { readonly severity?: string })[];
}

export interface AnnotationReport extends LabelTally {
  /** In taxonomy order, then others by name, then notes without a label. Labels nobody gave are left out. */
  readonly labels: readonly LabelReport[];
  /** Rollouts in scope, labelled or not. */
  readonly of: number;
  /**
   * Annotations whose rollout is not in this library. Not counted elsewhere; 0 if a run or filter is given.
   */
  readonly unattached: number;
}

/** A local annotation and an imported version that differs. */
export interface ConflictRow {
  /** Id of the conflict. */
  readonly conflictId: number;
  /** Absent: the local annotation has been removed since the import. */
  readonly mine?: AnnotationRow;
  readonly theirs: Annotation;
  /** The imported file. */
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface AuthorRow {
  readonly author: string;
  readonly annotations: number;
  /** Rollouts read or labelled. */
  readonly read: number;
  /** Time of the last change, in milliseconds since 1970. */
  readonly latest: number;
}

/** Result of importing annotations. */
export interface MergeReport {
  readonly added: number;
  /** Equal to a local annotation. */
  readonly present: number;
  readonly conflicts: number;
  /** Added, but the rollout is not in this library. */
  readonly unattached: number;
  readonly readings: number;
  /**
   * Labels added to the taxonomy, and labels whose name or text differs, for which the local version was
   * kept.
   */
  readonly labelsAdded: readonly string[];
  readonly labelsDiffering: readonly string[];
  /** Lines that could not be read. */
  readonly issues: readonly { readonly path: string; readonly line?: number; readonly message: string }[];
}
