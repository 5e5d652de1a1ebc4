/**
 * Annotations of others beside ours. Nothing of ours is changed by it: what is unknown is added, what is equal is
 * counted, what differs is kept beside ours until somebody decides.
 */
import type { Annotation, Reading } from './annotation.ts';
import { annotationText, likenessText, readingText } from './identity.ts';
import type { Label, Taxonomy } from './taxonomy.ts';
import { MOST_LABELS } from './taxonomy.ts';

/** What is here already, as far as the merge has to know. */
export interface Known {
  byId(id: string): Annotation | undefined;
  /** One whose `likenessText` is this. */
  alike(likeness: string): Annotation | undefined;
  /** The same version has come before: it waits, or has been decided about. */
  hasCome(theirs: Annotation): boolean;
}

export interface Merged {
  readonly added: readonly Annotation[];
  /** Said here already, under this id or another, or come before. */
  readonly present: readonly Annotation[];
  /** Ours of the same id says something else. */
  readonly conflicts: readonly Annotation[];
}

/** Idempotent: what was added is present the next time, what was in conflict has come before. */
export function mergeAnnotations(known: Known, theirs: readonly Annotation[]): Merged {
  const added = new Map<string, Annotation>();
  const likenesses = new Set<string>();
  const present: Annotation[] = [];
  const conflicts = new Map<string, Annotation>();
  for (const each of theirs) {
    const likeness = likenessText(each);
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
 * A reading is no judgement: of two of the same author about the same rollout one stays. Read counts more than
 * skipped, then the later one.
 *
 * @returns those that are not here yet, or count more than ours
 */
export function mergeReadings(
  ours: (reading: Reading) => Reading | undefined,
  theirs: readonly Reading[],
): readonly Reading[] {
  const taken = new Map<string, Reading>();
  for (const each of theirs) {
    const key = readingText(each);
    const mine = taken.get(key) ?? ours(each);
    if (mine === undefined || counts(each) > counts(mine)) taken.set(key, each);
    else if (counts(each) === counts(mine) && each.at > mine.at) taken.set(key, each);
  }
  return [...taken.values()];
}

const counts = ({ verdict }: Reading): number => (verdict === 'read' ? 1 : 0);

export interface MergedTaxonomy {
  readonly taxonomy: Taxonomy;
  /** Ids of labels that were not here, and are now, without their key where that is taken. */
  readonly added: readonly string[];
  /** Ids of labels that are called or described otherwise here: they stay as they are. */
  readonly differing: readonly string[];
  /** Ids of labels that could not be added: their name is another label's here, or there are too many. */
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
