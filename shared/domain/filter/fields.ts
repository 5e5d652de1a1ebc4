/** Fields of the filter language, for the parser, completion, help, columns and SQL. */
import { type RolloutField, type RolloutFieldWith, rolloutFieldsWhere } from '../rolloutFieldRecord.ts';
import { ROLLOUT_FIELDS } from '../rolloutFields.ts';

type Filterable<Properties> = RolloutFieldWith<Properties & { example: string }>;

function filterable<N extends FieldName>(...kinds: readonly RolloutField['kind'][]): readonly N[] {
  return rolloutFieldsWhere(({ kind, example }) => example !== undefined && kinds.includes(kind));
}

export type NumberField = Filterable<{ kind: 'number' | 'integer' }>;
export type FlagField = Filterable<{ kind: 'boolean' }>;
export type WordField = Filterable<{ kind: 'word' | 'list' | 'json' }>;
export type TextField = Filterable<{ kind: 'text' }>;
export type FieldName = NumberField | FlagField | WordField | TextField;
type FieldKind = 'number' | 'flag' | 'word' | 'text';

export const WORD_FIELDS = filterable<WordField>('word', 'list', 'json');
/** Fields whose words are searched; `text` covers everything. */
export const TEXT_FIELDS = filterable<TextField>('text');

/**
 * Annotation fields, and the classes of calls that were run again: what users add to a rollout. `any` matches every
 * value, `none` their absence.
 */
const ANNOTATION_FIELDS = [
  'label',
  'note',
  'author',
  'severity',
  'read',
  'rerun',
] as const satisfies readonly WordField[];
export type AnnotationField = (typeof ANNOTATION_FIELDS)[number];

export function isAnnotationField(name: string): name is AnnotationField {
  return ANNOTATION_FIELDS.some((field) => field === name);
}

export interface Field {
  readonly name: FieldName;
  readonly kind: FieldKind;
  /** Sentence fragment for completion and help. */
  readonly describe: string;
  readonly example: string;
  /** All values, or the usual ones, if known in advance. */
  readonly values?: readonly string[];
  /** Other names that the parser accepts; the printer writes `name`. */
  readonly aliases: readonly string[];
}

const ALIASES: Partial<Record<FieldName, readonly string[]>> = {
  ordinal: ['index'],
  policy_tokens: ['tokens'],
  response_chars: ['chars'],
  mean_entropy: ['entropy'],
  is_correct: ['correct'],
  stop_reason: ['stop'],
  problem_id: ['problem'],
  group_key: ['group'],
  ground_truth: ['truth'],
};

function fieldsOf(names: readonly FieldName[], kind: FieldKind): readonly Field[] {
  return names.map((name) => {
    const { describe, unit, example = '', oneOf, usual }: RolloutField = ROLLOUT_FIELDS[name];
    return {
      ...{ name, kind, example },
      describe: unit === undefined ? describe : `${describe}, in ${unit}`,
      aliases: ALIASES[name] ?? [],
      values: kind === 'flag' ? ['true', 'false'] : (oneOf ?? usual),
    };
  });
}

export const FIELDS: readonly Field[] = [
  ...fieldsOf(filterable<NumberField>('number', 'integer'), 'number'),
  ...fieldsOf(filterable<FlagField>('boolean'), 'flag'),
  ...fieldsOf(WORD_FIELDS, 'word'),
  ...fieldsOf(TEXT_FIELDS, 'text'),
];

const BY_NAME: ReadonlyMap<string, Field> = new Map(
  FIELDS.flatMap((field) => [field.name, ...field.aliases].map((name) => [name, field])),
);

/** @param name the field's own, or an alias */
export function fieldNamed(name: string): Field | undefined {
  return BY_NAME.get(name);
}

/** Names that users of trainers and other tools type for a field. */
const OTHER_NAMES: Readonly<Record<string, FieldName>> = {
  score: 'reward',
  rollout: 'ordinal',
  length: 'policy_tokens',
  calls: 'tool_calls',
  errors: 'tool_errors',
  gts: 'ground_truth',
  latency: 'latency_ms',
  data_source: 'source',
  thought: 'reasoning',
  stdout: 'output',
  labels: 'label',
  annotation: 'label',
  notes: 'note',
  reader: 'read',
  annotator: 'author',
};

/** The field with the most similar name. */
export function nearestField(name: string): FieldName | undefined {
  const lower = name.toLowerCase();
  const known = Object.hasOwn(OTHER_NAMES, lower) ? OTHER_NAMES[lower] : undefined;
  if (known !== undefined) return known;
  let best: FieldName | undefined;
  let least = 3;
  for (const field of FIELDS) {
    const distance = editsBetween(lower, field.name, least);
    if (distance < least) {
      least = distance;
      best = field.name;
    }
  }
  return best;
}

/** Levenshtein distance, capped at `limit`. */
function editsBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(limit, row[b.length] ?? limit);
}
