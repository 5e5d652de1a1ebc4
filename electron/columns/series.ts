/** Chart data of a run per step: sums over the columns of a step, or over its matching rollouts. */
import type { LatencySummary, SeriesName, StepFacts } from '../../shared/api/contract.ts';
import {
  STOP_REASONS,
  TOOL_ERROR_OUTCOMES,
  TOOL_OUTCOMES,
  type ToolOutcome,
} from '../../shared/domain/model.ts';
import { type ColumnArray, type ColumnName, UNKNOWN_I32 } from '../storage/columnNames.ts';
import { scheduleFacts } from './scheduleFacts.ts';

/** The columns of a step, stored or just computed. */
export interface ColumnSource {
  readonly step: number;
  column<N extends ColumnName>(name: N): ColumnArray<N>;
}

/** Codes of stop reasons start at 1. */
const STOP_LENGTH = STOP_REASONS.indexOf('length') + 1;
const ERROR_BITS = TOOL_OUTCOMES.reduce(
  (bits, outcome, i) => (TOOL_ERROR_OUTCOMES.has(outcome) ? bits | (1 << i) : bits),
  0,
);
const MISSING = TOOL_OUTCOMES.indexOf('missing');
const MALFORMED = TOOL_OUTCOMES.indexOf('malformed');
const MALFORMED_BIT = 1 << MALFORMED;

/** @param mask one byte per rollout, 1 includes it; absent: all rollouts */
export function stepFacts(source: ColumnSource, mask?: Uint8Array): StepFacts {
  const sums = sumRollouts(source, mask);
  const { groups, ...groupValues } = sumGroups(source, mask);
  const { retries, ...calls } = sumCalls(source, mask);
  const schedule = scheduleFacts(source, mask);
  const values: Partial<Record<SeriesName, number>> = {};
  const set = (name: SeriesName, value: number): void => {
    if (Number.isFinite(value)) values[name] = value;
  };
  const { rollouts } = sums;
  set('meanReward', sums.reward / sums.rewardKnown);
  set('passRate', sums.correct / sums.correctKnown);
  for (const [name, value] of Object.entries(groupValues)) set(name as SeriesName, value);
  if (sums.callsKnown > 0) set('toolCalls', sums.toolCalls);
  set('toolCallsPerRollout', sums.toolCalls / sums.callsKnown);
  set('noToolShare', sums.withoutCalls / sums.callsKnown);
  set('malformedCallShare', sums.withMalformed / sums.callsKnown);
  set('toolErrorRate', sums.toolErrors / sums.toolCalls);
  set('toolErrorRateCorrect', sums.errorsOfCorrect / sums.callsOfCorrect);
  set('correctWithErrorShare', sums.correctWithError / sums.correct);
  set('meanTurns', sums.turns / sums.turnsKnown);
  set('meanTokens', sums.tokens.total / sums.tokens.count);
  set('p95Tokens', sums.tokens.percentile(0.95));
  set('meanChars', sums.chars.total / sums.chars.count);
  set('p95Chars', sums.chars.percentile(0.95));
  set('truncatedShare', sums.truncated / sums.stopsLogged);
  set('meanEntropy', sums.entropy / sums.entropyTokens);
  set('keptShare', sums.kept / sums.decided);
  set('keptShareCorrect', sums.keptCorrect / sums.decidedCorrect);
  set('keptShareWrong', sums.keptWrong / sums.decidedWrong);
  return {
    step: source.step,
    rollouts,
    groups,
    values,
    ...calls,
    retries,
    recovery: { rollouts: sums.erredKnown, correct: sums.erredCorrect },
    ...(sums.rewardKnown === 0 ? {} : { reward: rewardFacts(sums) }),
    ...(schedule === undefined ? {} : { schedule }),
  };
}

/** Adds up deviations from the running mean (Welford), so that large rewards lose no digits. */
function rewardFacts({ rewardKnown, rewardSquares }: RewardSums): NonNullable<StepFacts['reward']> {
  return rewardKnown < 2
    ? { known: rewardKnown }
    : { known: rewardKnown, deviation: Math.sqrt(rewardSquares / (rewardKnown - 1)) };
}

interface RewardSums {
  readonly rewardKnown: number;
  /** Sum of squared deviations from the mean. */
  readonly rewardSquares: number;
}

/** Numbers that are averaged and ranked. */
class Sample {
  total = 0;
  count = 0;
  private readonly numbers: Float64Array;

  constructor(most: number) {
    this.numbers = new Float64Array(most);
  }

