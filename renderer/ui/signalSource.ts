/** What a signal is made of, in words that stand beside every number made from it. Surprisal is never called entropy. */
import type { SignalSource } from '../../shared/domain/entropy.ts';
import type { SignalName } from '../../shared/domain/tokenSignal.ts';

export const SIGNAL_LABELS: Readonly<Record<SignalName, string>> = {
  entropy: 'entropy',
  surprisal: 'surprisal',
  logprob: 'log-probability',
  trainer_logprob: 'trainer log-probability',
  gap: 'policy gap',
  advantage: 'advantage',
};

interface Of {
  readonly signal: SignalName;
  readonly source: SignalSource;
}

/** Before and after a number; a bound and the entropy of a head are called so everywhere. */
export function signalLabel({ signal, source }: Of): string {
  const label = SIGNAL_LABELS[signal];
  if (source.bound === 'lower') return `${label} (≥)`;
  return source.kind === 'top-k' ? `top-${source.k ?? 'k'} ${label}` : label;
}

/** The words for entropy of which the log says no more. */
export const UNSAID = 'as logged (of which distribution is not said)';

/** `entropy, full, nats, T=1.0, trainer policy`. */
export function sourceLabel({ signal, source }: Of): string {
  const { kind, k, bound, unit, temperature, policy } = source;
  const isEntropy = signal === 'entropy';
  const parts = [
    // The same sign as on the replay's scale: what follows is less than the entropy, or as much.
    bound === 'lower' ? `${SIGNAL_LABELS[signal]} ≥` : SIGNAL_LABELS[signal],
    isEntropy && kind === 'full' ? 'full' : undefined,
    kind === 'unsaid' ? UNSAID : undefined,
    kind === 'top-k' && bound === undefined ? `of the top ${k ?? 'k'} only, as logged` : undefined,
    bound === 'lower' ? `lower bound from the ${k ?? 'k'} alternatives listed` : undefined,
    signal === 'surprisal' ? 'not entropy' : undefined,
    unit ?? (isEntropy ? 'unit not logged' : undefined),
    temperature === undefined
      ? // Every distribution was taken at one, and a sharper one has less of both.
        isEntropy || signal === 'surprisal'
        ? 'T unknown'
        : undefined
      : `T=${Number.isInteger(temperature) ? temperature.toFixed(1) : temperature}`,
    policy === undefined ? undefined : `${policy} policy`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
