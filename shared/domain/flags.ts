/**
 * Flags: oddities of a rollout found by rules on its text. They are facts rather than judgements:
 * `answer_only_in_output` means something else for a correct rollout than for an incorrect one.
 */
import { type Boxed, boxedIn } from './answer.ts';
import { eachMatch, indexIn } from './linearSearch.ts';
import {
  type Segment,
  type StopReason,
  type TextRange,
  TOOL_ERROR_OUTCOMES,
  type ToolCall,
} from './model.ts';
import { isSameAnswer } from './sameAnswer.ts';

/** Stored as bits in this order; add new flags at the end. */
export const FLAGS = [
  'equals_truth',
  'all_calls_failed',
  'no_answer_tag',
  'no_boxed',
  'several_answers',
  'text_after_answer',
  'reason_after_answer',
  'answer_only_in_output',
  'truth_in_code',
  'ignored_calls',
  'identical_retry',
  'repetition',
  'truncated',
] as const;
export type Flag = (typeof FLAGS)[number];

export const FLAG_MEANINGS: Readonly<Record<Flag, string>> = {
  equals_truth: 'the answer and the ground truth are written the same',
  all_calls_failed: 'every tool call failed',
  no_answer_tag: 'an answer was found or rewarded, but is not in an answer tag',
  no_boxed: 'the answer tag contains no \\boxed',
  several_answers: 'different boxed values',
  text_after_answer: 'text after the answer tag',
  reason_after_answer: 'reasoning after the answer tag',
  answer_only_in_output: 'the answer appears in a tool response, but nowhere in the text of the policy',
  truth_in_code: 'the ground truth appears in code before any tool response contains it',
  ignored_calls: 'several calls in one turn, some of which were not run',
  identical_retry: 'a failed call was repeated, character by character',
  repetition: 'more than half of the text repeats earlier lines',
  truncated: 'stopped by the length limit',
};

export interface FlaggedRollout {
  readonly response: string;
  /** Segments of the response; calls refer to them. */
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  /** Per call: an earlier call is the same. */
  readonly repeats: readonly boolean[];
  /** With its template. Absent: unknown. */
  readonly prompt?: string | undefined;
  readonly isCorrect?: boolean | undefined;
  readonly answer?: string | undefined;
  readonly groundTruth?: string | undefined;
  readonly stopReason?: StopReason | undefined;
}

interface FlagEvidence extends TextRange {
  readonly flag: Flag;
  /** Index among the segments of the response. */
  readonly segment: number;
}

export interface Flagged {
  /** Bit i: FLAGS[i]. */
  readonly bits: number;
  /** Evidence of flags that have a location: offsets in the response. */
  readonly evidence: readonly FlagEvidence[];
}

/** Shorter answers occur everywhere by chance. */
const TELLING_CHARS = 3;
const LONG_CHARS = 2000;
const LINE_CHARS = 20;
const REPEATED_SHARE = 0.5;
/** Characters shown of the text that was cut off by the length limit. */
const LAST_CHARS = 120;

export function flagsOf(rollout: FlaggedRollout): Flagged {
  const evidence: FlagEvidence[] = [];
  let bits = 0;
  const set = (flag: Flag, at?: { readonly segment: number } & TextRange): void => {
    bits |= bitOf(flag);
    if (at !== undefined) evidence.push({ flag, segment: at.segment, start: at.start, end: at.end });
  };
  const { answer, groundTruth, toolCalls } = rollout;
  if (answer !== undefined && groundTruth !== undefined && isSameAnswer(answer, groundTruth))
    set('equals_truth');
  if (rollout.stopReason === 'length') set('truncated', lastWords(rollout));
  // All other flags need a text.
  if (rollout.response === '') return { bits, evidence };
  const made = toolCalls.filter(({ outcome }) => outcome !== 'malformed');
  if (made.length > 0 && made.every(({ outcome }) => TOOL_ERROR_OUTCOMES.has(outcome)))
    set('all_calls_failed');
  flagAnswer(rollout, set);
  flagBoxed(rollout, set);
  flagBorrowed(rollout, set);
  flagCalls(rollout, set);
  const repeated = repeatedLine(rollout);
  if (repeated !== undefined) set('repetition', repeated);
  return { bits, evidence };
}

