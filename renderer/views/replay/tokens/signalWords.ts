/** What a signal is, in the words that stand beside its scale. Surprisal is never called entropy. */
import type { RolloutSignal } from '../../../../shared/api/contract.ts';
import { HEAT_SIGNALS, type HeatSignal } from '../../../state/tokenView.ts';
import { decimal, signed } from '../../../ui/numbers.ts';
import { UNSAID } from '../../../ui/signalSource.ts';

export interface SignalLabels {
  /** `entropy`, `entropy ≥`: before a value. */
  readonly name: string;
  /** Everything that is known about it. */
  readonly source: string;
  /** After a value; empty where there is none or the log does not say. */
  readonly unit: string;
  /** Heat goes by the size of a signed value. */
  readonly isSigned: boolean;
}

export function isHeatSignal(name: string | undefined): name is HeatSignal {
  return HEAT_SIGNALS.some((one) => one === name);
}

/** Temperatures are written with a decimal: `T=1.0`. */
const temperatureText = (value: number): string => `T=${Number.isInteger(value) ? value.toFixed(1) : value}`;

const joined = (parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(', ');

export function signalLabels(
  signal: Pick<RolloutSignal, 'signal' | 'source' | 'tail'>,
): SignalLabels | undefined {
  const { source, tail } = signal;
  const name = signal.signal;
  if (source === undefined || !isHeatSignal(name)) return undefined;
  const temperature = source.temperature === undefined ? 'T unknown' : temperatureText(source.temperature);
  const policy = source.policy === undefined ? undefined : `${source.policy} policy`;
  switch (name) {
    case 'entropy': {
      if (tail !== undefined) {
        // Also where the vocabulary gives an upper bound: heat goes by the lower one, the readout has both.
        const bound = `lower bound from top-${source.k ?? 'k'}`;
        return {
          name: 'entropy ≥',
          source: joined(['entropy ≥', bound, source.unit, temperature, policy]),
          unit: source.unit ?? '',
          isSigned: false,
        };
      }
      const unit = source.unit ?? 'unit not logged';
      const kind =
        source.kind === 'unsaid'
          ? UNSAID
          : source.kind === 'top-k'
            ? `of the top-${source.k ?? 'k'} only, as logged`
            : 'full';
      return {
        name: 'entropy',
        source: joined(['entropy', kind, unit, temperature, policy]),
        unit: source.unit ?? '',
        isSigned: false,
      };
    }
    case 'surprisal':
      return {
        name: 'surprisal',
        source: joined(['surprisal (not entropy)', 'nats', temperature, policy]),
        unit: 'nats',
        isSigned: false,
      };
    case 'gap':
      return {
        name: 'gap',
        source: 'gap, trainer − rollout log-probability, nats',
        unit: 'nats',
        isSigned: true,
      };
    case 'advantage':
      return { name: 'advantage', source: 'advantage, as logged', unit: '', isSigned: true };
  }
}

export const SIGNAL_LABELS: Readonly<Record<HeatSignal, string>> = {
  entropy: 'entropy',
  surprisal: 'surprisal',
  gap: 'policy gap',
  advantage: 'advantage',
};

/** `≥ 0.672 nats`, signed where it can be negative; blank when unknown. */
export function valueText(words: SignalLabels, value: number | undefined, digits = 3): string {
  if (value === undefined || Number.isNaN(value)) return '';
  const number = words.isSigned ? signed(value, digits) : decimal(value, digits);
  return words.unit === '' ? number : `${number} ${words.unit}`;
}
