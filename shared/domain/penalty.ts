/**
 * Computes the two penalties of a rollout in two ways (the third is "as logged"), and compares them.
 *
 *   text   the release's scorers on the text: `calc_error_ratio_penalty_weights` and
 *          `calc_format_penalty_weights` of `rstar2_agent/down_sample/roc.py`
 *          (shared/domain/DOMAIN.md#by-the-releases-text-rules, blind spots included)
 *   typed  the paper's formula on typed tool outcomes and real turns (shared/domain/DOMAIN.md#by-typed-outcomes)
 *
 * Both run once per rollout at ingest: one pass over the text, and a pattern only on tool responses.
 */
import { type Segment, type StopReason, TOOL_ERROR_OUTCOMES, type ToolCall, type Turn } from './model.ts';

/** The parts of a rollout that penalties are computed from. Every parsed rollout fits. */
export interface PenaltyInput {
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly turns: readonly Turn[];
  readonly toolCalls: readonly ToolCall[];
  readonly stopReason?: StopReason;
}

/** @param rollout with the segments of prompt and response in one list, as the library answers it */
export function penaltyInputOf({ segments, toolCalls, ...rollout }: PenaltyInput): PenaltyInput {
  const first = segments.findIndex(({ turn }) => turn > 0);
  const offset = first < 0 ? segments.length : first;
  return {
    ...rollout,
    segments: segments.slice(offset),
    toolCalls: toolCalls.map(({ callSegment, responseSegment, ...call }) => ({
      ...call,
      callSegment: callSegment - offset,
      ...(responseSegment === undefined ? {} : { responseSegment: responseSegment - offset }),
    })),
  };
}

export interface Penalties {
  /** Share of failed tool calls, 0 … 1; 0.5 without any. */
  readonly pErr: number;
  /** 0 for one answer, 1 for none or a malformed one, in between for several. */
  readonly pFormat: number;
}

export interface TextPenalties extends Penalties {
  /** `reconstructed`: the text lacks special tokens, so the release's input was rebuilt. */
  readonly source: 'text' | 'reconstructed';
}

export interface PenaltyWeights {
  readonly roc_error_ratio: boolean;
  readonly roc_answer_format: boolean;
  readonly length_weight: number;
  readonly repetition_weight: number;
}

export interface PenaltyParts {
  readonly pErr: number | undefined;
  readonly pFormat: number | undefined;
  /** In the unit of `length_weight`, which the what-if chooses. */
  readonly length?: number;
  readonly repetition?: number;
}

/**
 * The rank key of positives: the enabled parts, plus the what-if's extras by weight. undefined if an enabled
 * part is unknown; 0 if none is enabled.
 */
export function penaltyOf(row: PenaltyParts, weights: PenaltyWeights): number | undefined {
  let penalty = 0;
  // Added in the release's order, so that floating-point ties match the release's.
  if (weights.roc_error_ratio) penalty += row.pErr ?? Number.NaN;
  if (weights.roc_answer_format) penalty += row.pFormat ?? Number.NaN;
  if (weights.length_weight !== 0) penalty += weights.length_weight * (row.length ?? Number.NaN);
  if (weights.repetition_weight !== 0) penalty += weights.repetition_weight * (row.repetition ?? Number.NaN);
  return Number.isNaN(penalty) ? undefined : penalty;
}

// ── the release's rules on the text ─────────────────────────────────────────────────────────────

const RESPONSE_OPEN = '<tool_response>';
const RESPONSE_CLOSE = '</tool_response>';
const ANSWER_OPEN = '<answer>';
const ANSWER_CLOSE = '</answer>';
const MESSAGE_OPEN = '<|im_start|>';
const MESSAGE_CLOSE = '<|im_end|>';
const TURN_OPEN = `${MESSAGE_OPEN}assistant`;
/** The scorer's entire definition of an error. */
const ERROR = /error/i;

