/**
 * Merges imported annotations without changing local ones. Unknown annotations are added, equal ones counted,
 * and differing ones kept as conflicts until somebody decides.
 */
import type { Annotation, ReviewMark } from './annotation.ts';
import { annotationText, contentText, reviewMarkText } from './identity.ts';
import type { Label, Taxonomy } from './taxonomy.ts';
import { MOST_LABELS } from './taxonomy.ts';

/** The parts of the local library that the merge looks up. */
export interface Known {
  byId(id: string): Annotation | undefined;
  /** The annotation with this `contentText`. */
  alike(likeness: string): Annotation | undefined;
  /** The same version was imported before: it waits for a decision or has one. */
  hasCome(theirs: Annotation): boolean;
}

export interface Merged {
  readonly added: readonly Annotation[];
  /** Equal to a local annotation, under any id, or imported before. */
  readonly present: readonly Annotation[];
  /** The local annotation with the same id differs. */
  readonly conflicts: readonly Annotation[];
}

/** Idempotent: on a second import, added annotations are present and conflicts have been imported before. */
export function mergeAnnotations(known: Known, theirs: readonly Annotation[]): Merged {
  const added = new Map<string, Annotation>();
  const likenesses = new Set<string>();
  const present: Annotation[] = [];
  const conflicts = new Map<string, Annotation>();
  for (const each of theirs) {
    const likeness = contentText(each);
    const text = annotationText(each);
    const ours = added.get(each.id) ?? known.byId(each.id);
    if (likenesses.has(likeness) || known.alike(likeness) !== undefined) present.push(each);
    else if (ours === undefined) {
      added.set(each.id, each);
      likenesses.add(likeness);
    } else if (known.hasCome(each) || conflicts.has(text)) present.push(each);
    else conflicts.set(text, each);
  }
  return { added: [...added.values()], present, conflicts: [...conflicts.values()] };
}

/**
 * Keeps one review mark per author and rollout. `read` wins over `skipped`, then the later one.
 *
 * @returns marks that are missing here or win over the local one
 */
export function mergeReviewMarks(
  ours: (reading: ReviewMark) => ReviewMark | undefined,
  theirs: readonly ReviewMark[],
): readonly ReviewMark[] {
  const taken = new Map<string, ReviewMark>();
  for (const each of theirs) {
    const key = reviewMarkText(each);
    const mine = taken.get(key) ?? ours(each);
    if (mine === undefined || counts(each) > counts(mine)) taken.set(key, each);
    else if (counts(each) === counts(mine) && each.at > mine.at) taken.set(key, each);
  }
  return [...taken.values()];
}

const counts = ({ verdict }: ReviewMark): number => (verdict === 'read' ? 1 : 0);

export interface MergedTaxonomy {
  readonly taxonomy: Taxonomy;
  /** Ids of added labels. A label loses its key if the key is taken. */
  readonly added: readonly string[];
  /** Ids of labels whose name or text differs; the local version is kept. */
  readonly differing: readonly string[];
  /** Ids of labels that could not be added: the name is taken here, or there are too many labels. */
  readonly refused: readonly string[];
}

export function mergeTaxonomy(ours: Taxonomy, theirs: Taxonomy): MergedTaxonomy {
  const labels: Label[] = [...ours.labels];
  const added: string[] = [];
  const differing: string[] = [];
  const refused: string[] = [];
  for (const label of theirs.labels) {
    const mine = labels.find(({ id }) => id === label.id);
    if (mine !== undefined) {
      if (mine.name !== label.name || mine.description !== label.description) differing.push(label.id);
      continue;
    }
    const isNameTaken = labels.some(({ name }) => name.toLowerCase() === label.name.toLowerCase());
    if (isNameTaken || labels.length >= MOST_LABELS) {
      refused.push(label.id);
      continue;
    }
    const { key, ...rest } = label;
    const isKeyTaken = key === undefined || labels.some((each) => each.key === key);
    labels.push(isKeyTaken ? rest : label);
    added.push(label.id);
  }
  return { taxonomy: added.length === 0 ? ours : { ...ours, labels }, added, differing, refused };
}
