/** Annotations as the host gives them: with where they stand now, what a colleague said otherwise, and what they sum to. */
import type { NoKappa } from '../domain/annotate/agreement.ts';
import type { AnchorState, Annotation, Reading } from '../domain/annotate/annotation.ts';
import type { Taxonomy } from '../domain/annotate/taxonomy.ts';
import type { Utf16Offset } from '../domain/model.ts';

export type { Annotation, Reading, Severity } from '../domain/annotate/annotation.ts';
export { ANCHOR_STATES, SEVERITIES } from '../domain/annotate/annotation.ts';
export type { Label, LabelKey, Taxonomy } from '../domain/annotate/taxonomy.ts';
export { LABEL_COLOURS, LABEL_KEYS, LABEL_OF_FLAG } from '../domain/annotate/taxonomy.ts';

/** Where an annotation stands in this library. */
export interface AnnotationPlace {
  readonly rolloutId: number;
  readonly runId: number;
  readonly runKey: string;
  readonly step: number;
  readonly groupId: number;
  /** `moved`: it stands elsewhere, or, about a rollout, its text has changed. `orphaned`: its text is not there any more. */
  readonly state: AnchorState;
  /** In the text its anchor names; absent of a whole rollout, and where it is orphaned. */
  readonly start?: Utf16Offset;
  readonly end?: Utf16Offset;
}

export interface AnnotationRow extends Annotation {
  /** What lists name it by: of this library only, as `id` is everywhere. Another one once it was removed and undone. */
  readonly annotationNo: number;
  /** Absent: its rollout is not in this library. */
  readonly place?: AnnotationPlace;
  /** Other versions of it that came with packs, waiting for a decision. */
  readonly conflicts: number;
}

interface ReadingRow extends Reading {
  /** Absent: its rollout is not in this library. */
  readonly rolloutId?: number;
}

export interface TaxonomyState {
  readonly taxonomy: Taxonomy;
  /** Nobody has changed it. */
  readonly isDefault: boolean;
  /** Of every label that is in use, in the taxonomy or not. */
  readonly counts: readonly LabelCount[];
}

export interface LabelCount {
  readonly label: string;
  readonly annotations: number;
  /** Distinct ones. */
  readonly rollouts: number;
}

/** What can be taken back and done again. Survives a restart. */
export interface HistoryState {
  /** What `annotation.undo` would take back, in words; absent: nothing. */
  readonly undo?: string;
  readonly redo?: string;
  /** Of all annotation data when this was read. It grows with every change. */
  readonly revision: number;
}

/** Everything that readers say about one rollout. */
export interface RolloutAnnotations {
  /** By place in the text, those about the whole rollout first. */
  readonly annotations: readonly AnnotationRow[];
  readonly readings: readonly ReadingRow[];
  /** As in `HistoryState`. */
  readonly revision: number;
}

/** What a change, an undo, a redo or a decision has done. */
export interface AppliedChanges {
  /** Absent: there was nothing to undo or to redo. */
  readonly words?: string;
  /** As they are now: those put, and none of those removed. */
  readonly annotations: readonly AnnotationRow[];
  /** Ids; with `choice: 'one'` also those that a new label replaced. */
  readonly removed: readonly string[];
  readonly readings: readonly ReadingRow[];
  /** The rollouts that were changed, as far as they are in this library. */
  readonly rolloutIds: readonly number[];
  readonly history: HistoryState;
  /** The same rollouts as they are now; the first 100. */
  readonly rollouts: readonly ({ readonly rolloutId: number } & RolloutAnnotations)[];
}

export interface LabelQueue {
  /** What is left to read, in order. */
  readonly ids: Uint32Array;
  /** Of everything asked for, whoever has read it. */
  readonly total: number;
  /** By this author. */
  readonly read: number;
  readonly skipped: number;
}

/** κ and what it is made of: decisions of two readers about the same things. */
interface KappaRow {
  /** Rollouts both have read. */
  readonly n: number;
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
  /** Absent where it is undefined: nothing read by both, or chance alone would agree always; `why` says which. */
  readonly kappa?: number;
  readonly why?: NoKappa;
}

export interface AgreementReport {
  readonly authors: readonly [string, string];
  /** Rollouts each has read, and those both have. */
  readonly first: number;
  readonly second: number;
  readonly both: number;
  /** In order of the taxonomy, then the labels it does not have; those nobody gave are left out. */
  readonly labels: readonly (KappaRow & { readonly label: string })[];
  /**
   * With `choice: 'one'`: over the label given or none, as categories; else over every decision
   * (rollout × label that is in the taxonomy or was given).
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

/** Annotations, and the distinct rollouts they are about. */
export interface LabelTally {
  readonly rollouts: number;
  readonly annotations: number;
}

export interface LabelReport extends LabelTally {
  /** Absent: annotations without a label, notes alone. */
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
  /** By what became of the tool calls of the rollout: one with two kinds counts in both; `none`: without calls. */
  readonly byOutcome: readonly (LabelTally & { readonly outcome: string })[];
  readonly bySeverity: readonly (LabelTally & { readonly severity?: string })[];
}

export interface AnnotationReport extends LabelTally {
  /** In order of the taxonomy, then others by name, notes without a label last; those nobody gave are left out. */
  readonly labels: readonly LabelReport[];
  /** Rollouts of what was asked for, labelled or not. */
  readonly of: number;
  /** Annotations whose rollout is not in this library; counted nowhere else, and only where no filter and no run is asked. */
  readonly unattached: number;
}

/** An annotation of ours, and what came for it from elsewhere. */
export interface ConflictRow {
  /** Of the conflict. */
  readonly conflictId: number;
  /** Absent: ours has been removed since it came. */
  readonly mine?: AnnotationRow;
  readonly theirs: Annotation;
  /** The file it came from. */
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface AuthorRow {
  readonly author: string;
  readonly annotations: number;
  /** Rollouts read or labelled. */
  readonly read: number;
  /** Milliseconds since 1970, of the last change. */
  readonly latest: number;
}

/** What became of annotations that came from elsewhere. */
export interface MergeReport {
  readonly added: number;
  /** Equal to what is here. */
  readonly present: number;
  readonly conflicts: number;
  /** Added, and their rollout is not in this library. */
  readonly unattached: number;
  readonly readings: number;
  /** Labels that were added to the taxonomy, and labels whose name or text differs, which were kept as they are here. */
  readonly labelsAdded: readonly string[];
  readonly labelsDiffering: readonly string[];
  /** Lines that could not be read. */
  readonly issues: readonly { readonly path: string; readonly line?: number; readonly message: string }[];
}
