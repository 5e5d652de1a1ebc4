/**
 * Annotations of rollouts, and classes of calls that were run again, as sets per filter field. They are small
 * compared to a column, and cached until the revision changes.
 */
import type { AnnotationField } from '../../shared/domain/filter/fields.ts';
import type { WordNode } from '../../shared/domain/filter/node.ts';
import { containsTest, wordTest } from '../../shared/domain/filter/wordTest.ts';
import type { ReadableLibrary } from '../storage/open.ts';
import { placedAnnotations, placedReadings } from '../storage/queries/annotations.ts';
import { rerunClasses } from '../storage/reruns.ts';
import { readTaxonomy } from '../storage/taxonomies.ts';

type Rollouts = ReadonlySet<number>;

export class AnnotationFacts {
  readonly revision: number;
  private readonly values: Readonly<Record<AnnotationField, Map<string, Set<number>>>> = {
    label: new Map(),
    note: new Map(),
    author: new Map(),
    severity: new Map(),
    read: new Map(),
    rerun: new Map(),
  };
  private readonly names: ReadonlyMap<string, string>;
  private readonly runOf = new Map<number, number>();

  constructor(db: ReadableLibrary, revision: number) {
    this.revision = revision;
    this.names = new Map(readTaxonomy(db).taxonomy.labels.map(({ id, name }) => [id, name]));
    for (const { rolloutId, runId, author, label, severity, note } of placedAnnotations(db)) {
      this.runOf.set(rolloutId, runId);
      this.add('author', author, rolloutId);
      if (note !== null) this.add('note', note, rolloutId);
      if (severity !== null) this.add('severity', severity, rolloutId);
      if (label === null) continue;
      this.add('label', label, rolloutId);
      this.add('read', author, rolloutId);
    }
    for (const { rolloutId, runId, author, verdict } of placedReadings(db)) {
      this.runOf.set(rolloutId, runId);
      if (verdict === 'read') this.add('read', author, rolloutId);
    }
    for (const { rolloutId, runId, class: found } of rerunClasses(db)) {
      this.runOf.set(rolloutId, runId);
      this.add('rerun', found, rolloutId);
    }
  }

  /** Labels match by id or name, notes by their text. */
  where({ field, ...node }: WordNode & { readonly field: AnnotationField }): Rollouts {
    const test = field === 'note' ? containsTest(node) : wordTest(node);
    return this.union(field, (value) => {
      const name = field === 'label' ? this.names.get(value) : undefined;
      return test(value) || (name !== undefined && test(name));
    });
  }

  /** Rollouts that have any value of the field. */
  known(field: AnnotationField): Rollouts {
    return this.union(field, () => true);
  }

  /** Counts the rollouts of a run per value, including unused labels. */
  counts(field: AnnotationField, runId: number): readonly (readonly [string, number])[] {
    // Whole notes are useless as completions.
    if (field === 'note') return [];
    const unused = field === 'label' ? [...this.names.keys()].map((id) => [id, 0] as const) : [];
    const used = [...this.values[field]].map(([value, ids]) => {
      let count = 0;
      for (const id of ids) if (this.runOf.get(id) === runId) count++;
      return [value, count] as const;
    });
    return [...unused, ...used.filter(([, count]) => count > 0)];
  }

  /** Name of a label of the taxonomy, by id. */
  nameOf(label: string): string | undefined {
    return this.names.get(label);
  }

  private add(field: AnnotationField, value: string, rolloutId: number): void {
    const ids = this.values[field].get(value);
    if (ids === undefined) this.values[field].set(value, new Set([rolloutId]));
    else ids.add(rolloutId);
  }

  private union(field: AnnotationField, holds: (value: string) => boolean): Rollouts {
    const found = [...this.values[field]].filter(([value]) => holds(value)).map(([, ids]) => ids);
    const [first, ...others] = found;
    if (first === undefined) return NONE;
    if (others.length === 0) return first;
    const all = new Set(first);
    for (const ids of others) for (const id of ids) all.add(id);
    return all;
  }
}

const NONE: Rollouts = new Set();
