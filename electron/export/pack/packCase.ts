/** One rollout of a pack with the data that any format needs, and texts that all formats share. */
import type { AnnotationRow, ReviewMark, RolloutFlag } from '../../../shared/api/contract.ts';
import type { Taxonomy } from '../../../shared/domain/annotate/taxonomy.ts';
import type { RunKind, ToolOutcome } from '../../../shared/domain/model.ts';
import { TOOL_ERROR_OUTCOMES } from '../../../shared/domain/model.ts';
import { tryParseJson } from '../../../shared/domain/parseJson.ts';
import { problemName } from '../../../shared/domain/question.ts';
import { readCallPayload } from '../../../shared/domain/toolCallPayload.ts';
import { reasonText } from '../../../shared/domain/words.ts';
import { isObject, type JsonObject } from '../../../shared/format/fields.ts';
import { CONTEXT_FIELD, redactedByTurn } from '../../../shared/format/loggedContext.ts';
import type { ExportedCall, ExportedRollout, ExportedSegment } from '../../storage/queries/exported.ts';

export interface PackRun {
  /** The run id in the log. */
  readonly id: string;
  /** The run key in the library; equal to `id` if it follows from that. */
  readonly key: string;
  readonly name: string;
  readonly kind: RunKind;
  readonly hasSteps: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly stages: readonly {
    readonly fromStep: number;
    readonly name: string;
    readonly changes: Readonly<Record<string, unknown>>;
  }[];
}

export interface RawRecord {
  readonly path: string;
  readonly line: number;
  /** Absent: `missing` has the reason. */
  readonly text?: string;
  readonly missing?: string;
}

export interface PackCase {
  readonly isSibling: boolean;
  readonly run: PackRun;
  readonly rollout: ExportedRollout;
  readonly flags: readonly RolloutFlag[];
  /** Ordered by position, then by id. Empty for a sibling. */
  readonly annotations: readonly AnnotationRow[];
  readonly readings: readonly ReviewMark[];
  readonly raw?: RawRecord;
}

export type { Taxonomy };

/** A column of the case; undefined: unknown. */
export function factOf(one: PackCase, name: string): string | number | undefined {
  return one.rollout.row[name] ?? undefined;
}

export function textFact(one: PackCase, name: string): string | undefined {
  const value = one.rollout.row[name];
  return value === null || value === undefined ? undefined : String(value);
}

export function numberFact(one: PackCase, name: string): number | undefined {
  const value = one.rollout.row[name];
  return typeof value === 'number' ? value : undefined;
}

export function booleanFact(one: PackCase, name: 'is_correct' | 'kept'): boolean | undefined {
  const value = one.rollout.row[name];
  return typeof value === 'number' ? value === 1 : undefined;
}

/** Absent when the log has no steps. */
export function stepOf(one: PackCase): number | undefined {
  return one.run.hasSteps ? numberFact(one, 'step') : undefined;
}

/** `run / step 12 / group / #3`. */
export const addressText = (one: PackCase): string => placeText(one, textFact(one, 'group_key') ?? '');

/** The address, with the first words of the question if the group's key is a hash. */
export const caseName = (one: PackCase): string =>
  placeText(
    one,
    problemName(
      { problemId: textFact(one, 'group_key') ?? '', question: questionOf(one) },
      LONGEST_NAME_OF_GROUP,
    ),
  );

/** UTF-16 units. */
const LONGEST_NAME_OF_GROUP = 60;

function placeText(one: PackCase, group: string): string {
  const step = stepOf(one);
  return [
    one.run.name,
    ...(step === undefined ? [] : [`step ${step}`]),
    group,
    `#${numberFact(one, 'ordinal') ?? '?'}`,
  ].join(' / ');
}

/** The last user message of the prompt. */
export const questionOf = (one: PackCase): string =>
  problemParts(one).findLast(({ role }) => role === 'user')?.text ?? '';

export type Outcome = 'correct' | 'incorrect' | 'unknown';

export function outcomeOf(one: PackCase): Outcome {
  const isCorrect = booleanFact(one, 'is_correct');
  return isCorrect === undefined ? 'unknown' : isCorrect ? 'correct' : 'incorrect';
}

export const OUTCOME_GLYPH: Readonly<Record<Outcome, string>> = {
  correct: '✓',
  incorrect: '✕',
  unknown: '?',
};

/** Undefined: the log has no decision on it, as for every rollout of an evaluation. */
export function keptText(one: PackCase): 'kept' | 'discarded' | undefined {
  const kept = booleanFact(one, 'kept');
  return kept === undefined ? undefined : kept ? 'kept' : 'discarded';
}

/** Why the rollout was kept or discarded. */
export function whyText(one: PackCase): string | undefined {
  const reason = textFact(one, 'reason');
  return reason === undefined ? undefined : reasonText(reason);
}

type SourceFact = 'correct_source' | 'answer_source' | 'stop_reason_source';

export const isDerived = (one: PackCase, source: SourceFact): boolean => textFact(one, source) === 'derived';

/** ` (derived)` if Turnwise computed the value from the text, else an empty string. */
export const derivedText = (one: PackCase, source: SourceFact): string =>
  isDerived(one, source) ? ' (derived)' : '';

/** Characters of an answer in a one-line summary. */
const SHORT_ANSWER = 120;

/** A shortened answer with its length; the case shows it whole. Undefined: unknown. */
export function shortAnswer(one: PackCase): string | undefined {
  const answer = textFact(one, 'answer');
  if (answer === undefined || answer.length <= SHORT_ANSWER) return answer;
  const begin = answer.slice(0, SHORT_ANSWER).replace(/[\ud800-\udbff]$/, '');
  return `${begin}… ${counted(answer.length, 'character')}`;
}

