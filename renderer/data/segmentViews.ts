/** A rollout arranged for reading: turns, their segments, and the call that each response answers. */
import type { RolloutDetail } from '../../shared/api/contract.ts';
import { indentedJson, readJson, reindentedJson } from '../../shared/domain/jsonText.ts';
import {
  type Segment,
  TOOL_ERROR_OUTCOMES,
  type ToolCall,
  type ToolOutcome,
  type Turn,
  type TurnNumber,
} from '../../shared/domain/model.ts';
import { callProblem } from '../../shared/domain/toolCallPayload.ts';
import { OUTCOME_NAMES } from '../../shared/domain/words.ts';

export type TextSource = 'prompt' | 'response';

export interface SegmentView {
  /** Index in the rollout's segments, including the prompt. */
  readonly index: number;
  readonly segment: Segment;
  readonly source: TextSource;
  /** The content without tags. */
  readonly inner: string;
  /** The exact text with its tags. */
  readonly outer: string;
  readonly call?: ToolCall;
  readonly answeredCall?: ToolCall;
  /** Whether its rollout has tokens, whose marks are on the text as logged. */
  readonly hasTokens: boolean;
}

export interface TurnView {
  readonly turn: TurnNumber;
  readonly segments: readonly SegmentView[];
  /** Counts from the host. The prompt (turn 0) has none. */
  readonly counts?: Turn;
}

export function turnsOf(detail: RolloutDetail): readonly TurnView[] {
  const callBySegment = new Map<number, ToolCall>();
  const answeredBySegment = new Map<number, ToolCall>();
  for (const call of detail.toolCalls) {
    callBySegment.set(call.callSegment, call);
    if (call.responseSegment !== undefined) answeredBySegment.set(call.responseSegment, call);
  }
  const counts = new Map(detail.turns.map((turn) => [turn.turn, turn]));
  const turns = new Map<TurnNumber, SegmentView[]>();
  detail.segments.forEach((segment, index) => {
    const source: TextSource = segment.turn === 0 ? 'prompt' : 'response';
    const text = detail[source];
    const view: SegmentView = {
      index,
      segment,
      source,
      inner: text.slice(segment.inner.start, segment.inner.end),
      outer: text.slice(segment.outer.start, segment.outer.end),
      call: callBySegment.get(index),
      answeredCall: answeredBySegment.get(index),
      hasTokens: detail.tokens !== undefined,
    };
    const views = turns.get(segment.turn);
    if (views === undefined) turns.set(segment.turn, [view]);
    else views.push(view);
  });
  return [...turns]
    .sort(([a], [b]) => a - b)
    .map(([turn, segments]) => ({ turn, segments, counts: counts.get(turn) }));
}

export interface OutcomeMark {
  readonly glyph: string;
  readonly label: string;
  readonly isError: boolean;
  /** An explanation of the label, if it needs one. */
  readonly title?: string;
}

const MALFORMED = 'Unclosed or not valid JSON, and no tool answered it. It does not count as a tool call.';

export function outcomeMark(outcome: ToolOutcome): OutcomeMark {
  const isError = TOOL_ERROR_OUTCOMES.has(outcome);
  return {
    glyph: isError ? '✕' : outcome === 'missing' || outcome === 'malformed' ? '○' : '✓',
    label: OUTCOME_NAMES[outcome],
    ...(outcome === 'malformed' && { title: MALFORMED }),
    isError,
  };
}

/** Why a call could not be read. Undefined for calls that could, and where the text does not say. */
export function problemOf({ call, inner, outer }: SegmentView): string | undefined {
  if (call?.outcome !== 'malformed' && call?.outcome !== 'parse_error') return undefined;
  return callProblem(inner, outer.slice(outer.lastIndexOf(inner) + inner.length));
}

/** Arguments as indented JSON, without those shown elsewhere. Undefined if none is left, or if they are not JSON. */
export function prettyArguments(
  json: string | undefined,
  without: readonly string[] = [],
): string | undefined {
  if (json === undefined) return undefined;
  const parsed = readJson(json);
  // The host parses leniently (for example NaN). What strict JSON rejects is shown as is.
  if (parsed === undefined) return json;
  if (parsed.kind !== 'object') return indentedJson(parsed);
  const rest = [...parsed.entries].filter(
    ([name, value]) => !without.includes(name) && value.source !== '""',
  );
  return rest.length === 0 ? undefined : indentedJson({ ...parsed, entries: new Map(rest) });
}

/** The rendered text of a segment, responses as logged. */
export function readableText(view: SegmentView): string {
  const { call } = view;
  if (view.segment.kind !== 'tool-call' || call === undefined) return view.inner;
  return call.code ?? prettyArguments(call.arguments) ?? view.inner;
}

/** UTF-16 units. A shorter response is read at a glance, a longer one would be too many lines. */
const INDENTED_RESPONSES = { shortest: 60, longest: 20_000 };
/** Each line has up to three stretches that can be marked, which are elements. */
const MOST_INDENTED_LINES = 1_200;

const indented = new WeakMap<SegmentView, string | undefined>();

/** A tool response that is an object or a list of JSON in one line, indented. Undefined for all other segments. */
export function indentedResponse(view: SegmentView): string | undefined {
  if (view.segment.kind !== 'tool-response' || view.hasTokens) return undefined;
  if (indented.has(view)) return indented.get(view);
  const text = view.inner.trim();
  const { shortest, longest } = INDENTED_RESPONSES;
  const isCandidate =
    text.length >= shortest && text.length <= longest && /^[[{]/.test(text) && !text.includes('\n');
  const found = isCandidate && readJson(text) !== undefined ? reindentedJson(text) : undefined;
  const isShown = found !== undefined && found.split('\n').length <= MOST_INDENTED_LINES;
  indented.set(view, isShown ? found : undefined);
  return isShown ? found : undefined;
}

/** The text that is shown of a segment, and which its fold counts. @param isRaw as logged, with its tags */
export function replayText(view: SegmentView, isRaw: boolean): string {
  return isRaw ? view.outer : (indentedResponse(view) ?? readableText(view));
}
