/**
 * Proposes a mapping: field names that trainers use, at any depth, checked against the values in the first
 * records. The user confirms it.
 */
import { isObject, type JsonObject } from './fields.ts';
import { MAPPING_VERSION, type Mapping, type MappingField } from './mapping.ts';
import { usualRole } from './messageShape.ts';
import { type PathStep, valueAt, writePath } from './recordPath.ts';

interface Guess {
  readonly field: MappingField;
  readonly names: RegExp;
  readonly fits: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isTruth = (value: unknown): boolean => typeof value === 'boolean' || value === 0 || value === 1;
const isId = (value: unknown): boolean => typeof value === 'string' || Number.isSafeInteger(value);
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value);
const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumbers = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((inner) => inner === null || typeof inner === 'number');
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((inner) => typeof inner === 'string');
const isMessages = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (inner) => isObject(inner) && (typeof inner['role'] === 'string' || typeof inner['from'] === 'string'),
  );

/** Usual keys of a message's author. */
const ROLE_KEYS = /^(?:role|who|speaker|author|sender|actor|agent|party)$/i;
/** An author is a short word. */
const LONGEST_ROLE = 40;

/** The keys of role and text of messages that have their own names for them. */
export interface MessageKeys {
  readonly role: string;
  readonly text: string;
}

/**
 * Tells which keys of these objects are the role and the text. The role has a known author in some message, or a usual
 * key; the text is the longest of the other texts.
 * @returns undefined if they are no messages, or have the usual keys
 */
export function messageKeys(value: unknown): MessageKeys | undefined {
  if (!Array.isArray(value) || value.length < 2 || !value.every(isObject) || isMessages(value))
    return undefined;
  const list: readonly JsonObject[] = value;
  const keys = Object.keys(list[0] ?? {}).filter((key) => list.every((one) => typeof one[key] === 'string'));
  const words = (key: string): readonly string[] => list.map((one) => String(one[key]));
  const chars = (key: string): number => words(key).reduce((sum, word) => sum + word.length, 0);
  const short = keys.filter((key) => words(key).every((word) => word.length <= LONGEST_ROLE));
  const role =
    short.find((key) => words(key).some((word) => usualRole(word) !== undefined)) ??
    short.find((key) => ROLE_KEYS.test(key));
  const [text] = keys.filter((key) => key !== role).sort((a, b) => chars(b) - chars(a));
  return role === undefined || text === undefined ? undefined : { role, text };
}

/** In the order in which fields claim a path. */
const GUESSES: readonly Guess[] = [
  {
    field: 'messages',
    names: /^(?:messages|conversations?|traj(?:ectory)?|history|dialog(?:ue)?|chat)$/i,
    fits: isMessages,
  },
  {
    field: 'prompt',
    names: /^(?:prompts?|q|question|input|query|instruction|problem|task|user)(?:_text)?$/i,
    fits: (v) => isText(v) || isMessages(v),
  },
  {
    field: 'response',
    names:
      /^(?:responses?|completions?|outputs?|generations?|generated(?:_text)?|reply|model_output|assistant|text|solution)(?:_text)?$/i,
    fits: (v) => isText(v) || isMessages(v),
  },
  { field: 'reward', names: /^(?:final_|total_|mean_)?(?:rewards?|scores?|return)$/i, fits: isNumber },
  {
    field: 'isCorrect',
    names: /^(?:is_?)?(?:correct|success(?:ful)?|solved|resolved|pass(?:ed)?|ok|acc)$/i,
    fits: isTruth,
  },
  {
    field: 'groundTruth',
    names: /^(?:ground_?truth|gts?|gold(?:en)?|target|labels?|reference|expected|solution|answer)$/i,
    fits: isId,
  },
  {
    field: 'answer',
    names: /^(?:extracted_answer|predicted?(?:_answer)?|prediction|final_answer|pred|answer)$/i,
    fits: isId,
  },
  {
    field: 'group',
    names:
      /^(?:group(?:_?(?:id|idx|index))?|uid|prompt_(?:id|uid)|task_(?:id|index|idx)|example_id|item_id|instance_id)$/i,
    fits: isId,
  },
  { field: 'group', names: /^(?:item|task|problem|example|instance)$/i, fits: isWhole },
  {
    field: 'problem',
    names: /^(?:problem|question|task|example|item|sample|instance)_?(?:id|idx|index)$/i,
    fits: isId,
  },
  {
    field: 'ordinal',
    names:
      /^(?:rollout|sample|trial|attempt|completion|generation)_?(?:n|id|idx|index|num(?:ber)?)$|^(?:trial|index|n)$/i,
    fits: isIndex,
  },
  {
    field: 'step',
    names: /^(?:(?:global|training|train|optimizer)_?)?(?:steps?|iteration|iter)$/i,
    fits: isIndex,
  },
  { field: 'split', names: /^(?:split|phase|mode)$/i, fits: isText },
  { field: 'run', names: /^(?:run|experiment|exp)_?(?:id|name)?$/i, fits: isId },
  { field: 'kept', names: /^(?:is_?)?(?:kept|keep|selected|used|sample_mask)$/i, fits: isTruth },
  { field: 'advantage', names: /^(?:advantages?|adv)$/i, fits: isNumber },
  { field: 'stopReason', names: /^(?:stop|finish|termination|end)_?reason$|^status$/i, fits: isText },
  { field: 'tokenTexts', names: /^(?:response_|output_|completion_)?tokens?(?:_texts?)?$/i, fits: isTexts },
  {
    field: 'tokenIds',
    names: /^(?:response|output|completion|generated|generation)?_?(?:tokens?|token_ids|ids)$/i,
    fits: isNumbers,
  },
  {
    field: 'tokenMask',
    names: /^(?:loss|response|action|assistant|completion|token)_?masks?$|^mask$/i,
    fits: isNumbers,
  },
  {
    field: 'tokenLogprobs',
    names: /^(?:rollout_|generation_|sampling_|old_|token_|output_)*log_?probs?$/i,
    fits: isNumbers,
  },
  { field: 'tokenEntropies', names: /^(?:token_|policy_)?entrop(?:y|ies|ys)$/i, fits: isNumbers },
];

