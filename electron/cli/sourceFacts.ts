import type { SignalSource } from '../../shared/domain/entropy.ts';

/**
 * Formats a signal's source: `full, unit nats, temperature 1, policy trainer`. Marks a bound computed from
 * listed alternatives.
 */
export function sourceFacts({ kind, bound, ...rest }: SignalSource): string {
  const facts = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  const what = bound === 'lower' ? [kind, 'lower bound from listed alternatives'] : [kind];
  return [...what, ...facts].join(', ');
}
