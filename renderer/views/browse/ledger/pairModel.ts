/** Two rollouts of a group, fact by fact. */
import { count, reward, signed } from '../../../ui/numbers.ts';
import { penaltyText, type Source } from '../roc/rocWords.ts';
import { decisionWords, type LedgerEntry } from './ledgerModel.ts';

export interface PairFact {
  readonly label: string;
  readonly values: readonly [string, string];
  readonly differs: boolean;
}

export function pairFacts(a: LedgerEntry, b: LedgerEntry, source: Source): readonly PairFact[] {
  const hasTokens = a.rollout?.policyTokens !== undefined || b.rollout?.policyTokens !== undefined;
  const facts: (readonly [string, (entry: LedgerEntry) => string])[] = [
    ['answer', ({ rollout }) => rollout?.answer ?? ''],
    ['reward', ({ rollout }) => reward(rollout?.reward)],
    ['p_err', (entry) => penaltyText(entry.pErr)],
    ['p_format', (entry) => penaltyText(entry.pFormat)],
    ['penalty', (entry) => penaltyText(entry.penalty)],
    [source === 'unknown' ? 'decision' : `decision, ${source}`, ({ standing }) => decisionWords(standing)],
    ['advantage', ({ standing }) => signed(standing.advantage)],
    ['turns', ({ rollout }) => count(rollout?.turns)],
    [
      'calls, failed',
      ({ rollout }) =>
        rollout === undefined ? '' : `${count(rollout.toolCalls)}, ${count(rollout.toolErrors)}`,
    ],
    hasTokens
      ? ['tokens', ({ rollout }) => count(rollout?.policyTokens)]
      : ['characters', ({ rollout }) => count(rollout?.responseChars)],
    ['stopped by', ({ rollout }) => rollout?.stopReason ?? ''],
  ];
  return facts.map(([label, of]) => {
    const values = [of(a), of(b)] as const;
    return { label, values, differs: values[0] !== values[1] };
  });
}
