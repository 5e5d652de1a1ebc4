/** The labels of a library. Nobody has changed them: no rows, and those that Turnwise comes with. */
import {
  DEFAULT_TAXONOMY,
  type Label,
  type LabelKey,
  type Taxonomy,
} from '../../shared/domain/annotate/taxonomy.ts';
import type { ReadableLibrary, WritableLibrary } from './open.ts';

const HEAD = 'SELECT name, choice FROM taxonomy_row';
const LABELS = 'SELECT label_id, name, colour, description, key FROM label_row ORDER BY position';

interface LabelRecord extends Pick<Label, 'name' | 'colour' | 'description'> {
  readonly label_id: string;
  readonly key: LabelKey | null;
}

export function readTaxonomy(db: ReadableLibrary): {
  readonly taxonomy: Taxonomy;
  readonly isDefault: boolean;
} {
  const head = db.prepare<[], Pick<Taxonomy, 'name' | 'choice'>>(HEAD).get();
  if (head === undefined) return { taxonomy: DEFAULT_TAXONOMY, isDefault: true };
  const labels = db
    .prepare<[], LabelRecord>(LABELS)
    .all()
    .map(
      ({ label_id: id, name, colour, description, key }): Label => ({
        id,
        name,
        colour,
        description,
        ...(key === null ? {} : { key }),
      }),
    );
  return { taxonomy: { ...head, labels }, isDefault: false };
}

/** The whole of it. Must have been validated (`shared/format/taxonomy.ts`), and run inside a transaction. */
export function writeTaxonomy(db: WritableLibrary, { name, choice, labels }: Taxonomy): void {
  db.prepare('INSERT OR REPLACE INTO taxonomy_row VALUES (1, ?, ?)').run(name, choice);
  db.prepare('DELETE FROM label_row').run();
  const add = db.prepare('INSERT INTO label_row VALUES (?, ?, ?, ?, ?, ?)');
  labels.forEach((label, position) => {
    add.run(label.id, position, label.name, label.colour, label.description, label.key ?? null);
  });
  db.prepare('UPDATE annotation_state_row SET revision = revision + 1').run();
}
