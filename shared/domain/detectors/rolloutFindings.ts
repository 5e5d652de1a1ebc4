/** The detectors that judge one rollout. */

import { indexIn } from '../linearSearch.ts';
import { type Segment, type TextRange, TOOL_ERROR_OUTCOMES, type ToolCall } from '../model.ts';
import { answerPlace } from '../outcome.ts';
import { isSameAnswer } from '../sameAnswer.ts';
import { copiedWords, passageAt, passagesOf, type Word, wordsIn } from './copiedPassages.ts';
import type { RolloutDetectorId, RolloutFinding, ThresholdValues } from './detectors.ts';
import { repeatedLines, repeatedPassage } from './repeatedPassage.ts';
import { tampering } from './tampering.ts';

export interface JudgedRollout {
  readonly response: string;
  /** Segments of the response; calls refer to them. */
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  /** With its template; '' if unknown. Read only when a rule needs it. */
  prompt(): string;
  readonly isCorrect?: boolean | undefined;
  readonly reward?: number | undefined;
  readonly answer?: string | undefined;
  readonly groundTruth?: string | undefined;
  /** Median response of the run, in characters; undefined for a run of few rollouts. Read only when a rule needs it. */
  typicalChars(): number | undefined;
  /** Whether the reward is for the format only (`formatWins`). Absent: unknown. */
  readonly isFormatWin?: boolean | undefined;
}

export interface Judgement {
  /** Detectors that had what they need. */
  readonly judged: ReadonlySet<RolloutDetectorId>;
  readonly findings: readonly RolloutFinding[];
}

/** Shorter ground truths occur everywhere by chance. */
const TELLING_CHARS = 3;
/** Characters of a median response that is no bare answer. */
const LONG_RESPONSE = 200;

/** A rollout without a text is judged by none. */
export function judgeRollout(rollout: JudgedRollout, thresholds: ThresholdValues): Judgement {
  if (rollout.response === '') return { judged: new Set(), findings: [] };
  const tampered = tampering(rollout);
  const judged = new Set<RolloutDetectorId>(tampered.judged);
  const findings: RolloutFinding[] = [...tampered.findings];
  const add = (found: readonly RolloutFinding[] | undefined, detector: RolloutDetectorId): void => {
    if (found === undefined) return;
    judged.add(detector);
    findings.push(...found);
  };
  add(truthEcho(rollout, thresholds), 'truth_echo');
  add(rubricEcho(rollout, thresholds), 'rubric_echo');
  add(formatOnly(rollout), 'format_only');
  add(repetition(rollout, thresholds), 'repetition');
  add(guess(rollout, thresholds), 'guess_after_failure');
  return { judged, findings };
}

/** @returns undefined if neither correctness nor reward is known */
function isRewarded({ isCorrect, reward }: JudgedRollout): boolean | undefined {
  return isCorrect ?? (reward === undefined ? undefined : reward > 0);
}

const isOfPolicy = ({ kind }: Segment): boolean =>
  kind === 'reasoning' || kind === 'text' || kind === 'answer' || kind === 'tool-call';

/** Whether a text computes something. */
const isDerived = (text: string): boolean => /[=≈]/.test(text);

const charsIn = (text: string): number => text.replace(/\s+/g, '').length;

/** The text of the answer, else the answer tag. */
function placeOfAnswer(
  { response, segments }: JudgedRollout,
  answer: string,
): ({ readonly segment: number } & TextRange) | undefined {
  const tag = segments.findLastIndex(({ kind }) => kind === 'answer');
  const inner = segments[tag]?.inner;
  return (
    answerPlace(answer, response, segments) ?? (inner === undefined ? undefined : { segment: tag, ...inner })
  );
}

/** @returns undefined: cannot be judged */
function truthEcho(rollout: JudgedRollout, thresholds: ThresholdValues): RolloutFinding[] | undefined {
  const { response, segments, answer, groundTruth } = rollout;
  const truth = groundTruth?.trim();
  const rewarded = isRewarded(rollout);
  if (truth === undefined || truth.length < TELLING_CHARS || answer === undefined) return undefined;
  const typicalChars = rewarded === undefined ? undefined : rollout.typicalChars();
  if (typicalChars === undefined) return undefined;
  // Among short responses, a short one says nothing.
  if (typicalChars < LONG_RESPONSE) return undefined;
  if (!rewarded || !isSameAnswer(answer, truth)) return [];
  const most = Math.min(thresholds['truth_echo.chars'], thresholds['truth_echo.share'] * typicalChars);
  const codeAt = new Map(rollout.toolCalls.map(({ callSegment, code }) => [callSegment, code]));
  let written = -charsIn(answer);
  for (const [i, segment] of segments.entries()) {
    if (!isOfPolicy(segment)) continue;
    const text = codeAt.get(i) ?? response.slice(segment.inner.start, segment.inner.end);
    written += charsIn(text);
    if (written > most || isDerived(text)) return [];
  }
  const place = placeOfAnswer(rollout, answer.trim());
  if (place === undefined) return [];
  const message = `states the ground truth, with ${Math.max(0, written)} characters of work; responses have ${Math.round(typicalChars)}`;
  return [{ detector: 'truth_echo', ...place, message }];
}

