/** Schema of a taxonomy in requests, pack lines, and files that users export and import. */
import { z } from 'zod';
import {
  LABEL_COLOURS,
  LABEL_ID,
  LABEL_KEYS,
  type Label,
  MOST_LABELS,
  RESERVED_LABELS,
  type Taxonomy,
} from '../domain/annotate/taxonomy.ts';
import { type Checked, checked, LABEL_ID_EXPECTED, nameUpTo, present, textUpTo } from './checked.ts';
import { isObject } from './fields.ts';

const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 10_000;

const name = nameUpTo(LONGEST_NAME).overwrite((text) => text.trim());

const label = z
  .object({
    id: z.string().regex(LABEL_ID, LABEL_ID_EXPECTED),
    name,
    colour: z.enum(LABEL_COLOURS),
    description: textUpTo(LONGEST_DESCRIPTION).nullish(),
    key: z.enum(LABEL_KEYS).nullish(),
  })
  .transform(({ description, ...fields }): Label => ({ ...present(fields), description: description ?? '' }));

export const taxonomySchema = z
  .object({
    name,
    choice: z.enum(['one', 'many']),
    labels: z.array(label).max(MOST_LABELS).readonly(),
  })
  .superRefine(({ labels }, context) => {
    const fault = labelFault(labels);
    if (fault !== undefined) context.addIssue({ code: 'custom', path: ['labels'], message: fault });
  });

export const parseTaxonomy = (value: unknown): Checked<Taxonomy> =>
  checked(taxonomySchema, value, 'taxonomy');

/** @param text a taxonomy as JSON, alone or as the line of a pack */
export function parseTaxonomyFile(text: string): Checked<Taxonomy> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
  return parseTaxonomy(isObject(value) && 'taxonomy' in value ? value['taxonomy'] : value);
}

/** Ids, names and keys must be unique, and `none` and `any` have a meaning in filters. */
function labelFault(labels: readonly Label[]): string | undefined {
  const seen = { id: new Set<string>(), name: new Set<string>(), key: new Set<string>() };
  for (const { id, name: called, key } of labels) {
    const folded = called.toLowerCase();
    for (const word of [id, folded])
      if (RESERVED_LABELS.includes(word)) return `${called} (${id}): none and any are reserved for filters`;
    if (seen.id.has(id)) return `two labels have the id ${id}`;
    if (seen.name.has(folded)) return `two labels are named ${called}`;
    if (key !== undefined && seen.key.has(key)) return `two labels have the key ${key}`;
    seen.id.add(id);
    seen.name.add(folded);
    if (key !== undefined) seen.key.add(key);
  }
  return undefined;
}
