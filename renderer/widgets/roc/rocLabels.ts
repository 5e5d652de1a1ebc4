/** Labels of Resample-on-Correct. Every number is labelled as logged, recomputed or unknown. */

import type { PenaltyKind, RocBasis } from '../../../shared/api/contract.ts';
import { type ResampleRule, RULE_NAMES } from '../../../shared/domain/downSampling.ts';
import { reward } from '../../ui/numbers.ts';

export const RULE_LABELS: Readonly<Record<ResampleRule, { readonly short: string; readonly words: string }>> =
  {
    release: {
      short: RULE_NAMES.release,
      words:
        'As released since 5 September 2025: correct rollouts by lowest penalty, incorrect ones in rollout order; nothing is drawn',
    },
    'release-first-week': {
      short: RULE_NAMES['release-first-week'],
      words: 'As released before 5 September 2025: incorrect rollouts, too, by lowest penalty',
    },
    paper: {
      short: RULE_NAMES.paper,
      words:
        'As the paper describes it: incorrect rollouts drawn uniformly, correct ones by the inverse of their penalty. It gives probabilities, never the set that ran',
    },
  };

export const PENALTY_LABELS: Readonly<
  Record<PenaltyKind, { readonly short: string; readonly words: string }>
> = {
  logged: { short: 'logged', words: 'as the trainer wrote it' },
  text: {
    short: 'text rules',
    words: 'recomputed by the release’s rules on the text: the word “error”, its turn pattern',
  },
  typed: { short: 'tool outcomes', words: 'recomputed from the outcomes of tool calls and real turns' },
};

export const penaltySourceLabel = (kind: PenaltyKind): string =>
  kind === 'logged' ? 'penalties: logged' : `penalties: recomputed, ${PENALTY_LABELS[kind].short}`;

export type Source = 'logged' | 'recomputed' | 'unknown';

export function decisionSourceLabel(source: Source, rule: ResampleRule | undefined): string {
  switch (source) {
    case 'logged':
      return 'decision: logged';
    case 'recomputed':
      return `decision: recomputed: ${RULE_LABELS[rule ?? 'release'].short}`;
    case 'unknown':
      return 'decision: unknown';
  }
}

export const UNKNOWN_LABEL = 'No down-sampling in this log.';

const SOURCE_OF_RULE = {
  chosen: 'chosen here',
  logged: 'logged by the run',
  default: 'the default',
  inferred: 'inferred: it decides as logged',
} as const;

/** The settings under which decisions were recomputed, one or two sentences per line. */
export function basisLines(basis: RocBasis): readonly string[] {
  const { settings } = basis;
  const names = (list: readonly string[], none: string) => (list.length === 0 ? none : list.join(', '));
  const lines = [
    `Rule: ${RULE_LABELS[basis.rule].short} (${SOURCE_OF_RULE[basis.ruleSource]}). ${RULE_LABELS[basis.rule].words}.`,
    `Penalty: ${PENALTY_LABELS[basis.penalty].short}, ${PENALTY_LABELS[basis.penalty].words}.`,
    `down_sample_to_n ${settings.down_sample_to_n}, minima ${settings.min_zero_reward_trace_num} incorrect and ${settings.min_non_zero_reward_trace_num} correct, world size ${settings.world_size}.`,
    `Logged settings: ${names(basis.logged, 'none')}. Chosen here: ${names(basis.chosen, 'none')}. All others are the release’s defaults.`,
  ];
  if (basis.unreadable.length > 0)
    lines.push(`Logged, but with a value that cannot be read: ${basis.unreadable.join(', ')}.`);
  return lines;
}

/** `0`, `0.500`, `1.333`: whole or three decimals, as rewards. */
export const penaltyText = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : reward(value);
