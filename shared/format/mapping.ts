/**
 * A mapping gives the path of each rollout field in the records of an unknown log. It is data: made in the
 * preview or by hand, saved by name, exported as JSON, and applied to every file of the same shape.
 *
 *   {"version": 1, "name": "our sampler", "shape": ["meta", "prompt", "reply", "score"],
 *    "fields": {"prompt": "prompt", "response": "reply", "reward": "score", "step": "meta.step"}}
 *
 * `joinKey` joins records of two files about one rollout. A mapping without messages and response reads its
 * records as token columns or decisions, for rollouts with the same key in another file of the run.
 *
 * `messageRole` and `messageText` are paths inside a message, for messages with keys of their own. `roles` says what the
 * log's own roles stand for:
 *
 *   {"fields": {"messages": "log", "messageRole": "who", "messageText": "says"}, "roles": {"solver": "assistant"}}
 *
 * A path lists keys from the record inwards: `meta.step`, `turns[0].text`, `choices[-1].text`, `["a.b"].c`
 * for keys with dots.
 */
export const MAPPING_VERSION = 1;

/** Roles that a log's own roles can stand for. The policy is `assistant`. */
export const MAPPED_ROLES = ['assistant', 'user', 'tool', 'system'] as const;
export type MappedRole = (typeof MAPPED_ROLES)[number];

/** Fields of a mapping, in display order. */
export const MAPPING_FIELDS = [
  'messages',
  'messageRole',
  'messageText',
  'prompt',
  'response',
  'reward',
  'isCorrect',
  'groundTruth',
  'answer',
  'group',
  'problem',
  'ordinal',
  'step',
  'split',
  'run',
  'kept',
  'advantage',
  'stopReason',
  'tokenTexts',
  'tokenIds',
  'tokenMask',
  'tokenLogprobs',
  'tokenEntropies',
  'joinKey',
] as const;
export type MappingField = (typeof MAPPING_FIELDS)[number];

export interface Mapping {
  readonly version: typeof MAPPING_VERSION;
  readonly name: string;
  /** Top-level keys of a record of this shape, which identify further files. */
  readonly shape: readonly string[];
  /**
   * Path of a list inside the record whose elements are rollouts. Fields are looked up in the element first,
   * then in the record.
   */
  readonly rollouts?: string;
  readonly fields: Readonly<Partial<Record<MappingField, string>>>;
  /** The role that each value at `messageRole` stands for. Values without one keep their usual meaning. */
  readonly roles?: Readonly<Record<string, MappedRole>>;
}

/** Format name of files read by a mapping. */
export const mappingFormatName = (name: string): string => `mapping:${name}`;

/** Name of the mapping that a format stands for; undefined for every other format. */
export const mappingNameOf = (format: string): string | undefined =>
  format.startsWith('mapping:') ? format.slice('mapping:'.length) : undefined;
