/**
 * The annotation part of the writer.
 *
 *   Annotations ── AnnotationChanges (edits by a person, with undo) ── AnnotationHistory
 *        ├── mergeAnnotationLines (annotations from files)
 *        ├── AnnotationStore (rows)
 *        └── AnnotationPlaces (derived: the rollout and text position of each annotation)
 */
import type { AppliedChanges, TaxonomyState } from '../../shared/api/annotationRows.ts';
import type { ParsedParams } from '../../shared/api/contract.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import type { LineIssue } from '../../shared/format/format.ts';
import { AnnotationChanges, type Outcome } from './annotationChanges.ts';
import { historyState } from './annotationHistory.ts';
import { type AnnotationLines, type MergedLines, mergeAnnotationLines } from './annotationMerge.ts';
import { AnnotationPlaces } from './annotationPlaces.ts';
import { AnnotationStore } from './annotationStore.ts';
import type { PackedItem } from './batch.ts';
import type { WritableLibrary } from './open.ts';
import { annotationsById, annotationsOfRollout, taxonomyState } from './queries/annotations.ts';
import { readTaxonomy, writeTaxonomy } from './taxonomies.ts';

/** Rollouts whose annotations are returned with the result of a change. */
const MOST_ANSWERED = 100;

/** Result of `annotation.apply`, `undo`, `redo` and `resolve`. */
export interface Answered<T> {
  readonly value: T;
  readonly rolloutIds: readonly number[];
}

export class Annotations {
  readonly places: AnnotationPlaces;
  private readonly db: WritableLibrary;
  private readonly store: AnnotationStore;
  private readonly changes: AnnotationChanges;

  constructor(db: WritableLibrary) {
    this.db = db;
    this.places = new AnnotationPlaces(db);
    this.store = new AnnotationStore(db, this.places);
    this.changes = new AnnotationChanges(db, this.store);
  }

  /** @throws ApiError `refused` */
  apply({ author, changes }: ParsedParams<'annotation.apply'>, now: number): Answered<AppliedChanges> {
    return this.answered(this.changes.apply(author, changes, now), author);
  }

  /** @throws ApiError `refused` when another author has changed the same annotations since */
  undo({ author }: ParsedParams<'annotation.undo'> = {}): Answered<AppliedChanges> {
    return this.answered(this.changes.undo(author), author);
  }

  /** @throws ApiError `refused` as `undo` */
  redo({ author }: ParsedParams<'annotation.redo'> = {}): Answered<AppliedChanges> {
    return this.answered(this.changes.redo(author), author);
  }

  /** @throws ApiError `refused` */
  resolve(decision: ParsedParams<'annotation.resolve'>, now: number): Answered<AppliedChanges> {
    return this.answered(this.changes.resolve(decision, now), decision.author);
  }

  setTaxonomy(taxonomy: Taxonomy): TaxonomyState {
    this.db.transaction(() => writeTaxonomy(this.db, taxonomy)).immediate();
    return taxonomyState(this.db);
  }

  /** Must run inside a transaction. */
  merge(lines: AnnotationLines, from: string, now: number): MergedLines {
    return mergeAnnotationLines(this.db, this.store, lines, { from, now });
  }

  mergeAtOnce(lines: AnnotationLines, from: string): MergedLines {
    return this.db.transaction(() => this.merge(lines, from, Date.now())).immediate();
  }

  /** Counts the annotations among `ids` whose rollout is not in the library. */
  countUnattached(ids: readonly string[]): number {
    return annotationsById(this.db, ids).filter(({ place }) => place === undefined).length;
  }

  /**
   * Merges the annotations among these items of a batch. Must run inside the batch's transaction.
   *
   * @returns issues to report for the file
   */
  mergeBatch(items: readonly PackedItem[], from: string): readonly (LineIssue & { readonly line: number })[] {
    const lines = {
      annotations: items.filter((item) => item.kind === 'annotation'),
      readings: items.filter((item) => item.kind === 'reading'),
      taxonomies: items.filter((item) => item.kind === 'taxonomy'),
    };
    if (lines.annotations.length + lines.readings.length + lines.taxonomies.length === 0) return [];
    return issuesOf(this.merge(lines, from, Date.now()), this.nameOfLabel());
  }

  /**
   * Places annotations once the file's rollouts are in the library. @returns rollouts whose annotations
   * changed
   */
  place(): readonly number[] {
    return this.db.transaction(() => this.places.placeAll()).immediate();
  }

  private nameOfLabel(): (id: string) => string {
    const { taxonomy } = readTaxonomy(this.db);
    return (id) => taxonomy.labels.find((label) => label.id === id)?.name ?? id;
  }

  /** @param author whose history is returned; absent: all authors */
  private answered(outcome: Outcome, author?: string): Answered<AppliedChanges> {
    const { words, removed, readings, rolloutIds } = outcome;
    const annotations = annotationsById(this.db, outcome.annotationIds);
    const value = {
      ...(words === undefined ? {} : { words }),
      annotations,
      removed,
      readings,
      rolloutIds,
      history: historyState(this.db, author),
      rollouts: rolloutIds
        .slice(0, MOST_ANSWERED)
        .map((rolloutId) => ({ rolloutId, ...annotationsOfRollout(this.db, rolloutId) })),
    };
    return { value, rolloutIds };
  }
}

function issuesOf(
  merged: MergedLines,
  nameOf: (label: string) => string,
): readonly (LineIssue & { readonly line: number })[] {
  return [
    ...merged.conflicts.map(({ annotationId, line }) => ({
      severity: 'warning' as const,
      code: 'annotation_conflict',
      line,
      message: `annotation ${annotationId} differs from the one in this library; both are kept until the conflict is resolved`,
    })),
    ...merged.labelsDiffering.map(({ label, line }) => ({
      severity: 'warning' as const,
      code: 'label_differs',
      line,
      message: `the label ${label} has another name or description in the file; this library keeps ${nameOf(label)}`,
    })),
    ...merged.labelsRefused.map(({ label, line }) => ({
      severity: 'warning' as const,
      code: 'label_not_added',
      line,
      message: `the label ${label} was not added: its name is in use, or the taxonomy is full`,
    })),
  ];
}
