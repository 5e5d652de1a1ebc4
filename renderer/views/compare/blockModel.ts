/** The text that a segment shows, and how two paired segments are compared. */

import type { ComparedBlock } from '../../../shared/api/contract.ts';
import { type Edits, plainEdits } from '../../../shared/domain/alignText.ts';
import { type JsonChange, jsonDiff } from '../../../shared/domain/jsonDiff.ts';
import type { SegmentKind, TextRange } from '../../../shared/domain/model.ts';
import { indentedResponse, prettyArguments, type SegmentView } from '../../data/segmentViews.ts';
import { codePlaces, indentedPlaces } from '../../editor/codePlaces.ts';
import {
  type DisplayText,
  displayEdits,
  displayOffset,
  type Mark,
  sideMarks,
  type TextDiff,
} from './diffModel.ts';
import type { ShownBlock } from './rowModel.ts';

export interface Shown extends DisplayText {
  readonly form: 'code' | 'arguments' | 'output' | 'prose';
  /** Arguments of the call other than its code. */
  readonly others?: string;
  /** A response of JSON, which the log has in one line. */
  readonly isIndented?: true;
}

export const KIND_LABELS: Readonly<Record<SegmentKind, string>> = {
  reasoning: 'reasoning',
  text: 'text',
  'tool-call': 'tool call',
  'tool-response': 'tool response',
  answer: 'answer',
  user: 'user',
  system: 'system',
};

const literal = (view: SegmentView): DisplayText => ({ text: view.inner, base: view.segment.inner.start });

export function shownOf(view: SegmentView): Shown {
  const { call, segment, inner } = view;
  const { start: base } = segment.inner;
  if (segment.kind === 'tool-response') {
    const json = indentedResponse(view);
    return json === undefined
      ? { form: 'output', ...literal(view) }
      : { form: 'output', text: json, base, places: indentedPlaces(json, inner, base), isIndented: true };
  }
  if (segment.kind !== 'tool-call') return { form: 'prose', ...literal(view) };
  if (call?.code !== undefined) {
    const places = codePlaces(call.code, inner, base);
    const others = prettyArguments(call.arguments, ['code']);
    return { form: 'code', text: call.code, base, places, ...(others === undefined ? {} : { others }) };
  }
  const json = prettyArguments(call?.arguments);
  return json === undefined
    ? { form: 'output', ...literal(view) }
    : { form: 'arguments', text: json, base, places: [] };
}

/** Two paired segments, compared on their displayed texts. */
export interface Pair {
  readonly form: Shown['form'];
  /** Absent if they are compared by structure. */
  readonly diff?: TextDiff;
  /** For arguments: the JSON paths whose values differ. */
  readonly changes?: readonly JsonChange[];
}

const isPlaced = ({ text, places }: Shown): boolean =>
  places === undefined || places.length > 0 || text === '';

export function pairOf(a: SegmentView, b: SegmentView, edits: Edits): Pair {
  const [inA, inB] = [shownOf(a), shownOf(b)];
  const [argumentsA, argumentsB] = [a.call?.arguments, b.call?.arguments];
  if (argumentsA !== undefined && argumentsB !== undefined) {
    const all = jsonDiff(argumentsA, argumentsB);
    const isCode = inA.form === 'code' && inB.form === 'code';
    const changes = isCode ? all?.filter(({ path }) => path[0] !== 'code') : all;
    if (isCode && isPlaced(inA) && isPlaced(inB)) {
      const found = changes === undefined || changes.length === 0 ? {} : { changes };
      return { form: 'code', diff: displayEdits(inA, inB, edits), ...found };
    }
    if (changes !== undefined && !isCode) return { form: 'arguments', changes };
  }
  if (inA.isIndented && inB.isIndented && inA.text !== inB.text) {
    // The edits of the host are within the one line of the log.
    const byLines = plainEdits(inA.text, inB.text, 'lines');
    return { form: 'output', diff: { a: inA.text, b: inB.text, edits: byLines } };
  }
  const isAsLogged = !inA.isIndented && !inB.isIndented;
  if (inA.form === inB.form && isAsLogged && isPlaced(inA) && isPlaced(inB))
    return { form: inA.form, diff: displayEdits(inA, inB, edits) };
  // Only one of them has code or is indented, the code has no offsets in the response, or JSON differs in white space
  // alone: compare the texts as written.
  return { form: 'output', diff: displayEdits(literal(a), literal(b), edits) };
}