  add(value: number): void {
    this.numbers[this.count++] = value;
    this.total += value;
  }

  /**
   * Nearest rank: the smallest value that at least this fraction of the values does not exceed. NaN without
   * values.
   */
  percentile(share: number): number {
    const sorted = this.numbers.subarray(0, this.count).sort();
    return sorted[Math.max(0, Math.ceil(share * this.count) - 1)] ?? Number.NaN;
  }
}

function sumRollouts(source: ColumnSource, mask: Uint8Array | undefined) {
  const reward = source.column('reward');
  const correct = source.column('isCorrect');
  const kept = source.column('kept');
  const turns = source.column('turns');
  const toolCalls = source.column('toolCalls');
  const toolErrors = source.column('toolErrors');
  const tokens = source.column('policyTokens');
  const chars = source.column('responseChars');
  const entropy = source.column('meanEntropy');
  const entropyTokens = source.column('entropyTokens');
  const stop = source.column('stopReason');
  const stopLogged = source.column('stopReasonLogged');
  const outcomes = source.column('outcomes');
  const sums = {
    rollouts: 0,
    reward: 0,
    rewardKnown: 0,
    rewardSquares: 0,
    correct: 0,
    correctKnown: 0,
    callsKnown: 0,
    toolCalls: 0,
    toolErrors: 0,
    withoutCalls: 0,
    withMalformed: 0,
    callsOfCorrect: 0,
    errorsOfCorrect: 0,
    correctWithError: 0,
    erredKnown: 0,
    erredCorrect: 0,
    turns: 0,
    turnsKnown: 0,
    tokens: new Sample(reward.length),
    chars: new Sample(reward.length),
    stopsLogged: 0,
    truncated: 0,
    entropy: 0,
    entropyTokens: 0,
    decided: 0,
    kept: 0,
    decidedCorrect: 0,
    keptCorrect: 0,
    decidedWrong: 0,
    keptWrong: 0,
  };
  for (let i = 0; i < reward.length; i++) {
    if (mask !== undefined && mask[i] === 0) continue;
    sums.rollouts++;
    const rewardHere = reward[i] ?? Number.NaN;
    if (!Number.isNaN(rewardHere)) {
      const fromMean = rewardHere - (sums.rewardKnown === 0 ? rewardHere : sums.reward / sums.rewardKnown);
      sums.reward += rewardHere;
      sums.rewardKnown++;
      sums.rewardSquares += fromMean * (rewardHere - sums.reward / sums.rewardKnown);
    }
    const isCorrect = correct[i] ?? -1;
    const isKept = kept[i] ?? -1;
    const callsHere = toolCalls[i] ?? UNKNOWN_I32;
    const calls = callsHere === UNKNOWN_I32 ? 0 : callsHere;
    const errors = callsHere === UNKNOWN_I32 ? 0 : (toolErrors[i] ?? 0);
    const hasErred = ((outcomes[i] ?? 0) & ERROR_BITS) !== 0;
    sums.toolCalls += calls;
    sums.toolErrors += errors;
    if (callsHere !== UNKNOWN_I32) sums.callsKnown++;
    if (callsHere === 0) sums.withoutCalls++;
    if (((outcomes[i] ?? 0) & MALFORMED_BIT) !== 0) sums.withMalformed++;
    if (isCorrect >= 0) {
      sums.correctKnown++;
      if (hasErred) sums.erredKnown++;
    }
    if (isCorrect === 1) {
      sums.correct++;
      sums.callsOfCorrect += calls;
      sums.errorsOfCorrect += errors;
      if (hasErred) {
        sums.correctWithError++;
        sums.erredCorrect++;
      }
    }
    if (isKept >= 0) {
      sums.decided++;
      sums.kept += isKept;
      if (isCorrect === 1) {
        sums.decidedCorrect++;
        sums.keptCorrect += isKept;
      } else if (isCorrect === 0) {
        sums.decidedWrong++;
        sums.keptWrong += isKept;
      }
    }
    const turnsHere = turns[i] ?? UNKNOWN_I32;
    if (turnsHere !== UNKNOWN_I32) {
      sums.turns += turnsHere;
      sums.turnsKnown++;
    }
    const tokensHere = tokens[i] ?? UNKNOWN_I32;
    if (tokensHere !== UNKNOWN_I32) sums.tokens.add(tokensHere);
    const charsHere = chars[i] ?? UNKNOWN_I32;
    if (charsHere !== UNKNOWN_I32) sums.chars.add(charsHere);
    if ((stopLogged[i] ?? 0) > 0) {
      sums.stopsLogged++;
      if (stop[i] === STOP_LENGTH) sums.truncated++;
    }
    const entropyHere = entropy[i] ?? Number.NaN;
    const tokensOfEntropy = entropyTokens[i] ?? UNKNOWN_I32;
    if (!Number.isNaN(entropyHere) && tokensOfEntropy > 0) {
      sums.entropy += entropyHere * tokensOfEntropy;
      sums.entropyTokens += tokensOfEntropy;
    }
  }
  return sums;
}

