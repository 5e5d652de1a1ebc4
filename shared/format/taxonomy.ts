/** The one schema of a taxonomy: for requests, lines of packs, and files that users export and import. */
import { z } from 'zod';
import { wellFormed } from '../domain/annotate/draft.ts';
import {
  LABEL_COLOURS,
  LABEL_ID,
  LABEL_KEYS,
  type Label,
  MOST_LABELS,
  RESERVED_LABELS,
  type Taxonomy,
} from '../domain/annotate/taxonomy.ts';
import { isObject, jsonText } from './fields.ts';

const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 10_000;

const name = z
  .string()
  .overwrite(wellFormed)
  .trim()
  .min(1, 'expected a text that is not blank')
  .max(LONGEST_NAME);

const label = z
  .object({
    id: z.string().regex(LABEL_ID, 'expected an id of a-z, 0-9 and -, at most 64 characters'),
    name,
    colour: z.enum(LABEL_COLOURS),
    description: z.string().overwrite(wellFormed).max(LONGEST_DESCRIPTION).nullish(),
    key: z.enum(LABEL_KEYS).nullish(),
  })
  .transform(
    ({ key, description, ...rest }): Label => ({
      ...rest,
      description: description ?? '',
      ...(key === undefined || key === null ? {} : { key }),
    }),
  );

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

export type ParsedTaxonomy =
  | { readonly ok: true; readonly taxonomy: Taxonomy }
  | { readonly ok: false; readonly message: string };

/** Fields that are not known are left out. A message begins with the path to the fault. */
export function parseTaxonomy(value: unknown): ParsedTaxonomy {
  const parsed = taxonomySchema.safeParse(value);
  if (parsed.success) return { ok: true, taxonomy: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, message: issue === undefined ? 'taxonomy: invalid' : messageOf(issue, value) };
}

/** @param text a taxonomy as JSON, alone or as the line of a pack */
export function parseTaxonomyFile(text: string): ParsedTaxonomy {
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

function messageOf(issue: z.core.$ZodIssue, root: unknown): string {
  let value = root;
  let at = 'taxonomy';
  for (const step of issue.path) {
    at += typeof step === 'number' ? `[${step}]` : `.${String(step)}`;
    value = (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[step];
  }
  if (issue.code === 'custom') return `${at}: ${issue.message}`;
  return `${at}: ${expectedBy(issue)}; found ${foundIn(issue, value)}`;
}

const KINDS: Readonly<Record<string, string>> = { object: 'an object', array: 'a list', string: 'a text' };

function expectedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected one of ${issue.values.join(', ')}`;
    case 'too_big':
      return `expected at most ${issue.maximum} ${issue.origin === 'array' ? 'labels' : 'characters'}`;
    default:
      return issue.message;
  }
}

function foundIn(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'nothing';
  if (issue.code === 'too_big') return String((value as { readonly length: number }).length);
  const text = jsonText(value);
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}
