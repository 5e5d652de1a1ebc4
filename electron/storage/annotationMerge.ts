/** Merges annotations, review marks and taxonomies from files. They never overwrite those of the library. */
import type { Annotation, ReviewMark } from '../../shared/domain/annotate/annotation.ts';
import { canonical } from '../../shared/domain/annotate/identity.ts';
import { mergeAnnotations, mergeReviewMarks, mergeTaxonomy } from '../../shared/domain/annotate/merge.ts';
import type { Taxonomy } from '../../shared/domain/annotate/taxonomy.ts';
import type { AnnotationStore } from './annotationStore.ts';
import type { WritableLibrary } from './open.ts';
import { readTaxonomy, writeTaxonomy } from './taxonomies.ts';

/** The parsed lines of a file, each with its line number. */
export interface AnnotationLines {
  readonly annotations: readonly (Line & { readonly annotation: Annotation })[];
  readonly readings: readonly (Line & { readonly reading: ReviewMark })[];
  readonly taxonomies: readonly (Line & { readonly taxonomy: Taxonomy })[];
}

interface Line {
  readonly line: number;
}

export interface MergedLines {
  readonly added: number;
  readonly addedIds: readonly string[];
  readonly present: number;
  readonly readings: number;
  readonly labelsAdded: readonly string[];
  /** Different versions of an annotation. The user has to choose one. */
  readonly conflicts: readonly (Line & { readonly annotationId: string })[];
  readonly labelsDiffering: readonly (Line & { readonly label: string })[];
  readonly labelsRefused: readonly (Line & { readonly label: string })[];
}

/**
 * Must run inside a transaction. `AnnotationPlaces.placeAll` finds the rollouts afterwards.
 *
 * @param from the file the lines came from
 * @param now milliseconds since 1970
 */
export function mergeAnnotationLines(
  db: WritableLibrary,
  store: AnnotationStore,
  lines: AnnotationLines,
  { from, now }: { readonly from: string; readonly now: number },
): MergedLines {
  const labels = mergeLabels(db, lines.taxonomies);
  const lineOf = new Map(lines.annotations.map(({ annotation, line }) => [annotation, line]));
  const theirs = lines.annotations.map(({ annotation }) => annotation);
  const known = {
    byId: (id: string) => store.get(id),
    alike: (likeness: string) => store.alike(likeness),
    hasCome: (each: Annotation) => store.hasConflict(each),
  };
  const merged = mergeAnnotations(known, theirs);
  for (const annotation of merged.added) store.set(annotation);
  for (const annotation of merged.conflicts) store.addConflict(annotation, from, now);
  const readings = mergeReviewMarks(
    (reading) => store.reading(reading),
    lines.readings.map(({ reading }) => reading),
  );
  for (const reading of readings) store.setReading(reading);
  const hasChanged = merged.added.length + merged.conflicts.length + readings.length > 0;
  if (hasChanged) store.places.revise();
  return {
    added: merged.added.length,
    addedIds: merged.added.map(({ id }) => id),
    present: merged.present.length,
    readings: readings.length,
    conflicts: merged.conflicts.map((each) => ({ annotationId: each.id, line: lineOf.get(each) ?? 0 })),
    ...labels,
  };
}

function hasAnnotations(db: WritableLibrary): boolean {
  return db.prepare('SELECT 1 FROM annotation_row LIMIT 1').get() !== undefined;
}

function mergeLabels(db: WritableLibrary, theirs: AnnotationLines['taxonomies']) {
  const labelsAdded: string[] = [];
  const labelsDiffering: { label: string; line: number }[] = [];
  const labelsRefused: { label: string; line: number }[] = [];
  for (const { taxonomy, line } of theirs) {
    const ours = readTaxonomy(db);
    if (ours.isDefault && !hasAnnotations(db)) {
      // The library's taxonomy is unchanged and unused, so the file's replaces it.
      if (canonical(taxonomy) !== canonical(ours.taxonomy)) writeTaxonomy(db, taxonomy);
      const known = ours.taxonomy.labels.map(({ id }) => id);
      labelsAdded.push(...taxonomy.labels.flatMap(({ id }) => (known.includes(id) ? [] : [id])));
      continue;
    }
    const merged = mergeTaxonomy(ours.taxonomy, taxonomy);
    if (merged.added.length > 0) writeTaxonomy(db, merged.taxonomy);
    labelsAdded.push(...merged.added);
    labelsDiffering.push(...merged.differing.map((label) => ({ label, line })));
    labelsRefused.push(...merged.refused.map((label) => ({ label, line })));
  }
  return { labelsAdded, labelsDiffering, labelsRefused };
}
