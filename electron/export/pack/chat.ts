/**
 * Writes a pack as training conversations, one JSON object per line:
 * `{"messages":[{"role","content"},…],"meta":{…}}`.
 *
 *   system, user        parts of the prompt, and messages inserted later
 *   assistant           text of the policy with its tags and calls, which is the training target
 *   tool                a tool response without its markup
 *
 * Correct rollouts that were not discarded are written unchanged. Other rollouts need a suggested
 * correction, or are skipped and counted. A correction of a span or segment replaces it. A correction of a
 * turn ends the conversation with that turn. A correction of the rollout replaces the whole response.
 */
import type { AnnotationRow, Conversations } from '../../../shared/api/contract.ts';
import type { ExportedSegment } from '../../storage/queries/exported.ts';
import { booleanFact, factOf, type PackCase, stepOf, textFact } from './packCase.ts';

type Role = 'system' | 'user' | 'assistant' | 'tool';

interface Message {
  readonly role: Role;
  readonly content: string;
}

/** Mutable `Conversations`. */
export interface ChatCounts {
  asTheyAre: number;
  corrected: number;
  readonly leftOut: Record<keyof Conversations['leftOut'], number>;
}

export const noConversations = (): ChatCounts => ({
  asTheyAre: 0,
  corrected: 0,
  leftOut: { incorrect: 0, correctness_unknown: 0, discarded: 0, no_text: 0 },
});

/** @returns a line, or '' if the rollout is skipped; updates the counts */
export function chatLine(one: PackCase, counts: ChatCounts): string {
  const corrections = one.annotations.filter(({ correction }) => correction !== undefined);
  const corrected = corrections.length === 0 ? undefined : correctedOf(one, corrections);
  if (corrected !== undefined) {
    counts.corrected++;
    return lineOf(one, corrected.messages, corrected.marks);
  }
  const answered = responseMessages(one, [], undefined);
  const reason = whyLeftOut(one, answered);
  if (reason === undefined) {
    counts.asTheyAre++;
    return lineOf(one, [...promptMessages(one), ...answered], undefined);
  }
  counts.leftOut[reason]++;
  return '';
}

function whyLeftOut(one: PackCase, answered: readonly Message[]): keyof Conversations['leftOut'] | undefined {
  const isCorrect = booleanFact(one, 'is_correct');
  if (isCorrect !== true) return isCorrect === false ? 'incorrect' : 'correctness_unknown';
  if (booleanFact(one, 'kept') === false) return 'discarded';
  // A log may have a verdict without a text. Such a rollout gives no training target.
  return answered.some(({ role }) => role === 'assistant') ? undefined : 'no_text';
}

interface Marks {
  readonly annotations: readonly string[];
  /** Turns of the policy, from 1; 0: the prompt. */
  readonly turns: readonly number[];
  /** Corrections whose text no longer exists, or that overlap or follow another correction. */
  readonly not_applied: readonly string[];
}

function lineOf(one: PackCase, messages: readonly Message[], corrected: Marks | undefined): string {
  const step = stepOf(one);
  const labels = [...new Set(one.annotations.flatMap(({ label }) => label ?? []))].sort();
  const meta = {
    run: one.run.key,
    ...(step === undefined ? {} : { step }),
    split: one.run.kind,
    group: textFact(one, 'group_key'),
    index: factOf(one, 'ordinal'),
    problem: textFact(one, 'problem_id'),
    is_correct: booleanFact(one, 'is_correct'),
    kept: booleanFact(one, 'kept'),
    reward: factOf(one, 'reward'),
    ...(one.isSibling ? { sibling: true } : {}),
    ...(labels.length === 0 ? {} : { labels }),
    ...(corrected === undefined ? {} : { corrected }),
  };
  return `${JSON.stringify({ messages, meta })}\n`;
}

