/** What a segment shows, and how two segments that belong together are compared on it. */
import type { Edits } from '../../../shared/domain/alignText.ts';
import { type JsonChange, jsonDiff } from '../../../shared/domain/jsonDiff.ts';
import type { SegmentKind } from '../../../shared/domain/model.ts';
import { prettyArguments, type SegmentView } from '../../data/segmentViews.ts';
import { codePlaces } from '../../editor/codePlaces.ts';
import { type DisplayText, displayEdits, displayOffset, type Mark, type TextDiff } from './diffModel.ts';

export interface Shown extends DisplayText {
  readonly form: 'code' | 'arguments' | 'output' | 'prose';
  /** Beside code: what else the call was given. */
  readonly others?: string;
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
  if (segment.kind === 'tool-response') return { form: 'output', ...literal(view) };
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

/** Two segments on the texts a reader sees. */
export interface Pair {
  readonly form: Shown['form'];
  /** Absent where they are compared by structure. */
  readonly diff?: TextDiff;
  /** Arguments: what stands where in one and not in the other. */
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
  if (inA.form === inB.form && isPlaced(inA) && isPlaced(inB))
    return { form: inA.form, diff: displayEdits(inA, inB, edits) };
  // One has code and the other has none, or code that cannot be placed: as written.
  return { form: 'output', diff: displayEdits(literal(a), literal(b), edits) };
}

/** `arguments.items[2].price`. */
export function pathText(path: JsonChange['path']): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join('');
}

/** Where a lane parts from another, on the text it shows; undefined where that is in markup or escapes. */
export function forkMark(
  shown: DisplayText,
  fork: { readonly offset: number; readonly text?: string },
): Mark | undefined {
  if (shown.places !== undefined && shown.places.length === 0) return undefined;
  const start = displayOffset(shown, fork.offset, false);
  const end = displayOffset(shown, fork.offset + (fork.text?.length ?? 0), true);
  return end > start ? { kind: 'fork', start, end } : undefined;
}
