/**
 * Facts about each lane for the header. All lanes list the same facts in the same order; differing values are marked.
 */
import type { RolloutDetail, RolloutRow } from '../../../shared/api/contract.ts';
import { reasonText } from '../../../shared/domain/words.ts';
import { correctnessSource } from '../../data/domainLabels.ts';
import { count, decimal, reward, signed } from '../../ui/numbers.ts';
import { penaltyText } from '../../widgets/roc/rocLabels.ts';
import { gradeOf } from '../../widgets/rollouts/scoreColumns.tsx';

/** One fact for all lanes: a row of the table. */
export interface FactLine {
  readonly label: string;
  /** Shown even when the other facts are folded. */
  readonly isMain: boolean;
  /** One per row given. */
  readonly values: readonly FactValue[];
}

interface FactValue {
  /** Empty if unknown. */
  readonly text: string;
  /** Source of the value. */
  readonly hint: string;
  /** Differs from the baseline's value. False if either is unknown, unless that has a word. */
  readonly isDifferent: boolean;
}

interface FactKind {
  readonly label: string;
  readonly hint: string | ((row: RolloutRow) => string | undefined);
  readonly text: (row: RolloutRow) => string;
  /** The value by which two rollouts are compared. Default: the text. */
  readonly compared?: (row: RolloutRow) => unknown;
  /** The facts that rollouts are usually compared by. A key shows the others. */
  readonly isMain?: true;
  /** Shown for a rollout without a value beside one that has it; that is a difference. */
  readonly absent?: string;
}

function decision({ kept, reason }: RolloutRow): string {
  if (kept === undefined) return reasonText(reason);
  const word = kept ? 'kept' : 'discarded';
  return reason === undefined ? word : `${word}, ${reasonText(reason)}`;
}

const KINDS: readonly FactKind[] = [
  {
    label: 'answer',
    hint: 'as logged, or as found in the text',
    text: ({ answer }) => answer ?? '',
    isMain: true,
    absent: 'none known',
  },
  {
    label: 'reward',
    hint: (row) => (gradeOf(row) === undefined ? 'as logged' : `derived from the score “${gradeOf(row)}”`),
    text: (row) => `${reward(row.reward)}${gradeOf(row) === undefined ? '' : ' (derived)'}`,
    compared: (row) => row.reward,
    isMain: true,
  },
  {
    label: 'correct',
    hint: correctnessSource,
    text: ({ isCorrect, correctSource }) =>
      isCorrect === undefined
        ? ''
        : `${isCorrect ? '✓ correct' : '✕ incorrect'}${correctSource === 'derived' ? ' (derived)' : ''}`,
    compared: ({ isCorrect }) => isCorrect,
  },
  { label: 'decision', hint: 'of the down-sampling, as logged', text: decision },
  {
    label: 'p_err',
    hint: 'share of failed calls among the answered ones, as logged',
    text: ({ pErr }) => penaltyText(pErr),
  },
  { label: 'p_format', hint: 'format penalty, as logged', text: ({ pFormat }) => penaltyText(pFormat) },
  { label: 'advantage', hint: 'as logged', text: ({ advantage }) => signed(advantage) },
  { label: 'turns', hint: 'counted in the text', text: ({ turns }) => count(turns) },
  {
    label: 'calls, failed',
    hint: 'counted in the text',
    text: ({ toolCalls, toolErrors }) => `${count(toolCalls)}, ${count(toolErrors)}`,
    isMain: true,
  },
  {
    label: 'malformed calls',
    hint: 'counted in the text; they are no tool calls, but actions of the policy',
    text: ({ malformedCalls }) => count(malformedCalls),
    isMain: true,
  },
  {
    label: 'tokens',
    hint: 'sampled by the policy, as logged',
    text: ({ policyTokens }) => count(policyTokens),
    isMain: true,
  },
  {
    label: 'characters',
    hint: 'of the response',
    text: ({ responseChars }) => count(responseChars),
    isMain: true,
  },
  {
    label: 'mean entropy',
    hint: 'nats, mean over the policy tokens whose entropy is logged',
    text: ({ meanEntropy }) => decimal(meanEntropy, 3),
    isMain: true,
  },
];

/**
 * Skips unknown facts, the character count if tokens are known, and malformed calls if no lane has one.
 * @param base index into `rows`
 */
export function laneFacts(rows: readonly RolloutRow[], base: number): readonly FactLine[] {
  const hasTokens = rows.some(({ policyTokens }) => policyTokens !== undefined);
  const hasMalformed = rows.some(({ malformedCalls }) => (malformedCalls ?? 0) > 0);
  return KINDS.flatMap(
    ({ label, hint, text, compared = text, isMain = false, absent = '' }): readonly FactLine[] => {
      const texts = rows.map((row) => text(row));
      if (texts.every((value) => value === '') || (label === 'characters' && hasTokens)) return [];
      if (label === 'malformed calls' && !hasMalformed) return [];
      const baseline = texts[base] ?? '';
      const known = rows[base] === undefined ? undefined : compared(rows[base]);
      const values = rows.map((row, lane): FactValue => {
        const value = texts[lane] ?? '';
        return {
          text: value === '' ? absent : value,
          hint: (typeof hint === 'string' ? hint : hint(row)) ?? '',
          isDifferent: compared(row) !== known && (absent !== '' || (value !== '' && baseline !== '')),
        };
      });
      return [{ label, isMain, values }];
    },
  );
}

type Judged = Pick<RolloutDetail, 'row' | 'answerSource'> & { readonly letter: string };

/** States that a lane has the baseline's answer to the same problem, but only one of them counts as correct. */
export function judgedApart(base: Judged, lane: Judged): string | undefined {
  const [a, b] = [base.row, lane.row];
  const isSame = a.problemId === b.problemId && (a.answer ?? '') !== '' && a.answer === b.answer;
  if (!isSame || a.isCorrect === undefined || b.isCorrect === undefined || a.isCorrect === b.isCorrect)
    return undefined;
  const isByReward = a.reward !== undefined && b.reward !== undefined && a.reward !== b.reward;
  const judged = isByReward
    ? `the log rewards them differently: ${reward(a.reward)} and ${reward(b.reward)}.`
    : `they are judged differently: ${a.isCorrect ? 'correct and incorrect' : 'incorrect and correct'}.`;
  const isFound = base.answerSource === 'derived' || lane.answerSource === 'derived';
  return [
    `The answers of ${base.letter} and ${lane.letter} read the same, but ${judged}`,
    ...(isFound
      ? ['The answers were found in the text, so the log may have judged another part of it.']
      : []),
  ].join(' ');
}