/** `arguments.items[2].price`. */
export function pathText(path: JsonChange['path']): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join('');
}

/** Whether a lane shows a response indented. If only one of a pair is, both are shown as logged. */
export const showsIndented = (shown: Shown, pair: Pair | undefined, side: 'a' | 'b'): boolean =>
  shown.isIndented === true && (pair?.diff === undefined || pair.diff[side] === shown.text);

/** The fork's range in a lane's displayed text. Undefined if it is in markup or escapes, which are not displayed. */
export function forkMark(
  shown: DisplayText,
  fork: { readonly offset: number; readonly text?: string },
): Mark | undefined {
  if (shown.places !== undefined && shown.places.length === 0) return undefined;
  const start = displayOffset(shown, fork.offset, false);
  const end = displayOffset(shown, fork.offset + (fork.text?.length ?? 0), true);
  return end > start ? { kind: 'fork', start, end } : undefined;
}

const lanesOf = ({ segments }: ComparedBlock): readonly number[] =>
  segments.flatMap((segment, lane) => (segment === null ? [] : [lane]));

/** Whether no segment of the block is paired with the baseline's. */
function isAlone({ segments, relations }: ComparedBlock, base: number): boolean {
  return segments.every((segment, lane) => segment === null || lane === base || relations[lane] === 'only');
}

const beside = (into: ShownBlock, block: ComparedBlock): ShownBlock => ({
  ...into,
  block: {
    segments: into.block.segments.map((segment, lane) => segment ?? block.segments[lane] ?? null),
    relations: into.block.relations.map((relation, lane) => relation ?? block.relations[lane] ?? null),
    edits: into.block.edits,
  },
});

/**
 * Puts unpaired segments of the same kind side by side. They stay unpaired.
 *
 * @returns `blocks` unchanged if any segment is paired; each lane's segments keep their order
 */
export function blocksBeside(blocks: readonly ShownBlock[], base: number): readonly ShownBlock[] {
  if (!blocks.every(({ block, isFolded }) => !isFolded && isAlone(block, base))) return blocks;
  const rows: ShownBlock[] = [];
  /** Per lane: the last row that has one of its segments. */
  const last = new Map<number, number>();
  for (const shown of blocks) {
    const lanes = lanesOf(shown.block);
    const least = Math.max(-1, ...lanes.map((lane) => last.get(lane) ?? -1)) + 1;
    const found = rows.findIndex(
      (row, at) =>
        at >= least && row.kind === shown.kind && lanes.every((lane) => row.block.segments[lane] === null),
    );
    const at = found < 0 ? rows.length : found;
    const former = rows[at];
    rows[at] = former === undefined ? shown : beside(former, shown.block);
    for (const lane of lanes) last.set(lane, at);
  }
  return rows;
}

interface EditorDiff {
  readonly before: string;
  readonly after: string;
  readonly numbers: { readonly before: readonly TextRange[]; readonly after: readonly TextRange[] };
}

/**
 * @param a absent: the other side has no such segment
 * @param pair absent: they are not compared, or equal
 */
export function editorDiff(a: SegmentView | undefined, b: SegmentView, pair: Pair | undefined): EditorDiff {
  const [before, after] = [a === undefined ? '' : shownOf(a).text, shownOf(b).text];
  // Segments may have been compared in another form, such as arguments by structure.
  const diff = pair?.diff ?? { a: before, b: after, edits: plainEdits(before, after, 'lines') };
  const numbersOf = (side: 'a' | 'b'): readonly TextRange[] =>
    sideMarks(diff, side).filter(({ kind }) => kind === 'number');
  return { before: diff.a, after: diff.b, numbers: { before: numbersOf('a'), after: numbersOf('b') } };
}
