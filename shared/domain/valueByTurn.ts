/**
 * The value of a rollout by turn: the pass rate of continuations from the end of each turn. Says where to sample next,
 * and which turn lost or saved the rollout. Rules: shared/domain/DOMAIN.md#value-by-turn.
 */
import type { ContinuationPosition } from './continuation.ts';
import type { ToolOutcome, TurnNumber } from './model.ts';
import type { SamplingSettings } from './samplingSettings.ts';
import { differenceInterval, type Interval, wilsonInterval } from './wilson.ts';

/** Continuations from the end of a turn. Turn 0 is the prompt. */
export interface TurnSamples {
  readonly turn: TurnNumber;
  readonly sampled: number;
  /** Those whose correctness is known. */
  readonly graded: number;
  readonly correct: number;
}

/** The value at the end of a turn, 0 … 1. */
export interface TurnValue extends TurnSamples, Interval {
  readonly value: number;
  /** The end of the rollout: its own outcome, which is no estimate. */
  readonly isOutcome: boolean;
}

/** A change of the value from the end of one turn to the end of a later one. */
export interface ValueChange extends Interval {
  readonly before: TurnValue;
  readonly after: TurnValue;
  /** −1 … 1 */
  readonly change: number;
  /** The interval does not contain 0. */
  readonly isClear: boolean;
}

export interface ValueByTurn {
  readonly lastTurn: TurnNumber;
  /** By turn. Turns without a graded continuation are absent: their value is unknown. */
  readonly values: readonly TurnValue[];
  /** The largest drop. Its turns are further apart than one where those between them are unknown. */
  readonly losing?: ValueChange;
  /** The largest rise. */
  readonly saving?: ValueChange;
}

export interface RolloutOutcome {
  /** Number of the last turn. */
  readonly lastTurn: TurnNumber;
  /** As logged, or by the ground truth. Absent: unknown. */
  readonly isCorrect?: boolean | undefined;
}

/** Who sampled, how, and how it was graded. It may not be the policy that the trainer had. */
export interface SamplingPolicy extends Omit<SamplingSettings, 'n' | 'seed'> {
  readonly model: string;
  /** A regular expression that a correct answer matches. Absent: graded against the ground truth. */
  readonly pattern?: string | undefined;
}

/** Stored continuations of a rollout from one position, with one edit, by one policy. */
export interface PositionSamples {
  readonly position: ContinuationPosition;
  readonly edit: string;
  readonly policy: SamplingPolicy;
  /** One per continuation, all different. */
  readonly seeds: readonly number[];
  readonly graded: number;
  readonly correct: number;
  /** Ended at the limit of tokens. */
  readonly cut: number;
}

/** What is stored of a rollout. */
export interface SampledRollout extends RolloutOutcome {
  readonly positions: readonly PositionSamples[];
  /** Outcome of the last tool call of each turn that has one. */
  readonly calls: readonly { readonly turn: TurnNumber; readonly outcome: ToolOutcome }[];
}

/** The value by turn of a rollout as one policy sampled it. */
export interface PolicyValue extends ValueByTurn {
  readonly policy: SamplingPolicy;
  /** Continuations from ends of turns. */
  readonly sampled: number;
  /** Of these, ended at the limit of tokens. */
  readonly cut: number;
}

/** Where continuations from the end of a turn start. */
export const endOfTurn = (turn: TurnNumber): ContinuationPosition =>
  turn === 0 ? { kind: 'turn', turn: 1, at: 'start' } : { kind: 'turn', turn, at: 'end' };

/** The turn whose end a position is. The start of a turn is the end of the one before it. */
export const turnEndedAt = (position: ContinuationPosition): TurnNumber | undefined =>
  position.kind !== 'turn' ? undefined : position.at === 'end' ? position.turn : position.turn - 1;

/** Continuations without an edit from ends of turns, by turn. */
export function turnSamples(positions: readonly PositionSamples[], policy: SamplingPolicy): TurnSamples[] {
  const key = policyKey(policy);
  const byTurn = new Map<TurnNumber, TurnSamples>();
  for (const { position, edit, policy: other, seeds, graded, correct } of positions) {
    const turn = turnEndedAt(position);
    if (turn === undefined || edit !== '' || policyKey(other) !== key) continue;
    const before = byTurn.get(turn) ?? { turn, sampled: 0, graded: 0, correct: 0 };
    byTurn.set(turn, {
      turn,
      sampled: before.sampled + seeds.length,
      graded: before.graded + graded,
      correct: before.correct + correct,
    });
  }
  return [...byTurn.values()];
}

