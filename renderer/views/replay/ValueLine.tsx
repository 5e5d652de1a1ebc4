/**
 * The value by turn over the scrubber: a point with its interval at the end of each turn, 1 at the top and 0 at the base
 * line. A line over turns of unknown value is dashed.
 */
import type { PolicyValue } from '../../../shared/domain/valueByTurn.ts';
import type { Profile } from './text/profileModel.ts';
import './turnValue.css';

/** Pixels from the top edge. */
const TOP = 3;
const BASE = 35;

interface ValueLineProps {
  readonly value: PolicyValue;
  readonly turns: Profile['turns'];
  readonly width: number;
}

export function ValueLine({ value, turns, width }: ValueLineProps) {
  const ends = new Map(turns.map(({ turn, to }) => [turn, to]));
  const xOf = (turn: number): number => (ends.get(turn) ?? 0) * width;
  const yOf = (rate: number): number => BASE - rate * (BASE - TOP);
  const { values, losing, saving } = value;
  return (
    <svg className="scrubber-value" width={width} height={BASE + TOP} aria-hidden="true">
      {values.map(({ turn, low, high }) => (
        <line key={turn} className="is-interval" x1={xOf(turn)} x2={xOf(turn)} y1={yOf(high)} y2={yOf(low)} />
      ))}
      {values.slice(1).map((after, i) => {
        const before = values[i];
        if (before === undefined) return null;
        const name = [
          after.turn - before.turn > 1 ? 'is-over-unknown' : '',
          losing?.after === after ? 'is-losing' : '',
          saving?.after === after ? 'is-saving' : '',
        ].join(' ');
        return (
          <line
            key={after.turn}
            className={name}
            x1={xOf(before.turn)}
            x2={xOf(after.turn)}
            y1={yOf(before.value)}
            y2={yOf(after.value)}
          />
        );
      })}
      {values.map((one) => (
        <circle key={one.turn} cx={xOf(one.turn)} cy={yOf(one.value)} r={2.5} />
      ))}
    </svg>
  );
}
