/** The names of token signals and their sources, used by every page. Surprisal is never called entropy. */
import type { SignalSource } from '../../shared/domain/entropy.ts';
import type { SignalName } from '../../shared/domain/tokenSignal.ts';

interface SignalFacts {
  readonly label: string;
  /** One sentence that defines the number. */
  readonly meaning: string;
  /** The fields that a log must contain. */
  readonly needs: string;
}

export const SIGNAL_FACTS: Readonly<Record<SignalName, SignalFacts>> = {
  entropy: {
    label: 'entropy',
    meaning: 'Uncertainty of the whole next-token distribution at that position.',
    needs:
      'the entropy of each token, which trainers have when they recompute log-probabilities (verl: entropys of compute_log_prob), or the most likely tokens of each position with their log-probabilities, which give a lower bound',
  },
  surprisal: {
    label: 'surprisal',
    meaning:
      '−ln p of the token that was sampled. Not entropy: one draw from a distribution whose mean is its entropy.',
    needs: 'the log-probability of each sampled token, as the rollout engine returns it (logprobs)',
  },
  logprob: {
    label: 'log-probability',
    meaning: 'ln p of the sampled token under the rollout policy; the negative of surprisal.',
    needs: 'the log-probability of each sampled token, as the rollout engine returns it (logprobs)',
  },
  trainer_logprob: {
    label: 'trainer log-probability',
    meaning: 'ln p of the sampled token under the trainer’s policy, before the update.',
    needs: 'the log-probabilities the trainer recomputes (verl: old_log_probs)',
  },
  gap: {
    label: 'log-probability gap',
    meaning: 'Trainer minus rollout log-probability of the sampled token: how far the two policies differ.',
    needs: 'both the rollout engine’s and the trainer’s log-probability of each token',
  },
  advantage: {
    label: 'advantage',
    meaning: 'As logged per token.',
    needs: 'an advantage per token. The group page shows the advantage of each rollout',
  },
};

interface Of {
  readonly signal: SignalName;
  readonly source: SignalSource;
}

/** Label before and after a number. Bounds and head-only entropies are always named as such. */
export function signalLabel({ signal, source }: Of): string {
  const label = SIGNAL_FACTS[signal].label;
  if (source.bound === 'lower') return `${label} (≥)`;
  return source.kind === 'top-k' ? `top-${source.k ?? 'k'} ${label}` : label;
}

/** Source of an entropy about which the log says nothing else. */
const UNSAID = 'as logged, distribution not stated';

/** `entropy, full, nats, T=1.0, trainer policy`. */
export function sourceLabel({ signal, source }: Of): string {
  const { kind, k, bound, unit, temperature, policy } = source;
  const isEntropy = signal === 'entropy';
  const parts = [
    // The values are at most the entropy.
    bound === 'lower' ? `${SIGNAL_FACTS[signal].label} ≥` : SIGNAL_FACTS[signal].label,
    isEntropy && kind === 'full' ? 'full' : undefined,
    kind === 'unsaid' ? UNSAID : undefined,
    kind === 'top-k' && bound === undefined ? `of the top ${k ?? 'k'} only, as logged` : undefined,
    bound === 'lower' ? `lower bound from the ${k ?? 'k'} alternatives listed` : undefined,
    signal === 'surprisal' ? 'not entropy' : undefined,
    unit ?? (isEntropy ? 'unit not logged' : undefined),
    temperature === undefined
      ? // Both depend on the temperature: a sharper distribution has less of either.
        isEntropy || signal === 'surprisal'
        ? 'T unknown'
        : undefined
      : `T=${Number.isInteger(temperature) ? temperature.toFixed(1) : temperature}`,
    policy === undefined ? undefined : `${policy} policy`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
