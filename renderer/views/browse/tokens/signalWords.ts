/** What a signal is, in words that stand beside every number made from it. Surprisal is never called entropy. */
import type { SourceStatistics } from '../../../../shared/domain/signalStatistics.ts';
import { SIGNALS, type SignalName } from '../../../../shared/domain/tokenSignal.ts';
import { count, counted, decimal } from '../../../ui/numbers.ts';

interface SignalFacts {
  readonly label: string;
  /** One sentence: what the number is. */
  readonly meaning: string;
  /** What a log must hold for it. */
  readonly needs: string;
  /** Can be below 0: the host's bins begin at 0, and "high" means something else. */
  readonly isSigned: boolean;
}

export const SIGNAL_FACTS: Readonly<Record<SignalName, SignalFacts>> = {
  entropy: {
    label: 'entropy',
    meaning: 'Of the whole next-token distribution: how many ways the policy saw at that place.',
    needs:
      'the entropy of each token, which trainers have when they recompute log-probabilities (verl: entropys of compute_log_prob), or the most likely tokens of each place with their log-probabilities, from which a lower bound follows',
    isSigned: false,
  },
  surprisal: {
    label: 'surprisal',
    meaning:
      '−ln p of the token that was sampled. Not entropy: one draw from a distribution whose mean is its entropy.',
    needs: 'the log-probability of each sampled token, as the rollout engine returns it (logprobs)',
    isSigned: false,
  },
  logprob: {
    label: 'log-probability',
    meaning: 'ln p of the sampled token under the rollout policy; surprisal with the sign turned.',
    needs: 'the log-probability of each sampled token, as the rollout engine returns it (logprobs)',
    isSigned: true,
  },
  trainer_logprob: {
    label: 'trainer log-probability',
    meaning: 'ln p of the sampled token under the trainer’s policy, before the update.',
    needs: 'the log-probabilities the trainer recomputes (verl: old_log_probs)',
    isSigned: true,
  },
  gap: {
    label: 'policy gap',
    meaning:
      'Trainer minus rollout log-probability of the sampled token: how far the two policies have parted.',
    needs: 'both the rollout engine’s and the trainer’s log-probability of each token',
    isSigned: true,
  },
  advantage: {
    label: 'advantage',
    meaning: 'As logged per token.',
    needs: 'an advantage per token; where there is one per rollout only, the ledger has it',
    isSigned: true,
  },
};

/** In the switch; the log-probability of the rollout is the surprisal with the sign turned. */
export const OFFERED: readonly SignalName[] = SIGNALS.filter((name) => name !== 'logprob');

export function readSignal(text: string | null): SignalName | undefined {
  return SIGNALS.find((name) => name === text);
}

/** The best there is: entropy before surprisal, which never stands in for it under its name. */
export function chosenSignal(text: string | null, available: readonly SignalName[]): SignalName {
  return readSignal(text) ?? available[0] ?? 'entropy';
}

type Of = Pick<SourceStatistics, 'signal' | 'source'>;

/** `entropy, full, nats, T=1.0, trainer policy`. */
export function sourceWords({ signal, source }: Of): string {
  const { kind, k, unit, temperature, policy } = source;
  const isEntropy = signal === 'entropy';
  const parts = [
    SIGNAL_FACTS[signal].label,
    isEntropy && kind === 'full' ? 'full' : undefined,
    kind === 'top-k' ? `from the top ${k ?? 'k'}: a lower bound` : undefined,
    signal === 'surprisal' ? 'not entropy' : undefined,
    unit ?? (isEntropy ? 'unit not logged' : undefined),
    temperature === undefined
      ? undefined
      : `T=${Number.isInteger(temperature) ? temperature.toFixed(1) : temperature}`,
    policy === undefined ? undefined : `${policy} policy`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** `128 rollouts, 49,032 policy tokens; mean 0.185; 80th percentile 0.18`. */
export function numbersLine(one: SourceStatistics): string {
  const facts = [
    `${counted(one.rollouts, 'rollout')}, ${counted(one.tokens, 'policy token')}`,
    `mean ${decimal(one.mean, 3)}`,
    SIGNAL_FACTS[one.signal].isSigned ? undefined : `80th percentile ${decimal(one.percentile80)}`,
  ];
  return facts.filter((fact) => fact !== undefined).join('; ');
}

/** Why rollouts with tokens are not among them; empty where all are. */
export function withoutText(rollouts: number, signal: SignalName): string {
  if (rollouts === 0) return '';
  const { label } = SIGNAL_FACTS[signal];
  return `${count(rollouts)} more ${rollouts === 1 ? 'rollout has' : 'rollouts have'} tokens, but no ${label} or no loss mask, and ${rollouts === 1 ? 'is' : 'are'} not counted.`;
}