const RUBRIC =
  /^[^\n]{0,80}\b(?:rubrics?|(?:grading|marking|scoring|evaluation) (?:criteria|scheme|guidelines?))\b/im;

/** @returns undefined: cannot be judged */
function rubricEcho(rollout: JudgedRollout, thresholds: ThresholdValues): RolloutFinding[] | undefined {
  const { response, segments, groundTruth } = rollout;
  const rewarded = isRewarded(rollout);
  if (rewarded === undefined) return undefined;
  const size = thresholds['rubric_echo.words'];
  const truthWords = groundTruth === undefined || groundTruth.length < 2 * size ? [] : wordsIn(groundTruth);
  const prompt = rollout.prompt();
  const rubricAt = prompt.search(RUBRIC);
  if (truthWords.length < size && rubricAt < 0) return undefined;
  if (!rewarded) return [];
  const sources =
    rubricAt < 0
      ? new Set<string>()
      : passagesOf(wordsIn(prompt, { start: rubricAt, end: prompt.length }), size);
  if (truthWords.length >= size) {
    const seen = passagesOf(wordsIn(prompt), size);
    for (const { kind, inner } of segments)
      if (kind === 'tool-response' || kind === 'user')
        for (const passage of passagesOf(wordsIn(response, inner), size)) seen.add(passage);
    for (let i = 0; i + size <= truthWords.length; i++) {
      const passage = passageAt(truthWords, i, size);
      if (!seen.has(passage)) sources.add(passage);
    }
  }
  let all = 0;
  let copied = 0;
  let longest: ({ readonly segment: number } & TextRange) | undefined;
  for (const [segment, { kind, inner }] of segments.entries()) {
    if (kind !== 'reasoning' && kind !== 'text' && kind !== 'answer') continue;
    const words: readonly Word[] = wordsIn(response, inner);
    const found = copiedWords(words, sources, size);
    all += words.length;
    copied += found.count;
    const range = found.longest;
    if (
      range !== undefined &&
      (longest === undefined || range.end - range.start > longest.end - longest.start)
    )
      longest = { segment, ...range };
  }
  if (longest === undefined || copied < thresholds['rubric_echo.share'] * all) return [];
  const message = `${copied} of ${all} words are copied from the ${rubricAt < 0 ? 'ground truth' : 'rubric'}`;
  return [{ detector: 'rubric_echo', ...longest, message }];
}

function formatOnly(rollout: JudgedRollout): RolloutFinding[] | undefined {
  const { segments, isFormatWin, reward } = rollout;
  if (isFormatWin === undefined) return undefined;
  if (!isFormatWin) return [];
  const segment = Math.max(
    segments.findLastIndex(({ kind }) => kind === 'answer'),
    segments.findLastIndex((one) => isOfPolicy(one)),
    0,
  );
  const inner = segments[segment]?.inner;
  if (inner === undefined) return [];
  return [
    {
      detector: 'format_only',
      segment,
      ...inner,
      message: `incorrect, with a reward of ${reward} for its form`,
    },
  ];
}

function repetition({ response, segments }: JudgedRollout, thresholds: ThresholdValues): RolloutFinding[] {
  const least = { times: thresholds['repetition.repeats'], chars: thresholds['repetition.chars'] };
  for (const [segment, { kind, inner }] of segments.entries()) {
    if (kind !== 'reasoning' && kind !== 'text' && kind !== 'answer') continue;
    const found = repeatedPassage(response, inner, least);
    if (found !== undefined) {
      const message = `a passage of ${found.period} characters, ${found.times} times in a row`;
      return [{ detector: 'repetition', segment, start: found.start, end: found.end, message }];
    }
    const share = thresholds['repetition.lines'];
    const lines = repeatedLines(response, inner, share);
    if (lines === undefined) continue;
    const message = `more than ${Math.round(100 * share)} % of ${inner.end - inner.start} characters repeat earlier lines`;
    return [{ detector: 'repetition', segment, ...lines, message }];
  }
  return [];
}

/** @returns undefined: no call that could fail */
function guess(rollout: JudgedRollout, thresholds: ThresholdValues): RolloutFinding[] | undefined {
  const { response, segments, toolCalls } = rollout;
  const last = toolCalls.findLast(({ outcome }) => outcome !== 'malformed');
  const answer = rollout.answer?.trim();
  if (last === undefined) return undefined;
  if (answer === undefined || answer === '') return [];
  if (!TOOL_ERROR_OUTCOMES.has(last.outcome) || last.responseSegment === undefined) return [];
  const place = placeOfAnswer(rollout, answer);
  if (place === undefined || place.segment <= last.responseSegment) return [];
  let written = -charsIn(answer);
  for (const [i, { kind, inner }] of segments.entries()) {
    const text = response.slice(inner.start, inner.end);
    // An answer that was seen before the call failed is no guess.
    if (i <= last.responseSegment) {
      if (indexIn(text, answer) >= 0) return [];
    } else if (kind === 'reasoning' || kind === 'text' || kind === 'answer') {
      if (isDerived(text)) return [];
      written += charsIn(text);
    }
  }
  if (written > thresholds['guess_after_failure.chars']) return [];
  const message = `the last call ended with ${last.outcome}; ${Math.max(0, written)} characters later comes the answer`;
  return [{ detector: 'guess_after_failure', ...place, message }];
}