/** Deeper names are too ambiguous to guess. */
const DEEPEST = 3;
const MOST_PATHS = 2000;
/** More tell no more about the shape of a record. */
const MOST_KEYS = 200;
/** UTF-16 units. A longer key is no name of a field. */
const LONGEST_KEY = 500;

/** The first names of fields in a record. */
export const namesIn = (record: JsonObject): readonly string[] =>
  Object.keys(record)
    .filter((key) => key.length <= LONGEST_KEY)
    .slice(0, MOST_PATHS);

export function proposeMapping(name: string, records: readonly JsonObject[]): Mapping {
  const paths = pathsIn(records);
  const claimed = new Set<string>();
  const fields: Partial<Record<MappingField, string>> = {};
  const own = ownMessages(paths, records);
  if (own !== undefined) {
    claimed.add(own.path);
    Object.assign(fields, { messages: own.path, messageRole: own.role, messageText: own.text });
  }
  for (const guess of GUESSES) {
    if ((guess.field === 'prompt' || guess.field === 'response') && fields.messages !== undefined) continue;
    if (fields[guess.field] !== undefined) continue;
    const found = paths.find((steps) => {
      const last = steps.at(-1);
      return (
        typeof last === 'string' &&
        guess.names.test(last) &&
        !claimed.has(writePath(steps)) &&
        records.some((record) => guess.fits(valueAt(record, steps)))
      );
    });
    if (found === undefined) continue;
    const path = writePath(found);
    claimed.add(path);
    fields[guess.field] = path;
  }
  return { version: MAPPING_VERSION, name, shape: shapeOf(records), fields };
}

/** The first list of messages with keys of their own, if no record has one with the usual keys. */
function ownMessages(
  paths: readonly (readonly PathStep[])[],
  records: readonly JsonObject[],
): (MessageKeys & { readonly path: string }) | undefined {
  const lists = paths.map((steps) => records.map((record) => valueAt(record, steps)));
  if (lists.some((values) => values.some(isMessages))) return undefined;
  for (const [i, values] of lists.entries()) {
    const keys = values.map(messageKeys).find((found) => found !== undefined);
    if (keys !== undefined) return { path: writePath(paths[i] ?? []), ...keys };
  }
  return undefined;
}

/** The first keys that all of the first records have. */
function shapeOf(records: readonly JsonObject[]): readonly string[] {
  const [first, ...others] = records;
  return namesIn(first ?? {})
    .filter((key) => others.every((record) => Object.hasOwn(record, key)))
    .slice(0, MOST_KEYS);
}

/** Paths of all values in the records, shallow ones first. */
export function pathsIn(records: readonly JsonObject[]): readonly (readonly PathStep[])[] {
  const found = new Map<string, readonly PathStep[]>();
  const walk = (value: unknown, steps: readonly PathStep[]): void => {
    if (found.size >= MOST_PATHS) return;
    if (steps.length > 0) found.set(writePath(steps), steps);
    if (steps.length >= DEEPEST) return;
    if (isObject(value)) for (const key of namesIn(value)) walk(value[key], [...steps, key]);
    // The first entry represents a list of objects. Numbers and texts in lists have no paths of their own.
    else if (Array.isArray(value) && isObject(value[0]) && !isMessages(value)) walk(value[0], [...steps, 0]);
  };
  for (const record of records) walk(record, []);
  return [...found.values()].sort((a, b) => a.length - b.length);
}
