/** The fields of the what-if: their order, help and units. */

import type { ResampleRule } from '../../../shared/domain/downSampling.ts';
import type { ChoiceName } from '../../data/rocChoice.ts';

export interface FieldSpec {
  readonly name: ChoiceName;
  readonly label: string;
  readonly help: string;
  readonly kind: 'number' | 'switch' | 'choice';
  readonly choices?: readonly { readonly id: string; readonly label: string }[];
  /** Increment of a number field's arrows. */
  readonly step?: number;
  /** Rules that use the setting. Absent: all. */
  readonly rules?: readonly ResampleRule[];
}

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly FieldSpec[];
}

const RELEASED: readonly ResampleRule[] = ['release', 'release-first-week'];

export const FIELD_GROUPS: readonly FieldGroup[] = [
  {
    title: 'Rule',
    fields: [
      {
        name: 'rule',
        label: 'rule set',
        help: 'release: deterministic, since 5 September 2025. First week: incorrect ones by penalty, too. Paper: probabilities only.',
        kind: 'choice',
        choices: [
          { id: 'release', label: 'release' },
          { id: 'release-first-week', label: 'release, first week' },
          { id: 'paper', label: 'paper' },
        ],
      },
      {
        name: 'penalty',
        label: 'penalty',
        help: 'Which p_err and p_format count: as logged, by the release’s rules on the text, or from the outcomes of tool calls and real turns.',
        kind: 'choice',
        choices: [
          { id: 'logged', label: 'logged' },
          { id: 'text', label: 'text rules (release)' },
          { id: 'typed', label: 'tool outcomes' },
        ],
      },
      {
        name: 'paper_zero_penalty',
        label: 'penalty 0',
        help: 'The paper does not define 1/0. Clean first: rollouts without penalty are taken before all others. Epsilon: every weight is 1/(p + ε).',
        kind: 'choice',
        rules: ['paper'],
        choices: [
          { id: 'clean_first', label: 'clean first' },
          { id: 'epsilon', label: 'epsilon' },
        ],
      },
      {
        name: 'paper_epsilon',
        label: 'ε',
        help: 'Added to every penalty under “epsilon”; above 0.',
        kind: 'number',
        step: 0.01,
        rules: ['paper'],
      },
      {
        name: 'paper_equal_reward',
        label: 'equal rewards',
        help: 'The paper’s equation does not mention groups of equal rewards: reject them, or sample them like any other.',
        kind: 'choice',
        rules: ['paper'],
        choices: [
          { id: 'reject', label: 'reject' },
          { id: 'sample', label: 'sample' },
        ],
      },
    ],
  },
  {
    title: 'Quotas',
    fields: [
      {
        name: 'pool',
        label: 'group size',
        help: 'Number of rollouts of each group, from the first, that are the pool. Empty: all of them.',
        kind: 'number',
        step: 1,
      },
      {
        name: 'down_sample_to_n',
        label: 'keep n',
        help: 'down_sample_to_n: rollouts kept of each group. 0 or less: no resampling.',
        kind: 'number',
        step: 1,
      },
      {
        name: 'min_zero_reward_trace_num',
        label: 'minimum incorrect',
        help: 'min_zero_reward_trace_num: least number of rollouts with reward ≤ 0 to keep, if there are. −1: no minimum.',
        kind: 'number',
        step: 1,
        rules: RELEASED,
      },
      {
        name: 'min_non_zero_reward_trace_num',
        label: 'minimum correct',
        help: 'min_non_zero_reward_trace_num: least number of rollouts with reward > 0 to keep, if there are. −1: no minimum.',
        kind: 'number',
        step: 1,
        rules: RELEASED,
      },
      {
        name: 'reject_equal_reward',
        label: 'reject equal reward',
        help: 'reject_equal_reward: groups all correct or all incorrect are discarded whole.',
        kind: 'switch',
        rules: RELEASED,
      },
      {
        name: 'world_size',
        label: 'world size',
        help: 'Trainer processes; the batch is trimmed to a multiple of it, before the quotas and after. 1: no trimming.',
        kind: 'number',
        step: 1,
        rules: RELEASED,
      },
    ],
  },
  {
    title: 'Penalty',
    fields: [
      {
        name: 'roc_error_ratio',
        label: 'p_err counts',
        help: 'roc_error_ratio: the share of failed tool calls is part of the penalty.',
        kind: 'switch',
      },
      {
        name: 'roc_answer_format',
        label: 'p_format counts',
        help: 'roc_answer_format: the answer-format penalty is part of the penalty.',
        kind: 'switch',
      },
      {
        name: 'length_weight',
        label: 'weight of length',
        help: 'Penalty per 1,000 policy tokens; where tokens are not logged, per 4,000 characters. The trainer has no such setting.',
        kind: 'number',
        step: 0.05,
      },
      {
        name: 'repetition_weight',
        label: 'weight of repetition',
        help: 'Penalty for a response that only repeats itself (share of its passages of eight words that occurred before). The paper tried a similar score, which lowered results.',
        kind: 'number',
        step: 0.1,
      },
    ],
  },
];

export const isIdle = (field: FieldSpec, rule: ResampleRule): boolean =>
  field.rules !== undefined && !field.rules.includes(rule);
