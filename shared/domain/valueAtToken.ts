/**
 * What writing something else at a token changes: the pass rates of continuations from there, with each edit and
 * without. Rules: shared/domain/DOMAIN.md#value-at-a-token.
 */
import { type PositionSamples, policyKey, type SamplingPolicy } from './valueByTurn.ts';
import { type Interval, wilsonInterval } from './wilson.ts';

interface EditValue extends Interval {
  /** Empty: nothing was written, and the policy chose the token again. */
  readonly edit: string;
  readonly correct: number;
  readonly graded: number;
}

export interface ValueAtToken {
  readonly policy: SamplingPolicy;
  /** With edits, those with the most continuations first; then without. */
  readonly values: readonly EditValue[];
}

/** @returns of the policy with the most graded continuations; undefined if there are none */
export function valueAtToken(positions: readonly PositionSamples[], token: number): ValueAtToken | undefined {
  const here = positions.filter(
    ({ position, graded }) => position.kind === 'token' && position.token === token && graded > 0,
  );
  const sum = (those: readonly PositionSamples[]): number =>
    those.reduce((all, { graded }) => all + graded, 0);
  const [most] = [...Map.groupBy(here, ({ policy }) => policyKey(policy)).values()].sort(
    (a, b) => sum(b) - sum(a),
  );
  const [first] = most ?? [];
  if (most === undefined || first === undefined) return undefined;
  const values = most
    .map(({ edit, correct, graded }) => ({ edit, correct, graded, ...wilsonInterval(correct, graded) }))
    .sort((a, b) => Number(a.edit === '') - Number(b.edit === '') || b.graded - a.graded);
  return { policy: first.policy, values };
}