/**
 * For example `✕ incorrect · answer 42, truth 104 · reward 0 · discarded (reason) · stopped by answer (derived)`.
 *
 * @param answer the printed answer; default: the whole answer
 */
export function outcomeText(one: PackCase, answer = textFact(one, 'answer')): readonly string[] {
  const outcome = outcomeOf(one);
  const truth = textFact(one, 'ground_truth');
  const [reward, reason, stop] = [numberFact(one, 'reward'), whyText(one), textFact(one, 'stop_reason')];
  const kept = keptText(one);
  return [
    `${OUTCOME_GLYPH[outcome]} ${outcome === 'unknown' ? 'correctness unknown' : `${outcome}${derivedText(one, 'correct_source')}`}`,
    answer === undefined ? 'answer (none known)' : `answer ${answer}${derivedText(one, 'answer_source')}`,
    ...(truth === undefined ? [] : [`ground truth ${truth}`]),
    ...(reward === undefined ? [] : [`reward ${reward}`]),
    ...(kept === undefined ? [] : [reason === undefined ? kept : `${kept} (${reason})`]),
    ...(stop === undefined ? [] : [`stopped by ${stop}${derivedText(one, 'stop_reason_source')}`]),
  ];
}

/** A segment with its text, and its call if it has one. */
export interface CaseSegment {
  readonly index: number;
  readonly segment: ExportedSegment;
  readonly call?: CaseCall;
  /** The call that this segment responds to. */
  readonly answers?: CaseCall;
}

interface CaseCall extends ExportedCall {
  readonly isError: boolean;
  readonly code?: string;
}

export interface CaseTurn {
  readonly turn: number;
  readonly segments: readonly CaseSegment[];
  readonly calls: readonly CaseCall[];
  /** Says that a provider withheld reasoning of this turn. Empty: none. */
  readonly redacted: string;
}

/** The turns of the response in order, with their segments and calls. */
export function turnsOf({ rollout }: PackCase): readonly CaseTurn[] {
  const calls = rollout.calls.map((call): CaseCall => {
    const segment = rollout.segments[call.call];
    const payload =
      segment === undefined
        ? undefined
        : readCallPayload(rollout.response.slice(segment.inner_start, segment.inner_end));
    const isError = TOOL_ERROR_OUTCOMES.has(call.outcome as ToolOutcome);
    return { ...call, isError, ...(payload?.code === undefined ? {} : { code: payload.code }) };
  });
  const byCall = new Map(calls.map((call) => [call.call, call]));
  const byResponse = new Map(
    calls.flatMap((call) => (call.response === null ? [] : [[call.response, call]])),
  );
  const turns = new Map<number, { segments: CaseSegment[]; calls: CaseCall[] }>();
  rollout.segments.forEach((segment, index) => {
    const turn = turns.get(segment.turn) ?? { segments: [], calls: [] };
    turns.set(segment.turn, turn);
    const call = byCall.get(index);
    const answers = byResponse.get(index);
    if (call !== undefined) turn.calls.push(call);
    turn.segments.push({
      index,
      segment,
      ...(call === undefined ? {} : { call }),
      ...(answers === undefined ? {} : { answers }),
    });
  });
  const redacted = redactedByTurn(extraIn(rollout));
  return [...turns]
    .sort(([a], [b]) => a - b)
    .map(([turn, parts]) => ({ turn, ...parts, redacted: redactedText(redacted.get(turn)?.length ?? 0) }));
}

function extraIn({ extra }: ExportedRollout): JsonObject {
  // Most rollouts have no withheld reasoning, and their extra fields may be large.
  if (!extra.includes(`"${CONTEXT_FIELD}"`)) return {};
  const parsed = tryParseJson(extra);
  return isObject(parsed) ? parsed : {};
}

function redactedText(parts: number): string {
  return parts === 0 ? '' : `reasoning redacted: ${counted(parts, 'part')} withheld by the provider`;
}

export function innerText(text: string, segment: ExportedSegment): string {
  return text.slice(segment.inner_start, segment.inner_end);
}

/** The parts of the prompt without its template, in order. */
export function problemParts({
  rollout,
}: PackCase): readonly { readonly role: string; readonly text: string }[] {
  const parts = rollout.promptSegments
    .map((segment) => ({
      role: segment.kind === 'system' ? 'system' : 'user',
      text: innerText(rollout.prompt, segment),
    }))
    .filter(({ text }) => text.trim() !== '');
  return parts.length > 0 ? parts : [{ role: 'user', text: rollout.prompt }];
}

/** Describes the position of an annotation. */
export function targetText({ target, place }: AnnotationRow): string {
  const state = place?.state === undefined || place.state === 'exact' ? '' : ` (${place.state})`;
  switch (target.kind) {
    case 'rollout':
      return `rollout${state}`;
    case 'turn':
      return target.turn === 0 ? `prompt${state}` : `turn ${target.turn}${state}`;
    case 'segment':
      return `segment ${target.segment}${state}`;
    case 'span':
      return `text of the ${target.anchor.text}${state}`;
  }
}

export const labelName = (taxonomy: Taxonomy, id: string): string =>
  taxonomy.labels.find((label) => label.id === id)?.name ?? id;

/** Distinct labels of a case, in taxonomy order, then others by id. */
export function labelsOf(one: PackCase, taxonomy: Taxonomy): readonly string[] {
  const given = new Set(one.annotations.flatMap(({ label }) => label ?? []));
  const known = taxonomy.labels.map(({ id }) => id).filter((id) => given.has(id));
  return [...known, ...[...given].filter((id) => !known.includes(id)).sort()];
}

export const counted = (n: number, word: string): string =>
  `${n.toLocaleString('en')} ${n === 1 ? word : `${word}s`}`;
