/** The taxonomy of a library. It has no rows until it is changed; the built-in labels apply then. */
import {
  DEFAULT_TAXONOMY,
  LABEL_COLOURS,
  LABEL_KEYS,
  type Label,
  type Taxonomy,
} from '../../shared/domain/annotate/taxonomy.ts';
import type { ReadableLibrary, WritableLibrary } from './open.ts';
import { oneOf, optional, query, type RowSpec, text } from './rows.ts';

const HEAD = 'SELECT name, choice FROM taxonomy_row';
const LABELS = 'SELECT label_id AS id, name, colour, description, key FROM label_row ORDER BY position';

const HEAD_ROW: RowSpec<Pick<Taxonomy, 'name' | 'choice'>> = { name: text, choice: oneOf(['one', 'many']) };
const LABEL_ROW: RowSpec<Label> = {
  ...{
    id: text,
    name: text,
    colour: oneOf(LABEL_COLOURS),
    description: text,
    key: optional(oneOf(LABEL_KEYS)),
  },
};

export function readTaxonomy(db: ReadableLibrary): {
  readonly taxonomy: Taxonomy;
  readonly isDefault: boolean;
} {
  const head = query(db, HEAD, HEAD_ROW).get();
  if (head === undefined) return { taxonomy: DEFAULT_TAXONOMY, isDefault: true };
  return { taxonomy: { ...head, labels: query(db, LABELS, LABEL_ROW).all() }, isDefault: false };
}

/** Replaces the taxonomy. It must be valid (`shared/format/taxonomy.ts`). Must run inside a transaction. */
export function writeTaxonomy(db: WritableLibrary, { name, choice, labels }: Taxonomy): void {
  db.prepare('INSERT OR REPLACE INTO taxonomy_row VALUES (1, ?, ?)').run(name, choice);
  db.prepare('DELETE FROM label_row').run();
  const add = db.prepare('INSERT INTO label_row VALUES (?, ?, ?, ?, ?, ?)');
  labels.forEach((label, position) => {
    add.run(label.id, position, label.name, label.colour, label.description, label.key ?? null);
  });
  db.prepare('UPDATE annotation_state_row SET revision = revision + 1').run();
}