/** One per policy, the one with the most continuations first. */
export function valuesByPolicy(rollout: SampledRollout): readonly PolicyValue[] {
  const { positions } = rollout;
  const atTurns = positions.filter(
    ({ position, edit }) => turnEndedAt(position) !== undefined && edit === '',
  );
  return [...Map.groupBy(atTurns, ({ policy }) => policyKey(policy)).values()]
    .flatMap((those) => {
      const policy = those[0]?.policy;
      if (policy === undefined) return [];
      const sampled = those.reduce((sum, { seeds }) => sum + seeds.length, 0);
      const cut = those.reduce((sum, one) => sum + one.cut, 0);
      return [{ policy, sampled, cut, ...valueByTurn(turnSamples(those, policy), rollout) }];
    })
    .sort((a, b) => b.sampled - a.sampled);
}

/** Equal for equal policies. */
export const policyKey = ({ model, temperature, topP, maxTokens, stop, pattern }: SamplingPolicy): string =>
  JSON.stringify([model, temperature, topP, maxTokens, stop, pattern ?? null]);

/** Names who sampled, and how. */
export const policyText = ({ model, temperature, topP, maxTokens }: SamplingPolicy): string =>
  `sampled from ${model}, temperature ${temperature}${topP === 1 ? '' : `, top-p ${topP}`}, at most ${maxTokens.toLocaleString('en')} tokens each`;

/** For example `losing turn`, or where turns between are unknown, `losing turn is one of 3 to 5`. */
export function changeName({ before, after }: ValueChange, kind: 'losing' | 'saving'): string {
  const first = before.turn + 1;
  return first === after.turn ? `${kind} turn` : `${kind} turn is one of ${first} to ${after.turn}`;
}

/** For example `turn 4, 16 of 32 → 3 of 32 correct (−0.41, 95 % interval −0.58 to −0.19)`. */
export function changeText({ before, after, change, low, high, isClear }: ValueChange): string {
  const first = before.turn + 1;
  const turns = first === after.turn ? `turn ${first}` : `turns ${first} to ${after.turn}`;
  const interval = `95 % interval ${signed(low)} to ${signed(high)}`;
  return `${turns}, ${rateText(before)} → ${rateText(after)} correct (${signed(change)}, ${interval}${isClear ? '' : ', so perhaps by chance'})`;
}

/** For example `3 of 32`, or `0` at the end of an incorrect rollout. */
export const rateText = ({ correct, graded, isOutcome }: TurnValue): string =>
  isOutcome ? String(correct) : `${correct} of ${graded}`;

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;

/** @param samples at most one per turn; those of the last turn and later are ignored */
export function valueByTurn(samples: readonly TurnSamples[], outcome: RolloutOutcome): ValueByTurn {
  const { lastTurn } = outcome;
  const values = knownValues(samples, outcome);
  const changes = changesOf(values);
  const losing = changes.reduce<ValueChange | undefined>(
    (most, one) => (one.change < (most?.change ?? 0) ? one : most),
    undefined,
  );
  const saving = changes.reduce<ValueChange | undefined>(
    (most, one) => (one.change > (most?.change ?? 0) ? one : most),
    undefined,
  );
  return {
    lastTurn,
    values,
    ...(losing === undefined ? {} : { losing }),
    ...(saving === undefined ? {} : { saving }),
  };
}

export interface SamplingPlan extends RolloutOutcome {
  /** Continuations that are sampled at a time. */
  readonly batch: number;
  /** Most continuations per turn. */
  readonly most: number;
}

/**
 * The turn from whose end to sample next: bisects until every turn has a batch, then alternates between the widest
 * interval and the ends of the two turns that may have changed the value most.
 *
 * @returns undefined if every turn has the most continuations
 */
export function nextTurn(samples: readonly TurnSamples[], plan: SamplingPlan): TurnNumber | undefined {
  const { lastTurn, batch, most } = plan;
  const sampledAt = new Map(samples.map(({ turn, sampled }) => [turn, sampled]));
  const turns = Array.from({ length: lastTurn }, (_, turn) => turn);
  const unsampled = turns.filter((turn) => (sampledAt.get(turn) ?? 0) === 0);
  if (unsampled.length > 0) return bisect(unsampled, samples, plan);
  const open = turns.filter((turn) => (sampledAt.get(turn) ?? 0) < most);
  const all = samples.reduce((sum, { sampled }) => sum + sampled, 0);
  const atChange = Math.floor(all / batch) % 2 === 0 ? undefined : endsOfLargestChanges(samples, plan);
  const focused = open.filter((turn) => atChange?.has(turn) === true);
  return widest(focused.length > 0 ? focused : open, samples);
}

