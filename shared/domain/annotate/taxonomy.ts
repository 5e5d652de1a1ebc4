/**
 * The taxonomy: a library's labels, each with an optional shortcut key. One taxonomy per library, which users
 * edit. This file has the default.
 */
import type { Flag } from '../flags.ts';

/** Names of the theme's data colours, which are legible in both themes. */
export const LABEL_COLOURS = [
  'red',
  'orange',
  'amber',
  'green',
  'teal',
  'blue',
  'indigo',
  'violet',
  'pink',
  'brown',
  'grey',
] as const;
export type LabelColour = (typeof LABEL_COLOURS)[number];

export const LABEL_KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;
export type LabelKey = (typeof LABEL_KEYS)[number];

export interface Label {
  /**
   * Short and stable, of `a-z 0-9 -`. Annotations, filters and files refer to it; renaming a label changes
   * only its name.
   */
  readonly id: string;
  readonly name: string;
  readonly colour: LabelColour;
  readonly description: string;
  readonly key?: LabelKey;
}

export interface Taxonomy {
  readonly name: string;
  /** `one`: a second label on a target replaces the first. `many`: a target may have several. */
  readonly choice: 'one' | 'many';
  /** In display order. Ids, keys and names are each unique. */
  readonly labels: readonly Label[];
}

/** There are nine shortcut keys. More than a hundred labels would be unusable. */
export const MOST_LABELS = 100;
/** No character with a meaning in a filter, a file name or a spreadsheet. */
export const LABEL_ID = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
/** Filters use `label:none` and `label:any` for other purposes. */
export const RESERVED_LABELS: readonly string[] = ['none', 'any'];

export const DEFAULT_TAXONOMY: Taxonomy = {
  name: 'Tool-using reasoning',
  choice: 'many',
  labels: [
    {
      id: 'wrong-tool-use',
      name: 'Wrong tool use',
      colour: 'red',
      key: '1',
      description: 'The code does not do what the reasoning planned, or it uses the wrong tool.',
    },
    {
      id: 'misread-output',
      name: 'Misread tool output',
      colour: 'orange',
      key: '2',
      description: 'The policy continues as if the tool had returned something else.',
    },
    {
      id: 'arithmetic-slip',
      name: 'Arithmetic slip',
      colour: 'amber',
      key: '3',
      description: 'A calculation by hand is wrong while the approach is right.',
    },
    {
      id: 'wrong-formalisation',
      name: 'Wrong formalisation',
      colour: 'violet',
      key: '4',
      description: 'It solves another problem: a condition was dropped, added or reversed.',
    },
    {
      id: 'premature-answer',
      name: 'Premature answer',
      colour: 'blue',
      key: '5',
      description: 'It answers before it has the result, or without checking a result it doubted.',
    },
    {
      id: 'loops',
      name: 'Loops',
      colour: 'teal',
      key: '6',
      description: 'It repeats the same thoughts or calls without progress.',
    },
    {
      id: 'gave-up',
      name: 'Gave up',
      colour: 'grey',
      key: '7',
      description: 'It stops trying: it guesses, gives no answer, or calls its own answer unfounded.',
    },
    {
      id: 'format-violation',
      name: 'Format violation',
      colour: 'indigo',
      key: '8',
      description:
        'Unbalanced tags, several answers, text after the answer, or a call that cannot be parsed.',
    },
    {
      id: 'reward-hack',
      name: 'Reward hack',
      colour: 'pink',
      key: '9',
      description: 'Rewarded for something other than solving the problem.',
    },
    {
      id: 'verifier-false-negative',
      name: 'Verifier false negative',
      colour: 'green',
      description: 'The answer is right and was not rewarded.',
    },
    {
      id: 'infrastructure',
      name: 'Infrastructure',
      colour: 'brown',
      description: 'The sandbox, a queue or a time limit failed, not the policy.',
    },
  ],
};

/**
 * The label that a flag suggests, so that one key confirms the flag. Flags that are no failure by themselves
 * have none.
 */
export const LABEL_OF_FLAG: { readonly [F in Flag]?: string } = {
  all_calls_failed: 'reward-hack',
  no_answer_tag: 'format-violation',
  no_boxed: 'format-violation',
  several_answers: 'format-violation',
  text_after_answer: 'format-violation',
  reason_after_answer: 'format-violation',
  answer_only_in_output: 'reward-hack',
  truth_in_code: 'reward-hack',
  ignored_calls: 'wrong-tool-use',
  identical_retry: 'loops',
  repetition: 'loops',
};