/**
 * Penalties by the release's rules. If the text has its special tokens, the rules run on it unchanged. They
 * may be stripped (verl dumps, shared/domain/DOMAIN.md#transcripts) or missing (message logs); the turn
 * pattern then cannot match, so its counts are reconstructed. The first assistant tag is in the prompt
 * (shared/domain/DOMAIN.md#prompt-template). Every later turn is one match, except a last one cut off by the
 * length limit, which has no `<|im_end|>`. Tool responses are the tagged blocks of the text or, without tags,
 * the tool-response segments.
 */
export function textPenalties(rollout: PenaltyInput): TextPenalties {
  const tags = readTags(rollout.response);
  const isText = tags.hasSpecialTokens;
  const errors = isText || hasTaggedResponses(rollout) ? tags : segmentBlocks(rollout);
  return {
    pErr: errors.blocks === 0 ? 0.5 : errors.failed / errors.blocks,
    pFormat: formatOf(tags, isText ? tags.turns : laterTurns(rollout)),
    source: isText ? 'text' : 'reconstructed',
  };
}

interface Blocks {
  blocks: number;
  failed: number;
}

interface Tags extends Blocks {
  hasSpecialTokens: boolean;
  answersOpened: number;
  answersClosed: number;
  answerPairs: number;
  /** `<|im_start|>assistant … <|im_end|>` */
  turns: number;
}

/**
 * Counts everything that the scorers' patterns match, in one pass. Each pattern is an opening tag, the
 * shortest text, and a closing tag. So an opening tag counts if it is closed and no earlier one is open.
 */
function readTags(text: string): Tags {
  const tags: Tags = {
    blocks: 0,
    failed: 0,
    hasSpecialTokens: false,
    answersOpened: 0,
    answersClosed: 0,
    answerPairs: 0,
    turns: 0,
  };
  let openBlock = -1;
  let isAnswerOpen = false;
  let isTurnOpen = false;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    switch (text.charCodeAt(at + 1)) {
      case 0x74: // t
        if (openBlock < 0 && text.startsWith(RESPONSE_OPEN, at)) openBlock = at;
        break;
      case 0x61: // a
        if (!text.startsWith(ANSWER_OPEN, at)) break;
        tags.answersOpened++;
        isAnswerOpen = true;
        break;
      case 0x7c: // |
        if (text.startsWith(MESSAGE_CLOSE, at)) {
          tags.hasSpecialTokens = true;
          if (isTurnOpen) tags.turns++;
          isTurnOpen = false;
        } else if (text.startsWith(MESSAGE_OPEN, at)) {
          tags.hasSpecialTokens = true;
          isTurnOpen ||= text.startsWith(TURN_OPEN, at);
        }
        break;
      case 0x2f: // /
        if (text.startsWith(ANSWER_CLOSE, at)) {
          tags.answersClosed++;
          if (isAnswerOpen) tags.answerPairs++;
          isAnswerOpen = false;
        } else if (openBlock >= 0 && text.startsWith(RESPONSE_CLOSE, at)) {
          tags.blocks++;
          if (ERROR.test(text.slice(openBlock, at))) tags.failed++;
          openBlock = -1;
        }
        break;
    }
  }
  return tags;
}

/** Whether the text contains the template's tags. A tool may print them, too. */
function hasTaggedResponses({ response, segments }: PenaltyInput): boolean {
  const first = segments.find(({ kind }) => kind === 'tool-response');
  return first === undefined || response.slice(first.outer.start, first.inner.start).includes(RESPONSE_OPEN);
}

function segmentBlocks({ response, segments }: PenaltyInput): Blocks {
  let blocks = 0;
  let failed = 0;
  for (const { kind, inner } of segments) {
    if (kind !== 'tool-response') continue;
    blocks++;
    if (ERROR.test(response.slice(inner.start, inner.end))) failed++;
  }
  return { blocks, failed };
}

const laterTurns = ({ turns, stopReason }: PenaltyInput): number =>
  Math.max(0, turns.length - 1 - (stopReason === 'length' ? 1 : 0));

function formatOf({ answersOpened, answersClosed, answerPairs }: Tags, turns: number): number {
  if (answerPairs === 0 || answersOpened !== answerPairs || answersClosed !== answerPairs) return 1;
  return turns === 0 ? 1 : Math.min((answerPairs - 1) / turns, 1);
}

// ── the paper's formula on typed outcomes ───────────────────────────────────────────────────────

