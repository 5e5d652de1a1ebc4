/** A taxonomy that somebody else has saved: read strictly, with what is wrong said by its place. */
import {
  LABEL_COLOURS,
  LABEL_ID,
  LABEL_KEYS,
  type Label,
  type Taxonomy,
  taxonomyFault,
} from '../../../shared/domain/annotate/taxonomy.ts';

export type TaxonomyReading =
  | { readonly ok: true; readonly taxonomy: Taxonomy }
  | { readonly ok: false; readonly message: string };

const wrong = (message: string): TaxonomyReading => ({ ok: false, message });

export function readTaxonomyText(text: string): TaxonomyReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : 'is no JSON');
  }
  if (typeof value !== 'object' || value === null) return wrong('a taxonomy is an object');
  const { name, choice, labels } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name.trim() === '') return wrong('"name" is missing');
  if (choice !== 'one' && choice !== 'many') return wrong('"choice" is neither "one" nor "many"');
  if (!Array.isArray(labels)) return wrong('"labels" is no list');
  const read: Label[] = [];
  for (const [i, one] of labels.entries()) {
    const label = labelIn(one);
    if (typeof label === 'string') return wrong(`labels[${i}]: ${label}`);
    read.push(label);
  }
  const taxonomy: Taxonomy = { name, choice, labels: read };
  const fault = taxonomyFault(taxonomy);
  return fault === undefined ? { ok: true, taxonomy } : wrong(fault);
}

function labelIn(value: unknown): Label | string {
  if (typeof value !== 'object' || value === null) return 'is no object';
  const { id, name, colour, description = '', key } = value as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || !LABEL_ID.test(id)) return '"id" is not of a-z, 0-9 and -';
  if (typeof name !== 'string' || name.trim() === '') return '"name" is missing';
  const known = LABEL_COLOURS.find((one) => one === colour);
  if (known === undefined) return `"colour" is none of ${LABEL_COLOURS.join(', ')}`;
  if (typeof description !== 'string') return '"description" is no text';
  const own = LABEL_KEYS.find((one) => one === key);
  if (key !== undefined && own === undefined) return '"key" is none of 1 to 9';
  return { id, name, colour: known, description, ...(own === undefined ? {} : { key: own }) };
}
