/** The signals that the page offers, the one it shows, and the number of rollouts that have them. */
import type { AvailableSignals } from '../../../shared/api/contract.ts';
import type { SourceStatistics } from '../../../shared/domain/signalStatistics.ts';
import { isSigned, SIGNALS, type SignalName } from '../../../shared/domain/tokenSignal.ts';
import { count, counted, significant } from '../../ui/numbers.ts';
import { SIGNAL_FACTS } from '../../ui/signalSource.ts';

/** Offered in the switch. Leaves out the rollout's log-probability, which is the negative of surprisal. */
export const OFFERED: readonly SignalName[] = SIGNALS.filter((name) => name !== 'logprob');

function readSignal(text: string | null): SignalName | undefined {
  return SIGNALS.find((name) => name === text);
}

/** The signal in the URL, else the best available. Surprisal is shown under its own name if there is no entropy. */
export function chosenSignal(text: string | null, { signals }: AvailableSignals): SignalName {
  const usable = signals.find(({ withMask }) => withMask > 0) ?? signals[0];
  return readSignal(text) ?? usable?.signal ?? 'entropy';
}

/** `128 of 1,821 rollouts`, with the number of mere bounds. Also says if no rollout has the signal. */
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

/** Why other rollouts with tokens are not counted. Empty if all are. */
export function withoutText(rollouts: number, signal: SignalName): string {
  if (rollouts === 0) return '';
  const { label } = SIGNAL_FACTS[signal];
  return `${count(rollouts)} more ${rollouts === 1 ? 'rollout has' : 'rollouts have'} tokens, but no ${label} or no loss mask, and ${rollouts === 1 ? 'is' : 'are'} not counted.`;
}