function knownValues(
  samples: readonly TurnSamples[],
  { lastTurn, isCorrect }: RolloutOutcome,
): readonly TurnValue[] {
  const known = samples
    .filter(({ turn, graded }) => turn < lastTurn && graded > 0)
    .sort((a, b) => a.turn - b.turn)
    .map((one) => ({
      ...one,
      ...wilsonInterval(one.correct, one.graded),
      value: one.correct / one.graded,
      isOutcome: false,
    }));
  if (isCorrect === undefined) return known;
  const value = Number(isCorrect);
  const outcome = { turn: lastTurn, sampled: 1, graded: 1, correct: value, value, low: value, high: value };
  return [...known, { ...outcome, isOutcome: true }];
}

const changesOf = (values: readonly TurnValue[]): readonly ValueChange[] =>
  values.slice(1).flatMap((after, i) => {
    const before = values[i];
    if (before === undefined) return [];
    const interval = differenceInterval(before, after);
    const isClear = interval.low > 0 || interval.high < 0;
    return [{ before, after, change: after.value - before.value, ...interval, isClear }];
  });

/** The middle of the unsampled turns between the two sampled ones whose values may differ most. */
function bisect(
  unsampled: readonly TurnNumber[],
  samples: readonly TurnSamples[],
  plan: SamplingPlan,
): TurnNumber | undefined {
  if (unsampled.includes(0)) return 0;
  const isUnsampled = new Set(unsampled);
  const ends = [...Array.from({ length: plan.lastTurn }, (_, turn) => turn), plan.lastTurn].filter(
    (turn) => !isUnsampled.has(turn),
  );
  const values = new Map(knownValues(samples, plan).map((value) => [value.turn, value]));
  let best: { readonly turn: TurnNumber; readonly change: number; readonly turns: number } | undefined;
  for (const [i, to] of ends.entries()) {
    const from = ends[i - 1];
    if (from === undefined || to - from < 2) continue;
    const [before, after] = [values.get(from), values.get(to)];
    const change = before === undefined || after === undefined ? 1 : Math.abs(after.value - before.value);
    const turns = to - from;
    if (best === undefined || change > best.change || (change === best.change && turns > best.turns))
      best = { turn: Math.floor((from + to) / 2), change, turns };
  }
  return best?.turn;
}

/**
 * The turns whose samples decide which change is the largest: the ends of the one that seems so, and of the one that may
 * still be larger. A drop if the rollout is incorrect, a rise if it is correct.
 *
 * @returns undefined if no other change can be larger, at 95 %
 */
function endsOfLargestChanges(
  samples: readonly TurnSamples[],
  plan: SamplingPlan,
): ReadonlySet<TurnNumber> | undefined {
  const { isCorrect } = plan;
  const sizes = changesOf(knownValues(samples, plan)).map(({ before, after, change, low, high }) => {
    const turns = [before.turn, after.turn];
    if (isCorrect === undefined)
      return { turns, size: Math.abs(change), least: Math.max(low, -high), most: Math.max(high, -low) };
    return isCorrect
      ? { turns, size: change, least: low, most: high }
      : { turns, size: -change, least: -high, most: -low };
  });
  const [leader, ...others] = sizes.toSorted((a, b) => b.size - a.size);
  const [challenger] = others.toSorted((a, b) => b.most - a.most);
  if (leader === undefined || challenger === undefined || leader.least > challenger.most) return undefined;
  return new Set([...leader.turns, ...challenger.turns]);
}

function widest(turns: readonly TurnNumber[], samples: readonly TurnSamples[]): TurnNumber | undefined {
  const at = new Map(samples.map((one) => [one.turn, one]));
  const widthOf = (turn: TurnNumber): number => {
    const { correct, graded } = at.get(turn) ?? { correct: 0, graded: 0 };
    const { low, high } = wilsonInterval(correct, graded);
    return high - low;
  };
  return turns.toSorted((a, b) => widthOf(b) - widthOf(a))[0];
}

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

/**
 * What writing something else at a token changes: the pass rates of continuations from there, with each edit and
 * without. Rules: shared/domain/DOMAIN.md#value-at-a-token.
 * @returns of the policy with the most graded continuations; undefined if there are none
 */
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
