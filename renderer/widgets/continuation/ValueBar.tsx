import { rateText, type TurnValue } from '../../../shared/domain/valueByTurn.ts';
import { decimal } from '../../ui/numbers.ts';
import './valueBar.css';

const intervalText = ({ low, high }: TurnValue): string => `${decimal(low)} to ${decimal(high)}`;

/** A value between 0 and 1 with its interval. An unknown one is an empty dashed line. */
export function ValueBar({ value }: { readonly value: TurnValue | undefined }) {
  if (value === undefined) return <span className="value-bar is-unknown" role="img" aria-label="unknown" />;
  const label = value.isOutcome
    ? 'the outcome of the rollout'
    : `${rateText(value)} correct, 95 % interval ${intervalText(value)}`;
  return (
    <span className="value-bar" role="img" aria-label={label} title={label}>
      <i
        className="value-interval"
        style={{ left: `${value.low * 100}%`, width: `${(value.high - value.low) * 100}%` }}
      />
      <i className="value-rate" style={{ left: `${value.value * 100}%` }} />
    </span>
  );
}