export function bitOf(flag: Flag): number {
  return 1 << FLAGS.indexOf(flag);
}

export function flagNames(bits: number): readonly Flag[] {
  return FLAGS.filter((flag) => (bits & bitOf(flag)) !== 0);
}

type Set = (flag: Flag, at?: { readonly segment: number } & TextRange) => void;

function flagAnswer({ response, segments, prompt, answer, isCorrect }: FlaggedRollout, set: Set): void {
  const at = segments.findLastIndex(({ kind }) => kind === 'answer');
  const tag = segments[at];
  if (tag === undefined) {
    // If the prompt did not ask for tags, their absence means nothing. `#### <answer>` names a placeholder.
    const isAsked = prompt === undefined || prompt === '' || prompt.includes('</answer>');
    if (isAsked && (answer !== undefined || isCorrect === true)) set('no_answer_tag');
    return;
  }
  if (!response.slice(tag.inner.start, tag.inner.end).includes('\\boxed'))
    set('no_boxed', { segment: at, ...tag.inner });
  for (const [i, segment] of segments.entries()) {
    if (i <= at || response.slice(segment.inner.start, segment.inner.end).trim() === '') continue;
    if (segment.kind === 'reasoning') set('reason_after_answer', { segment: i, ...segment.inner });
    else if (segment.kind === 'text') set('text_after_answer', { segment: i, ...segment.inner });
  }
}

function flagBoxed({ response, segments }: FlaggedRollout, set: Set): void {
  if (!response.includes('\\boxed')) return;
  let first: Boxed | undefined;
  for (const [i, { kind, inner }] of segments.entries()) {
    if (kind !== 'reasoning' && kind !== 'text' && kind !== 'answer') continue;
    for (const boxed of boxedIn(response.slice(inner.start, inner.end))) {
      if (first === undefined) first = boxed;
      else if (!isSameAnswer(first.text, boxed.text)) {
        set('several_answers', {
          segment: i,
          start: inner.start + boxed.start,
          end: inner.start + boxed.end,
        });
        return;
      }
    }
  }
}

/**
 * Flags answers that only the tool produced, and ground truths that appear before the tool could return them.
 */
function flagBorrowed(rollout: FlaggedRollout, set: Set): void {
  const { response, segments, toolCalls, answer, isCorrect, groundTruth } = rollout;
  // A correct rollout without an answer of its own: the ground truth counts as its answer.
  const counted = (answer ?? (isCorrect === true ? groundTruth : undefined))?.trim();
  if (counted !== undefined && counted !== '') {
    const only = onlyInOutput(counted, rollout);
    if (only !== undefined) set('answer_only_in_output', only);
  }
  const truth = groundTruth?.trim();
  if (truth === undefined || truth.length < TELLING_CHARS) return;
  const callAt = new Map(toolCalls.toReversed().map((call) => [call.callSegment, call]));
  for (const [i, { kind, inner }] of segments.entries()) {
    if (kind === 'tool-response' && placeOf(truth, response, inner) !== undefined) return;
    if (kind !== 'tool-call') continue;
    const code = callAt.get(i)?.code;
    if (code === undefined || placeOf(truth, code, { start: 0, end: code.length }) === undefined) continue;
    // In JSON escapes the number may follow a letter. The evidence is then the whole call.
    set('truth_in_code', { segment: i, ...(placeOf(truth, response, inner) ?? inner) });
    return;
  }
}

/**
 * The occurrence in a tool response, if the policy never wrote it in reasoning, prose, code or answer tag.
 */
function onlyInOutput(
  text: string,
  { response, segments }: FlaggedRollout,
): ({ readonly segment: number } & TextRange) | undefined {
  let inOutput: ({ readonly segment: number } & TextRange) | undefined;
  for (const [i, { kind, inner }] of segments.entries()) {
    const at = placeOf(text, response, inner);
    if (at === undefined) continue;
    if (kind !== 'tool-response') return undefined;
    inOutput ??= { segment: i, ...at };
  }
  return inOutput;
}

const WORD = /[\p{L}\p{N}_]/u;

