/** Why a rollout ended as it did, and how its reward is made up (shared/domain/DOMAIN.md#outcome-of-a-rollout). */
import type { LimitKind, LoggedLimit } from './limits.ts';
import { lastIndexIn } from './linearSearch.ts';
import {
  type Provenance,
  type Segment,
  type StopReason,
  TOOL_ERROR_OUTCOMES,
  type ToolCall,
  type TurnNumber,
} from './model.ts';
import type { Basis, TurnRequest } from './policyContext.ts';
import type { Scores } from './scores.ts';

interface Ended {
  readonly stopReason?: StopReason | undefined;
  readonly stopReasonSource?: Provenance | undefined;
  readonly stopReasonLogged?: string | undefined;
}

const RULES: Readonly<Record<StopReason, string>> = {
  answer: 'The policy’s text after the last tool response ends with an answer.',
  length: 'No rule infers this from a text.',
  'turn-limit': 'The text ends with a call that nothing answered.',
  'no-answer': 'The policy’s text after the last tool response gives no answer.',
  error: 'No rule infers this from a text.',
  aborted: 'No rule infers this from a text.',
};

/** @returns undefined if the stop reason is unknown */
export function stopBasis({ stopReason, stopReasonSource, stopReasonLogged }: Ended): Basis | undefined {
  // A library of somebody else may have a reason that this Turnwise does not know.
  if (stopReason === undefined || !Object.hasOwn(RULES, stopReason)) return undefined;
  if (stopReasonSource === 'logged') return { source: 'logged', by: 'stop reason' };
  // A word such as `stop` or `user_stop` gives no reason of the policy, so the text decided. SWE-agent's word does.
  const isGiven = stopReasonLogged?.startsWith('submitted') === true;
  const isOfText =
    (stopReason === 'answer' && !isGiven) || stopReason === 'no-answer' || stopReasonLogged === undefined;
  return {
    source: 'derived',
    by: isOfText ? RULES[stopReason] : `The log’s stop reason “${stopReasonLogged}” means this.`,
  };
}

/** The last call of a tool that failed. */
export function lastFailedCall(calls: readonly ToolCall[]): ToolCall | undefined {
  return calls.findLast(({ outcome }) => TOOL_ERROR_OUTCOMES.has(outcome));
}

const OF_POLICY: ReadonlySet<Segment['kind']> = new Set([
  'reasoning',
  'text',
  'answer',
  'tool-call',
] as const);

/** The last place where the policy wrote the answer. Undefined if it is not in its text as it was logged. */
export function answerPlace(
  answer: string,
  response: string,
  segments: readonly Segment[],
): { readonly segment: number; readonly start: number; readonly end: number } | undefined {
  if (answer.trim() === '') return undefined;
  for (let segment = segments.length - 1; segment >= 0; segment--) {
    const { kind, turn, inner } = segments[segment] ?? {};
    if (kind === undefined || inner === undefined || turn === 0 || !OF_POLICY.has(kind)) continue;
    // Searches one segment only, so that the search stays linear.
    const at = lastIndexIn(response.slice(inner.start, inner.end), answer);
    if (at >= 0) return { segment, start: inner.start + at, end: inner.start + at + answer.length };
  }
  return undefined;
}

export interface RewardPart {
  readonly name: string;
  readonly value: number;
  /** As logged. Absent: the log has no weights. */
  readonly weight?: number;
}

/** `none`: the parts make up the reward in no way that Turnwise knows. */
type RewardRule = 'weighted sum' | 'sum' | 'product' | 'one part' | 'none';

export interface RewardBreakdown {
  readonly parts: readonly RewardPart[];
  /** The first rule that gives the reward. */
  readonly rule: RewardRule;
  /** Sum of the parts, times their weights if they are logged. */
  readonly sum: number;
  /** For `one part`: its name. */
  readonly only?: string;
}

const isClose = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

/**
 * Checks how scores make up the reward. Grades and booleans are verdicts, no parts.
 *
 * @param weighted the parts with their weights, where the log has them
 * @param isProduct the producer multiplies the scores
 * @returns undefined without a reward or without parts
 */
export function rewardBreakdown(
  reward: number | undefined,
  scores: Scores,
  weighted: readonly RewardPart[] = [],
  isProduct = false,
): RewardBreakdown | undefined {
  const parts: readonly RewardPart[] =
    weighted.length > 0
      ? weighted
      : Object.entries(scores).flatMap(([name, value]) =>
          typeof value === 'number' ? [{ name, value }] : [],
        );
  if (reward === undefined || parts.length === 0) return undefined;
  const sum = parts.reduce((total, { value, weight = 1 }) => total + value * weight, 0);
  const product = parts.reduce((total, { value }) => total * value, 1);
  const only = parts.find(({ value }) => isClose(value, reward));
  if (isClose(sum, reward)) return { parts, sum, rule: weighted.length > 0 ? 'weighted sum' : 'sum' };
  if (isProduct && isClose(product, reward)) return { parts, sum, rule: 'product' };
  return only === undefined
    ? { parts, sum, rule: 'none' }
    : { parts, sum, rule: 'one part', only: only.name };
}

export interface LimitUse {
  readonly limit: LoggedLimit;
  readonly used: number;
  readonly isReached: boolean;
}

interface Used {
  readonly policyTokens?: number | undefined;
  readonly tokens?: number | undefined;
  readonly turns?: number | undefined;
  /** The request of the last turn. */
  readonly request?: TurnRequest | undefined;
  readonly lastTurnTokens?: number | undefined;
}

/**
 * How much of each limit a rollout used, for limits of which both are known. A response of trainers includes the tokens
 * of tool responses, so `tokens` counts rather than those of the policy.
 */
export function limitUses(limits: readonly LoggedLimit[], used: Used): readonly LimitUse[] {
  const { policyTokens, tokens = policyTokens, turns, request, lastTurnTokens } = used;
  const last = request?.tokens === undefined ? undefined : request.tokens + (lastTurnTokens ?? 0);
  const known: Partial<Record<LimitKind, number | undefined>> = { response: tokens, turns, context: last };
  return limits.flatMap((limit) => {
    const value = known[limit.kind];
    return value === undefined ? [] : [{ limit, used: value, isReached: value >= limit.value }];
  });
}

export interface ContextLimit {
  readonly value: number;
  /** The field, or two that are added. */
  readonly field: string;
}

/** Without a limit of the context, prompt and response together are one (verl). */
export function contextLimit(limits: readonly LoggedLimit[]): ContextLimit | undefined {
  const find = (kind: LimitKind) => limits.find((limit) => limit.kind === kind);
  const [context, prompt, response] = [find('context'), find('prompt'), find('response')];
  if (context !== undefined) return context;
  if (prompt === undefined || response === undefined) return undefined;
  return { value: prompt.value + response.value, field: `${prompt.field} + ${response.field}` };
}

/** The first segment of the last turn, where the end of a rollout is read. */
export function lastSegment(segments: readonly Segment[]): { segment: number; turn: TurnNumber } | undefined {
  const segment = segments.findLastIndex(({ inner, turn }) => turn > 0 && inner.end > inner.start);
  const turn = segments[segment]?.turn;
  return turn === undefined ? undefined : { segment, turn };
}
