/** Arithmetic of the browsing pages. */
import type { StepSummary } from '../../../shared/api/contract.ts';
import { ratio } from '../../ui/numbers.ts';

export const passRate = (row: StepSummary) => ratio(row.correct, row.correctKnown);
/** Share of rollouts without any tool call: the first sign that a policy stops using its tools. */
export const noToolShare = (row: StepSummary) => ratio(row.withoutToolCalls, row.rollouts);
export const toolErrorRate = (row: StepSummary) => ratio(row.toolErrors, row.toolCalls);
export const truncatedShare = (row: StepSummary) =>
  row.truncated === undefined ? undefined : ratio(row.truncated, row.stopsLogged);
export const keptShare = (row: StepSummary) => ratio(row.kept, row.decided);
export const toolCallsPerRollout = (row: StepSummary) => ratio(row.toolCalls, row.rollouts);

/** A mixed group is the only kind a group-normalised advantage learns from. */
export function mixedShare(row: StepSummary): number | undefined {
  return ratio(row.groupsMixed, row.groupsAllWrong + row.groupsMixed + row.groupsAllRight);
}