/** Not inside a longer word or number: 213 is not in 12130, and not in 213.5. */
function placeOf(text: string, where: string, { start, end }: TextRange): TextRange | undefined {
  // Searches the range only. A search to the end of the response, once per segment, would be quadratic.
  const part = where.slice(start, end);
  const first = indexIn(part, text);
  if (first < 0) return undefined;
  let found: TextRange | undefined;
  eachMatch(part, text, first, (at) => {
    const before = part[at - 1] ?? '';
    const after = part[at + text.length] ?? '';
    const next = part[at + text.length + 1] ?? '';
    const isCut =
      WORD.test(before) || WORD.test(after) || (after === '.' && /\d/.test(next)) || before === '.';
    if (!isCut) found = { start: start + at, end: start + at + text.length };
    return !isCut;
  });
  return found;
}

function flagCalls({ segments, toolCalls, repeats }: FlaggedRollout, set: Set): void {
  const at = (call: ToolCall) => {
    const segment = segments[call.callSegment];
    return segment === undefined ? undefined : { segment: call.callSegment, ...segment.inner };
  };
  const callsOfTurn = new Map<number, number>();
  for (const { turn } of toolCalls) callsOfTurn.set(turn, (callsOfTurn.get(turn) ?? 0) + 1);
  for (const [i, call] of toolCalls.entries()) {
    const isOneOfSeveral = (callsOfTurn.get(call.turn) ?? 0) > 1;
    if (call.outcome === 'missing' && isOneOfSeveral) set('ignored_calls', at(call));
    const previous = toolCalls[i - 1];
    if (repeats[i] === true && previous !== undefined && TOOL_ERROR_OUTCOMES.has(previous.outcome))
      set('identical_retry', at(call));
  }
}

/** The last text before the cut-off. Undefined if nothing was written. */
function lastWords({ segments }: FlaggedRollout): ({ readonly segment: number } & TextRange) | undefined {
  const segment = segments.findLastIndex(({ inner }) => inner.end > inner.start);
  const inner = segments[segment]?.inner;
  if (inner === undefined) return undefined;
  return { segment, start: Math.max(inner.start, inner.end - LAST_CHARS), end: inner.end };
}

/** Repeated lines in the policy's text. The evidence is the first line that repeats. */
function repeatedLine({
  response,
  segments,
}: FlaggedRollout): ({ readonly segment: number } & TextRange) | undefined {
  if (response.length < LONG_CHARS) return undefined;
  const seen = new Lines(response);
  let chars = 0;
  let repeated = 0;
  let first: ({ readonly segment: number } & TextRange) | undefined;
  // Kept across segments. A search per segment is quadratic in a text without line feeds.
  let newline = -1;
  for (const [i, { kind, inner }] of segments.entries()) {
    if (kind !== 'reasoning' && kind !== 'text') continue;
    for (let start = inner.start; start < inner.end; ) {
      if (newline < start) newline = response.indexOf('\n', start);
      if (newline < 0) newline = response.length;
      const end = Math.min(newline, inner.end);
      chars += end - start;
      if (end - start >= LINE_CHARS && seen.has(start, end)) {
        repeated += end - start;
        first ??= { segment: i, start, end };
      }
      start = end + 1;
    }
  }
  return chars >= LONG_CHARS && repeated > REPEATED_SHARE * chars ? first : undefined;
}

/** Indexes lines by their beginnings. Most texts repeat none, so full lines are rarely compared. */
class Lines {
  private readonly text: string;
  private readonly byBeginning = new Map<string, number[]>();

  constructor(text: string) {
    this.text = text;
  }

  /** Whether the line was added before. Adds it. */
  has(start: number, end: number): boolean {
    const beginning = this.text.slice(start, Math.min(end, start + 2 * LINE_CHARS));
    const places = this.byBeginning.get(beginning);
    if (places === undefined) {
      this.byBeginning.set(beginning, [start, end]);
      return false;
    }
    const line = this.text.slice(start, end);
    for (let i = 0; i < places.length; i += 2) {
      const from = places[i] ?? 0;
      if ((places[i + 1] ?? 0) - from === line.length && this.text.startsWith(line, from)) return true;
    }
    // Bounds the work for a text that repeats beginnings but not whole lines.
    if (places.length < 64) places.push(start, end);
    return false;
  }
}