/** Rollouts of a group are adjacent. */
function sumGroups(source: ColumnSource, mask: Uint8Array | undefined) {
  const groupId = source.column('groupId');
  const correct = source.column('isCorrect');
  const answer = source.column('answer');
  let groups = 0;
  let allWrong = 0;
  let mixed = 0;
  let allRight = 0;
  let answers = 0;
  let answered = 0;
  for (let from = 0; from < groupId.length; ) {
    let to = from;
    let rollouts = 0;
    let known = 0;
    let right = 0;
    const distinct = new Set<number>();
    for (; to < groupId.length && groupId[to] === groupId[from]; to++) {
      if (mask !== undefined && mask[to] === 0) continue;
      rollouts++;
      const isCorrect = correct[to] ?? -1;
      if (isCorrect >= 0) known++;
      if (isCorrect === 1) right++;
      const code = answer[to] ?? 0;
      if (code > 0) distinct.add(code);
    }
    from = to;
    if (rollouts === 0) continue;
    groups++;
    if (distinct.size > 0) {
      answered++;
      answers += distinct.size;
    }
    if (known < rollouts) continue;
    if (right === 0) allWrong++;
    else if (right === rollouts) allRight++;
    else mixed++;
  }
  const judgedGroups = allWrong + mixed + allRight;
  return {
    groups,
    groupsAllWrong: judgedGroups === 0 ? Number.NaN : allWrong,
    groupsMixed: judgedGroups === 0 ? Number.NaN : mixed,
    groupsAllRight: judgedGroups === 0 ? Number.NaN : allRight,
    answersPerGroup: answers / answered,
  };
}

function sumCalls(source: ColumnSource, mask: Uint8Array | undefined) {
  const rollout = source.column('callRollout');
  const outcome = source.column('callOutcome');
  const latencyMs = source.column('callLatencyMs');
  const repeat = source.column('callRepeat');
  const outcomes: Partial<Record<ToolOutcome, number>> = {};
  const isLogged = source.column('callLatencyLogged');
  const latencies = new Sample(rollout.length);
  const sources = { logged: 0, derived: 0 };
  let repeats = 0;
  const retries = { calls: 0, succeeded: 0 };
  for (let i = 0; i < rollout.length; i++) {
    if (mask !== undefined && mask[rollout[i] ?? 0] === 0) continue;
    const name = TOOL_OUTCOMES[outcome[i] ?? 0];
    if (name !== undefined) outcomes[name] = (outcomes[name] ?? 0) + 1;
    const latency = latencyMs[i] ?? Number.NaN;
    if (!Number.isNaN(latency)) {
      latencies.add(latency);
      if (isLogged[i] === 1) sources.logged++;
      else sources.derived++;
    }
    repeats += repeat[i] ?? 0;
    // A next call without a response counts neither as a success nor as a failure.
    const next = rollout[i + 1] === rollout[i] ? outcome[i + 1] : undefined;
    if (isError(outcome[i]) && next !== undefined && next !== MISSING && next !== MALFORMED) {
      retries.calls++;
      if (!isError(next)) retries.succeeded++;
    }
  }
  const latency = latencySummary(latencies, sources);
  return { outcomes, repeats, retries, ...(latency === undefined ? {} : { latency }) };
}

function isError(outcome: number | undefined): boolean {
  return outcome !== undefined && (ERROR_BITS & (1 << outcome)) !== 0;
}

function latencySummary(
  latencies: Sample,
  sources: Pick<LatencySummary, 'logged' | 'derived'>,
): LatencySummary | undefined {
  if (latencies.count === 0) return undefined;
  return {
    calls: latencies.count,
    meanMs: latencies.total / latencies.count,
    p50Ms: latencies.percentile(0.5),
    p95Ms: latencies.percentile(0.95),
    maxMs: latencies.percentile(1),
    ...sources,
  };
}
