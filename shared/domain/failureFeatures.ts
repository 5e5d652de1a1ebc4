/** The actions and ending of an incorrect rollout as named features that it has or has not (shared/domain/DOMAIN.md#groups-of-failures). */
import type { Flag } from './flags.ts';
import type { StopReason, ToolOutcome } from './model.ts';

export interface FailedCall {
  /** Absent: unreadable. */
  readonly tool?: string | undefined;
  readonly outcome: ToolOutcome;
  /** As in `errorType`. */
  readonly error?: string | undefined;
}

/** Absent is unknown, and gives no feature. */
export interface FailedRollout {
  /** In order. Absent: the log has no text. */
  readonly calls?: readonly FailedCall[] | undefined;
  readonly turns?: number | undefined;
  readonly toolCalls?: number | undefined;
  readonly answer?: string | undefined;
  readonly stopReason?: StopReason | undefined;
  readonly flags: readonly Flag[];
}

/** Names come from logs. A longer one is cut. */
const NAME_CHARS = 60;
const NUMBER = /^[-+]?\$?(?:\d[\d,]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?$/;
const SYMBOL = /[\d\\^_=+*/<>{}]/;

/** @returns the names of the features without duplicates, in UTF-16 order */
export function failureFeatures(rollout: FailedRollout): readonly string[] {
  const { calls, turns, toolCalls, stopReason, flags } = rollout;
  const answer = answerClass(rollout);
  const features = new Set(flags.map((flag) => `flag: ${flag}`));
  if (answer !== undefined) features.add(`answer: ${answer}`);
  if (stopReason !== undefined) features.add(`stop: ${stopReason}`);
  if (turns !== undefined) features.add(`turns: ${doubling(turns)}`);
  if (toolCalls !== undefined) features.add(`calls: ${doubling(toolCalls)}`);
  if (calls !== undefined) {
    const acts = calls.map(actOf);
    for (const act of acts) features.add(`call: ${act}`);
    const all = acts.length === 0 || answer === undefined ? acts : [...acts, `answer ${answer}`];
    for (let i = 1; i < all.length; i++) features.add(`then: ${all[i - 1]} → ${all[i]}`);
  }
  return [...features].sort();
}

/** Undefined without an answer and without a text, because the answer may not have been logged. */
function answerClass({ answer, flags, calls }: FailedRollout): string | undefined {
  const text = answer?.trim() ?? '';
  if (text === '') return calls === undefined ? undefined : 'none';
  if (flags.includes('several_answers')) return 'several';
  if (NUMBER.test(text)) return 'number';
  return SYMBOL.test(text) ? 'expression' : 'text';
}

function actOf({ tool, outcome, error }: FailedCall): string {
  if (tool === undefined && outcome === 'malformed' && error === undefined) return 'malformed call';
  const name = tool === undefined ? 'unnamed tool' : tool.slice(0, NAME_CHARS).toWellFormed();
  return error === undefined ? `${name} ${outcome}` : `${name} ${outcome} ${error}`;
}

/** The range of powers of two around a count: 0, 1, 2–3, 4–7, … */
function doubling(count: number): string {
  if (count < 2) return String(count);
  const from = 2 ** Math.floor(Math.log2(count));
  return `${from}–${2 * from - 1}`;
}

const FAILED =
  /^call: .* (?:exception|timeout|infra|parse_error|dispatch_error|error|malformed)(?: \w+)?$|^call: malformed call$/;

/**
 * A cluster in words, such as "2–3 calls: python exception NameError, then no answer": at most two kinds of call, failed
 * ones first, and how the rollout ended.
 *
 * @param features those that the medoid and at least half of the cluster have
 */
export function clusterName(features: readonly string[]): string {
  const calls = features.filter((feature) => feature.startsWith('call: '));
  const shown = [...calls.filter((call) => FAILED.test(call)), ...calls.filter((call) => !FAILED.test(call))];
  const acts = shown.slice(0, 2).map((call) => call.slice('call: '.length));
  if (acts.length === 0 && features.includes('flag: all_calls_failed')) acts.push('every call failed');
  const made = features.find((feature) => feature.startsWith('calls: '))?.slice('calls: '.length);
  if (made === '0') acts.push('no tool call');
  const many = made === undefined || made === '0' || made === '1' ? '' : `${made} calls: `;
  const parts = acts.length === 0 ? [] : [many + acts.join(' and ')];
  const answer = features.find((feature) => feature.startsWith('answer: '))?.slice('answer: '.length);
  if (features.includes('stop: length')) parts.push('cut off by the length limit');
  else if (answer !== undefined) parts.push(ENDS[answer] ?? answer);
  return parts.length === 0 ? 'no action in common' : parts.join(', then ');
}

const ENDS: Readonly<Record<string, string>> = {
  none: 'no answer',
  number: 'a number as the answer',
  expression: 'an expression as the answer',
  text: 'words as the answer',
  several: 'several answers',
};
