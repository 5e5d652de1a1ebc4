/**
 * What the writer does about annotations.
 *
 *   Annotations ── AnnotationChanges (what a person does, with undo) ── AnnotationHistory
 *        ├── mergeSaid (what comes with files)
 *        ├── AnnotationStore (rows)
 *        └── AnnotationPlaces (derived: where they are)
 */
import type { AppliedChanges, TaxonomyState } from '../../shared/api/annotationRows.ts';
import type { ParsedParams } from '../../shared/api/contract.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import type { LineIssue } from '../../shared/format/format.ts';
import { AnnotationChanges, durably, type Outcome } from './annotationChanges.ts';
import { historyState } from './annotationHistory.ts';
import { type MergedLines, mergeSaid, type SaidLines } from './annotationMerge.ts';
import { AnnotationPlaces } from './annotationPlaces.ts';
import { AnnotationStore } from './annotationStore.ts';
import type { PackedBatch } from './batch.ts';
import type { WritableLibrary } from './open.ts';
import { annotationsById, annotationsOfRollout, taxonomyState } from './queries/annotations.ts';
import { readTaxonomy, writeTaxonomy } from './taxonomies.ts';

/** Rollouts whose annotations come with the answer to a change. */
const MOST_ANSWERED = 100;

/** Of `annotation.apply`, `undo`, `redo` and `resolve`. */
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

  /** @throws ApiError `refused` of an author's step where somebody else has changed since what it is about */
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
    durably(this.db, () => writeTaxonomy(this.db, taxonomy));
    return taxonomyState(this.db);
  }

  /** Must run inside a transaction. */
  merge(said: SaidLines, from: string, now: number): MergedLines {
    return mergeSaid(this.db, this.store, said, { from, now });
  }

  mergeDurably(said: SaidLines, from: string): MergedLines {
    return durably(this.db, () => this.merge(said, from, Date.now()));
  }

  /** Of these, those whose rollout is not here. */
  countUnattached(ids: readonly string[]): number {
    return annotationsById(this.db, ids).filter(({ place }) => place === undefined).length;
  }

  /**
   * What a batch of a file holds of annotations; must run inside its transaction.
   *
   * @returns what is to be said of it
   */
  mergeBatch({ items }: PackedBatch, from: string): readonly (LineIssue & { readonly line: number })[] {
    const said = {
      annotations: items.filter((item) => item.kind === 'annotation'),
      readings: items.filter((item) => item.kind === 'reading'),
      taxonomies: items.filter((item) => item.kind === 'taxonomy'),
    };
    if (said.annotations.length + said.readings.length + said.taxonomies.length === 0) return [];
    return issuesOf(this.merge(said, from, Date.now()), this.nameOfLabel());
  }

  /** What the file has brought, and what is waiting, once its rollouts are in the library. @returns rollouts */
  place(): readonly number[] {
    return this.db.transaction(() => this.places.placeAll()).immediate();
  }

  private nameOfLabel(): (id: string) => string {
    const { taxonomy } = readTaxonomy(this.db);
    return (id) => taxonomy.labels.find((label) => label.id === id)?.name ?? id;
  }

  /** @param author whose history is told; absent: everybody's */
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
      message: `annotation ${annotationId} says something else here; both are kept until one is chosen`,
    })),
    ...merged.labelsDiffering.map(({ label, line }) => ({
      severity: 'warning' as const,
      code: 'label_differs',
      line,
      message: `the label ${label} has another name or description than here, where it is ${nameOf(label)}; it stays as it is here`,
    })),
    ...merged.labelsRefused.map(({ label, line }) => ({
      severity: 'warning' as const,
      code: 'label_not_added',
      line,
      message: `the label ${label} was not added: another one has its name, or there are too many`,
    })),
  ];
}
