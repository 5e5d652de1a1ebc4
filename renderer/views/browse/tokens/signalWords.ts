/** What a signal is, in words that stand beside every number made from it. Surprisal is never called entropy. */
import type { AvailableSignals } from '../../../../shared/api/contract.ts';
import type { SourceStatistics } from '../../../../shared/domain/signalStatistics.ts';
import { isSigned, SIGNALS, type SignalName } from '../../../../shared/domain/tokenSignal.ts';
import { count, counted, significant } from '../../../ui/numbers.ts';
import { SIGNAL_LABELS } from '../../../ui/signalSource.ts';

export { signalLabel, sourceLabel } from '../../../ui/signalSource.ts';

interface SignalFacts {
  readonly label: string;
  /** One sentence: what the number is. */
  readonly meaning: string;
  /** What a log must hold for it. */
  readonly needs: string;
}

export const SIGNAL_FACTS: Readonly<Record<SignalName, SignalFacts>> = {
  entropy: {
    label: SIGNAL_LABELS.entropy,
    meaning: 'Of the whole next-token distribution: how many ways the policy saw at that place.',
    needs:
      'the entropy of each token, which trainers have when they recompute log-probabilities (verl: entropys of compute_log_prob), or the most likely tokens of each place with their log-probabilities, from which a lower bound follows',
  },
  surprisal: {
    label: SIGNAL_LABELS.surprisal,
    meaning:
      '−ln p of the token that was sampled. Not entropy: one draw from a distribution whose mean is its entropy.',
    needs: 'the log-probability of each sampled token, as the rollout engine returns it (logprobs)',
  },
  logprob: {
    label: SIGNAL_LABELS.logprob,
    meaning: 'ln p of the sampled token under the rollout policy; surprisal with the sign turned.',
    needs: 'the log-probability of each sampled token, as the rollout engine returns it (logprobs)',
  },
  trainer_logprob: {
    label: SIGNAL_LABELS.trainer_logprob,
    meaning: 'ln p of the sampled token under the trainer’s policy, before the update.',
    needs: 'the log-probabilities the trainer recomputes (verl: old_log_probs)',
  },
  gap: {
    label: SIGNAL_LABELS.gap,
    meaning:
      'Trainer minus rollout log-probability of the sampled token: how far the two policies have parted.',
    needs: 'both the rollout engine’s and the trainer’s log-probability of each token',
  },
  advantage: {
    label: SIGNAL_LABELS.advantage,
    meaning: 'As logged per token.',
    needs: 'an advantage per token; where there is one per rollout only, the ledger has it',
  },
};

/** In the switch; the log-probability of the rollout is the surprisal with the sign turned. */
export const OFFERED: readonly SignalName[] = SIGNALS.filter((name) => name !== 'logprob');

function readSignal(text: string | null): SignalName | undefined {
  return SIGNALS.find((name) => name === text);
}

/** The best there is: entropy before surprisal, which never stands in for it under its name. */
export function chosenSignal(text: string | null, { signals }: AvailableSignals): SignalName {
  const usable = signals.find(({ withMask }) => withMask > 0) ?? signals[0];
  return readSignal(text) ?? usable?.signal ?? 'entropy';
}

/** `128 of 1,821 rollouts`, and what of them is only a bound; what none has is said, too. */
export function availabilityText(name: SignalName, { rollouts, signals }: AvailableSignals): string {
  const own = signals.filter(({ signal }) => signal === name);
  if (own.length === 0) return 'No rollout here has it.';
  const parts = own.map((one) =>
    one.isBound
      ? `as a lower bound from listed alternatives in ${count(one.rollouts)}`
      : `logged in ${count(one.rollouts)}`,
  );
  const all = own.reduce((sum, one) => sum + one.rollouts, 0);
  const masked = own.reduce((sum, one) => sum + one.withMask, 0);
  const maskless = all === masked ? '' : `; ${count(all - masked)} without a loss mask are not counted`;
  return `${parts.join(', ').replace(/^[al]/, (first) => first.toUpperCase())} of ${counted(rollouts, 'rollout')}${maskless}.`;
}

/** `128 rollouts, 49,032 policy tokens; mean 0.185; 80th percentile 0.18`. */
export function numbersLine(one: SourceStatistics): string {
  const facts = [
    `${counted(one.rollouts, 'rollout')}, ${counted(one.tokens, 'policy token')}`,
    `mean ${significant(one.mean)}`,
    one.percentile80 === undefined
      ? undefined
      : `80th percentile ${significant(one.percentile80, isSigned(one.signal) ? 3 : 2)}`,
  ];
  return facts.filter((fact) => fact !== undefined).join('; ');
}

/** Why rollouts with tokens are not among them; empty where all are. */
export function withoutText(rollouts: number, signal: SignalName): string {
  if (rollouts === 0) return '';
  const { label } = SIGNAL_FACTS[signal];
  return `${count(rollouts)} more ${rollouts === 1 ? 'rollout has' : 'rollouts have'} tokens, but no ${label} or no loss mask, and ${rollouts === 1 ? 'is' : 'are'} not counted.`;
}
