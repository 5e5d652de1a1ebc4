/** A row of the step table, for all rollouts of a step (as stored in the library) or for those that match a filter. */
import type { StepFacts, StepSummary } from '../../../shared/api/contract.ts';
import { ratio } from '../../ui/numbers.ts';

/** Shares are 0…1. Absent means unknown. */
export interface StepRow {
  readonly step: number;
  readonly rollouts: number;
  readonly groups: number;
  readonly passRate: number | undefined;
  readonly meanReward: number | undefined;
  /** Share of rollouts without tool calls: the first sign that a policy stops using its tools. */
  readonly noToolShare: number | undefined;
  readonly toolCallsPerRollout: number | undefined;
  readonly toolErrorRate: number | undefined;
  readonly meanTurns: number | undefined;
  /** UTF-16 code units. */
  readonly meanChars: number | undefined;
  readonly meanTokens: number | undefined;
  /** Nats. */
  readonly meanEntropy: number | undefined;
  readonly truncatedShare: number | undefined;
  readonly keptShare: number | undefined;
  /** Counts only groups in which the correctness of every counted rollout is known. */
  readonly groupsAllWrong: number;
  readonly groupsMixed: number;
  readonly groupsAllRight: number;
}

export function rowOfSummary(row: StepSummary): StepRow {
  const { step, rollouts, groups, meanReward, meanTurns, meanPolicyTokens, meanEntropy } = row;
  const { groupsAllWrong, groupsMixed, groupsAllRight } = row;
  return {
    ...{ step, rollouts, groups, meanReward, meanTurns, meanEntropy },
    passRate: ratio(row.correct, row.correctKnown),
    noToolShare: ratio(row.withoutToolCalls, row.withText),
    toolCallsPerRollout: ratio(row.toolCalls, row.withText),
    toolErrorRate: ratio(row.toolErrors, row.toolCalls),
    meanChars: row.meanResponseChars,
    meanTokens: meanPolicyTokens,
    truncatedShare: row.truncated === undefined ? undefined : ratio(row.truncated, row.stopsLogged),
    keptShare: ratio(row.kept, row.decided),
    ...{ groupsAllWrong, groupsMixed, groupsAllRight },
  };
}

export function rowOfFacts({ step, rollouts, groups, values }: StepFacts): StepRow {
  const { passRate, meanReward, noToolShare, toolCallsPerRollout, toolErrorRate, meanTurns } = values;
  const { meanChars, meanTokens, meanEntropy, truncatedShare, keptShare } = values;
  return {
    ...{ step, rollouts, groups, passRate, meanReward, noToolShare, toolCallsPerRollout, toolErrorRate },
    ...{ meanTurns, meanChars, meanTokens, meanEntropy, truncatedShare, keptShare },
    groupsAllWrong: values.groupsAllWrong ?? 0,
    groupsMixed: values.groupsMixed ?? 0,
    groupsAllRight: values.groupsAllRight ?? 0,
  };
}

/** Only mixed groups teach a group-normalised advantage. A group of one is never mixed. */
export function mixedShare(row: StepRow): number | undefined {
  const { groupsAllWrong, groupsMixed, groupsAllRight } = row;
  if (row.groups === row.rollouts) return undefined;
  return ratio(groupsMixed, groupsAllWrong + groupsMixed + groupsAllRight);
}
