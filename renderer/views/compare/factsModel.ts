/** Facts of each lane for the header: the same facts in the same order, those that differ from the baseline told. */
import type { RolloutRow } from '../../../shared/api/contract.ts';
import { correctnessSource } from '../../data/correctness.ts';
import { count, decimal, reward, signed } from '../../ui/numbers.ts';
import { reasonText } from '../../ui/reasons.ts';

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** Where the value comes from. */
  readonly hint: string;
  /** Not the baseline's; false where either is unknown. */
  readonly isDifferent: boolean;
  /** Words rather than a number. */
  readonly isWide: boolean;
}

interface FactKind {
  readonly label: string;
  readonly hint: string | ((row: RolloutRow) => string | undefined);
  readonly text: (row: RolloutRow) => string;
}

function decision({ kept, reason }: RolloutRow): string {
  if (kept === undefined) return reasonText(reason);
  const word = kept ? 'kept' : 'discarded';
  return reason === undefined ? word : `${word}, ${reasonText(reason)}`;
}

const KINDS: readonly FactKind[] = [
  { label: 'answer', hint: 'as logged, or as found in the text', text: ({ answer }) => answer ?? '' },
  { label: 'reward', hint: 'as logged', text: (row) => reward(row.reward) },
  {
    label: 'right',
    hint: correctnessSource,
    text: ({ isCorrect }) => (isCorrect === undefined ? '' : isCorrect ? '✓ right' : '✕ wrong'),
  },
  { label: 'decision', hint: 'of the down-sampling, as logged', text: decision },
  { label: 'p_err', hint: 'share of failed tool calls, as logged', text: ({ pErr }) => decimal(pErr) },
  { label: 'p_format', hint: 'format penalty, as logged', text: ({ pFormat }) => decimal(pFormat) },
  { label: 'advantage', hint: 'as logged', text: ({ advantage }) => signed(advantage) },
  { label: 'turns', hint: 'counted in the text', text: ({ turns }) => count(turns) },
  {
    label: 'calls, failed',
    hint: 'counted in the text',
    text: ({ toolCalls, toolErrors }) => `${count(toolCalls)}, ${count(toolErrors)}`,
  },
  {
    label: 'tokens',
    hint: 'sampled by the policy, as logged',
    text: ({ policyTokens }) => count(policyTokens),
  },
  { label: 'characters', hint: 'of the response', text: ({ responseChars }) => count(responseChars) },
  {
    label: 'mean entropy',
    hint: 'nats, mean over the policy tokens whose entropy is logged',
    text: ({ meanEntropy }) => decimal(meanEntropy, 3),
  },
];

/** One list per row given; facts nobody has a value for are in none. */
export function laneFacts(rows: readonly RolloutRow[], base: number): readonly (readonly Fact[])[] {
  const texts = KINDS.map((kind) => rows.map((row) => kind.text(row)));
  const hasTokens = rows.some(({ policyTokens }) => policyTokens !== undefined);
  return rows.map((row, lane) =>
    KINDS.flatMap(({ label, hint }, kind): readonly Fact[] => {
      const values = texts[kind] ?? [];
      if (values.every((value) => value === '') || (label === 'characters' && hasTokens)) return [];
      const [value = '', baseline = ''] = [values[lane], values[base]];
      return [
        {
          label,
          value,
          hint: (typeof hint === 'string' ? hint : hint(row)) ?? '',
          isWide: label === 'decision',
          isDifferent: value !== baseline && value !== '' && baseline !== '',
        },
      ];
    }),
  );
}