/**
 * `pErr`: calls with an outcome in `TOOL_ERROR_OUTCOMES` divided by calls with a known outcome; 0.5 if there
 * are none. A call without a response (`missing`) is in neither count: it was ignored or ended the rollout,
 * so it neither failed nor succeeded. The same holds for a malformed call that nothing answered.
 *
 * `pFormat`: (answers − 1) / turns, counting every assistant turn; at most 1; 1 without an answer. Answers
 * are answer segments, else tag pairs in the policy's text; never tool output.
 */
export function typedPenalties(rollout: PenaltyInput): Penalties {
  let calls = 0;
  let failed = 0;
  for (const { outcome } of rollout.toolCalls) {
    if (outcome === 'missing' || outcome === 'malformed') continue;
    calls++;
    if (TOOL_ERROR_OUTCOMES.has(outcome)) failed++;
  }
  const answers = answersOf(rollout);
  return {
    pErr: calls === 0 ? 0.5 : failed / calls,
    pFormat: answers === 0 ? 1 : Math.min(1, (answers - 1) / Math.max(1, rollout.turns.length)),
  };
}

function answersOf({ response, segments }: PenaltyInput): number {
  let answers = 0;
  for (const { kind } of segments) if (kind === 'answer') answers++;
  if (answers > 0 || !response.includes(ANSWER_CLOSE)) return answers;
  for (const { kind, outer } of segments) {
    if (kind !== 'text' && kind !== 'reasoning') continue;
    answers += readTags(response.slice(outer.start, outer.end)).answerPairs;
  }
  return answers;
}

// ── differences ─────────────────────────────────────────────────────────────────────────────────

const DISAGREEMENT_CAUSES = [
  'timeout_counted_clean',
  'parse_failure_counted_clean',
  'infra_counted_clean',
  'exception_without_error',
  'error_cut_out',
  'failure_counted_clean',
  'error_in_success',
  'single_turn',
  'first_turn_not_counted',
  'last_turn_cut',
  'answer_tags',
  'rounding',
  'logged_is_typed',
  'stripped_tokens',
  'rebuilt_text',
  'unexplained',
] as const;
export type DisagreementCause = (typeof DISAGREEMENT_CAUSES)[number];

interface LikelyCause {
  readonly code: DisagreementCause;
  readonly sentence: string;
}

export interface Disagreement {
  readonly part: keyof Penalties;
  readonly between: readonly ['logged', 'text'] | readonly ['text', 'typed'];
  readonly values: readonly [number, number];
  /** At least one. Several if several responses were scored differently. */
  readonly causes: readonly LikelyCause[];
}

export interface PenaltyWays {
  /** Absent, or with a part unknown: not compared. */
  readonly logged?: { readonly pErr?: number; readonly pFormat?: number };
  readonly text: TextPenalties;
  readonly typed: Penalties;
}

const TOLERANCE = 1e-6;
const differ = (a: number, b: number): boolean => Math.abs(a - b) > TOLERANCE;

/**
 * Differences of more than 1e-6 between logged and text, and text and typed, per part. Causes are inferred
 * from tool outcomes and the response, so they are likely but unproven.
 */
export function disagreements(ways: PenaltyWays, rollout: PenaltyInput): readonly Disagreement[] {
  const { logged, text, typed } = ways;
  const found: Disagreement[] = [];
  for (const part of ['pErr', 'pFormat'] as const) {
    const said = logged?.[part];
    if (said !== undefined && differ(said, text[part])) {
      const causes = [causeOfLogged(part, said, ways)];
      found.push({ part, between: ['logged', 'text'], values: [said, text[part]], causes });
    }
    if (differ(text[part], typed[part])) {
      const causes = part === 'pErr' ? causesOfErrors(rollout) : [causeOfFormat(rollout)];
      found.push({ part, between: ['text', 'typed'], values: [text[part], typed[part]], causes });
    }
  }
  return found;
}

