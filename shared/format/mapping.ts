/**
 * A mapping says where in the records of an unknown log the fields of a rollout stand. It is
 * data: made by picking in the preview or by hand, saved by name, exported as JSON, used for
 * every further file of the same shape.
 *
 *   {"version": 1, "name": "our sampler", "shape": ["meta", "prompt", "reply", "score"],
 *    "fields": {"prompt": "prompt", "response": "reply", "reward": "score", "step": "meta.step"}}
 *
 * With `joinKey` records of two files about one rollout find each other: a mapping without
 * messages and response reads its records as token columns or decisions for the rollouts that
 * another file of the run brings under the same key.
 *
 * A path names keys from the record inwards: `meta.step`, `turns[0].text`, `choices[-1].text`,
 * `["a.b"].c` for keys with dots.
 */
export const MAPPING_VERSION = 1;

/** Fields a mapping may give, in the order they are shown. */
export const MAPPING_FIELDS = [
  'messages',
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
  /** Top-level keys a record of this shape has; by these the next file is recognised. */
  readonly shape: readonly string[];
  /** Path of a list inside the record: each of its elements is a rollout. Fields are looked up there first, then in the record. */
  readonly rollouts?: string;
  readonly fields: Readonly<Partial<Record<MappingField, string>>>;
}

/** Formats of files read by a mapping are named after it. */
export const mappingFormatName = (name: string): string => `mapping:${name}`;
