/** At which turn the incorrect rollouts of a group were lost. Rules: shared/domain/DOMAIN.md#value-by-turn. */
import { TOOL_ERROR_OUTCOMES, type ToolOutcome } from './model.ts';
import { type SampledRollout, valuesByPolicy } from './valueByTurn.ts';

/** How the last tool call of the turn before ended. `unknown`: nothing answered it, or it was malformed. */
export type CallBefore = 'succeeded' | 'failed' | 'unknown' | 'none';

interface LostGroup {
  readonly rollouts: number;
  /** Median losing turn. */
  readonly turn: number;
}

export interface LostTurns extends LostGroup {
  /** Incorrect rollouts with a value by turn. Those whose largest drop may be chance, or spans several turns, too. */
  readonly valued: number;
  /** The largest first. */
  readonly byCall: readonly (LostGroup & { readonly before: CallBefore })[];
}

/** @returns undefined if no incorrect rollout has a losing turn that is not perhaps chance */
export function lostTurns(rollouts: readonly SampledRollout[]): LostTurns | undefined {
  let valued = 0;
  const lost: { readonly turn: number; readonly before: CallBefore }[] = [];
  for (const rollout of rollouts) {
    if (rollout.isCorrect !== false) continue;
    const [value] = valuesByPolicy(rollout);
    if (value === undefined) continue;
    valued += 1;
    const { losing } = value;
    if (losing === undefined || !losing.isClear || losing.after.turn - losing.before.turn > 1) continue;
    const { turn } = losing.after;
    lost.push({ turn, before: callBefore(rollout.calls.find((call) => call.turn === turn - 1)?.outcome) });
  }
  if (lost.length === 0) return undefined;
  const groupOf = (those: typeof lost): LostGroup => ({
    rollouts: those.length,
    turn: median(those.map(({ turn }) => turn)),
  });
  const byCall = [...Map.groupBy(lost, ({ before }) => before)]
    .map(([before, those]) => ({ before, ...groupOf(those) }))
    .sort((a, b) => b.rollouts - a.rollouts);
  return { valued, ...groupOf(lost), byCall };
}

function callBefore(outcome: ToolOutcome | undefined): CallBefore {
  if (outcome === undefined) return 'none';
  if (TOOL_ERROR_OUTCOMES.has(outcome)) return 'failed';
  return outcome === 'missing' || outcome === 'malformed' ? 'unknown' : 'succeeded';
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}