function causeOfLogged(part: keyof Penalties, said: number, { text, typed }: PenaltyWays): LikelyCause {
  const decimals = /^\d+\.(\d{2,})$/.exec(String(said))?.[1]?.length;
  if (decimals !== undefined && Number(text[part].toFixed(decimals)) === said) {
    return { code: 'rounding', sentence: `The log rounds to ${decimals} decimals.` };
  }
  if (!differ(said, typed[part])) {
    return { code: 'logged_is_typed', sentence: 'The logged value is that of the tool outcomes.' };
  }
  if (text.source === 'text') {
    return { code: 'unexplained', sentence: 'The release’s rules give another value on this text.' };
  }
  return part === 'pFormat' && said === 1
    ? {
        code: 'stripped_tokens',
        sentence: 'Logged 1: on text without special tokens the turn pattern cannot match.',
      }
    : { code: 'rebuilt_text', sentence: 'The text the trainer scored is not in the log; it was rebuilt.' };
}

/** verl truncates long responses in the middle, which may have removed the word. */
const CUT = '...(truncated)...';

function causesOfErrors(rollout: PenaltyInput): readonly LikelyCause[] {
  const counts = new Map<DisagreementCause, number>();
  for (const call of rollout.toolCalls) {
    const code = causeOfCall(call, rollout);
    if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  if (counts.size === 0) {
    return [{ code: 'unexplained', sentence: 'Tool responses and tool calls do not pair up.' }];
  }
  return [...counts].map(([code, count]) => ({
    code,
    sentence: `${count} ${count === 1 ? 'call' : 'calls'}: ${CALL_SENTENCES[code] ?? ''}`,
  }));
}

const CALL_SENTENCES: Partial<Record<DisagreementCause, string>> = {
  timeout_counted_clean: 'a timeout, whose text has no “error”, counted as clean.',
  parse_failure_counted_clean:
    'a call that could not be parsed, whose answer has no “error”, counted as clean.',
  infra_counted_clean: 'an infrastructure failure, whose text has no “error”, counted as clean.',
  exception_without_error: 'an exception whose class has no “Error” in its name, counted as clean.',
  error_cut_out: 'an exception whose “error” was cut out of the shortened response, counted as clean.',
  failure_counted_clean: 'a failure that is not called “error”, counted as clean.',
  error_in_success: 'a successful output that prints “error”, counted as an error.',
};

function causeOfCall(call: ToolCall, { response, segments }: PenaltyInput): DisagreementCause | undefined {
  const { outcome, responseSegment } = call;
  const inner = responseSegment === undefined ? undefined : segments[responseSegment]?.inner;
  if (inner === undefined) return undefined;
  const body = response.slice(inner.start, inner.end);
  const saysError = ERROR.test(body);
  if (saysError === TOOL_ERROR_OUTCOMES.has(outcome)) return undefined;
  if (saysError) return 'error_in_success';
  switch (outcome) {
    case 'timeout':
      return 'timeout_counted_clean';
    case 'parse_error':
      return 'parse_failure_counted_clean';
    case 'infra':
      return 'infra_counted_clean';
    case 'exception':
      return body.includes(CUT) ? 'error_cut_out' : 'exception_without_error';
    default:
      return 'failure_counted_clean';
  }
}

function causeOfFormat(rollout: PenaltyInput): LikelyCause {
  const { answersOpened: opens, answersClosed: closes, answerPairs: pairs } = readTags(rollout.response);
  const answers = answersOf(rollout);
  if (opens !== closes || pairs !== opens || pairs !== answers) {
    return {
      code: 'answer_tags',
      sentence: `The text has ${opens} opening and ${closes} closing answer tags, ${pairs} paired; the policy gave ${answers} ${answers === 1 ? 'answer' : 'answers'}.`,
    };
  }
  const turns = rollout.turns.length;
  if (turns <= 1) {
    return {
      code: 'single_turn',
      sentence: 'A single turn: its opening tag is in the prompt, so the release counts no turn and gives 1.',
    };
  }
  if (rollout.stopReason === 'length') {
    return {
      code: 'last_turn_cut',
      sentence: 'The last turn was cut off, so the release does not count it, nor the first.',
    };
  }
  return {
    code: 'first_turn_not_counted',
    sentence: `The release counts ${turns - 1} of ${turns} turns: the tag of the first is in the prompt.`,
  };
}