interface Edit {
  readonly id: string;
  readonly text: 'prompt' | 'response';
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

function correctedOf(
  one: PackCase,
  corrections: readonly AnnotationRow[],
): { readonly messages: readonly Message[]; readonly marks: Marks } | undefined {
  const whole = corrections.find(({ target }) => target.kind === 'rollout');
  const rest = (applied: readonly string[]): readonly string[] =>
    corrections.map(({ id }) => id).filter((id) => !applied.includes(id));
  if (whole !== undefined) {
    const messages = [
      ...promptMessages(one),
      { role: 'assistant' as const, content: whole.correction ?? '' },
    ];
    return { messages, marks: { annotations: [whole.id], turns: [1], not_applied: rest([whole.id]) } };
  }
  const placed = corrections.filter(({ place }) => place?.start !== undefined);
  const [turn] = placed
    .flatMap((row) =>
      row.target.kind === 'turn' && row.target.turn > 0 ? [{ row, turn: row.target.turn }] : [],
    )
    .sort((a, b) => a.turn - b.turn);
  const edits = editsOf(one, placed, turn?.turn);
  if (turn === undefined && edits.length === 0) return undefined;
  const applied = [...edits.map(({ id }) => id), ...(turn === undefined ? [] : [turn.row.id])];
  const last = turn === undefined ? undefined : { turn: turn.turn, content: turn.row.correction ?? '' };
  const turns = new Set([
    ...edits.map((edit) => turnAt(one, edit)),
    ...(turn === undefined ? [] : [turn.turn]),
  ]);
  return {
    messages: [
      ...promptMessages(
        one,
        edits.filter(({ text }) => text === 'prompt'),
      ),
      ...responseMessages(
        one,
        edits.filter(({ text }) => text === 'response'),
        last,
      ),
    ],
    marks: {
      annotations: applied,
      turns: [...turns].sort((a, b) => a - b),
      not_applied: rest(applied),
    },
  };
}

/** In order, without overlaps, all before the turn that ends the conversation. */
function editsOf(one: PackCase, rows: readonly AnnotationRow[], until: number | undefined): readonly Edit[] {
  const end = one.rollout.segments.find(({ turn }) => until !== undefined && turn >= until)?.start;
  const edits = rows
    .flatMap(({ id, target, place, correction }): Edit[] => {
      if (target.kind === 'rollout' || (target.kind === 'turn' && target.turn > 0)) return [];
      const [start, stop] = [place?.start ?? 0, place?.end ?? 0];
      const { text } = target.anchor;
      const range = target.kind === 'segment' ? withinTags(one, text, start, stop) : { start, end: stop };
      return [{ id, text, ...range, to: correction ?? '' }];
    })
    .sort((a, b) => (a.text === b.text ? a.start - b.start || a.end - b.end : a.text === 'prompt' ? -1 : 1));
  const apart: Edit[] = [];
  for (const edit of edits) {
    const before = apart.at(-1);
    if (before !== undefined && before.text === edit.text && edit.start < before.end) continue;
    if (edit.text === 'response' && end !== undefined && edit.start >= end) continue;
    apart.push(edit);
  }
  return apart;
}

/** The range between the tags of a segment. The tags are kept. */
function withinTags({ rollout }: PackCase, text: Edit['text'], start: number, end: number) {
  const segments = text === 'prompt' ? rollout.promptSegments : rollout.segments;
  const segment = segments.find((each) => each.start === start && each.end === end);
  return segment === undefined ? { start, end } : { start: segment.inner_start, end: segment.inner_end };
}

function turnAt({ rollout }: PackCase, { text, start }: Edit): number {
  if (text === 'prompt') return 0;
  return rollout.segments.find((segment) => start < segment.end)?.turn ?? 1;
}

function promptMessages(one: PackCase, edits: readonly Edit[] = []): readonly Message[] {
  const { prompt, promptSegments } = one.rollout;
  if (promptSegments.length === 0)
    return joined([{ role: 'user', content: edited(prompt, edits, 0, prompt.length) }]);
  return joined(
    promptSegments.map(({ kind, inner_start: start, inner_end: end }) => ({
      role: kind === 'system' ? ('system' as const) : ('user' as const),
      content: edited(prompt, edits, start, end),
    })),
  );
}

/** @param last replaces this turn and ends the conversation */
function responseMessages(
  { rollout }: PackCase,
  edits: readonly Edit[],
  last: { readonly turn: number; readonly content: string } | undefined,
): readonly Message[] {
  const { response, segments } = rollout;
  const messages: { role: Role; content: string }[] = [];
  for (const segment of segments) {
    if (last !== undefined && segment.turn >= last.turn) break;
    const role = roleOf(segment);
    const isPolicy = role === 'assistant';
    const [start, end] = isPolicy ? [segment.start, segment.end] : [segment.inner_start, segment.inner_end];
    const content = edited(response, edits, start, end);
    const before = messages.at(-1);
    // Segments of one message are adjacent in the text.
    if (isPolicy && before?.role === 'assistant') before.content += content;
    else messages.push({ role, content });
  }
  const [first] = messages;
  if (first?.role === 'assistant') first.content = openedBy(rollout.prompt, first.content) + first.content;
  const converted = messages.map(({ role, content }) => ({
    role,
    content: role === 'assistant' ? content.replace(MESSAGE_START, '').replace(MESSAGE_END, '') : content,
  }));
  return joined(
    last === undefined ? converted : [...converted, { role: 'assistant', content: last.content }],
  );
}

/** A template writes a line end before a message and marks after it. */
const MESSAGE_START = /^\r?\n/;
const MESSAGE_END = /(?<!\s)\s*(?:<\|im_end\|>|<\|endoftext\|>)\s*$/;

/** A template may open the reasoning tag at the end of the prompt. The tag still belongs to the message. */
function openedBy(prompt: string, content: string): string {
  const tag = /(<reason>|<think>)\s*$/.exec(prompt);
  return tag === null || content.trimStart().startsWith(tag[1] ?? '') ? '' : tag[0];
}

function roleOf({ kind }: ExportedSegment): Role {
  switch (kind) {
    case 'system':
      return 'system';
    case 'user':
      return 'user';
    case 'tool-response':
      return 'tool';
    default:
      return 'assistant';
  }
}

function joined(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ content }) => content.trim() !== '');
}

/** A piece of text with its corrections. A correction belongs to the piece in which it begins. */
function edited(text: string, edits: readonly Edit[], start: number, end: number): string {
  let result = '';
  let at = start;
  for (const edit of edits) {
    if (edit.end <= start || edit.start >= end) continue;
    result += text.slice(at, Math.max(at, edit.start));
    if (edit.start >= start) result += edit.to;
    at = Math.max(at, Math.min(edit.end, end));
  }
  return result + text.slice(at, end);
}
