import type { SignalSource } from '../../shared/domain/entropy.ts';

/** `full, unit nats, temperature 1, policy trainer`; a bound of ours is not taken for a logged entropy of the head. */
export function sourceFacts({ kind, bound, ...rest }: SignalSource): string {
  const facts = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  const what = bound === 'lower' ? [kind, 'lower bound from listed alternatives'] : [kind];
  return [...what, ...facts].join(', ');
}
