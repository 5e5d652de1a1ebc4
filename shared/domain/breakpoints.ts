/**
 * Breakpoints of the debugger. A breakpoint has one or more conditions that must hold in the same turn;
 * `breakpointText.ts` writes them as text.
 */
import { lastBoxed } from './answer.ts';
import type { Flag } from './flags.ts';
import { indentedJson, readJson } from './jsonText.ts';
import {
  type Segment,
  TOOL_ERROR_OUTCOMES,
  type ToolCall,
  type ToolOutcome,
  type TurnNumber,
  type Utf16Offset,
} from './model.ts';

export const TEXT_SCOPES = ['all', 'reasoning', 'code', 'args', 'output', 'answer'] as const;
type TextScope = (typeof TEXT_SCOPES)[number];

export type Condition =
  | { readonly kind: 'error' | 'first error' | 'answer' | 'fork' }
  | { readonly kind: 'outcome'; readonly outcome: ToolOutcome }
  /** The tool's whole name, without white space. */
  | { readonly kind: 'tool'; readonly tool: string }
  /** A label's id, without white space. */
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'flag'; readonly flag: Flag }
  /** 0 < percentile < 100. */
  | { readonly kind: 'value'; readonly percentile: number }
  | { readonly kind: 'text' | 'regex'; readonly text: string; readonly scope: TextScope }
  | { readonly kind: 'turn'; readonly turn: TurnNumber };

/** At least one. All must hold in the same turn. */
export type Breakpoint = readonly Condition[];

/** A label or a flag. Without an offset, it is about the whole rollout, or its text is gone. */
export interface Mark {
  readonly name: string;
  /** In the response. */
  readonly offset?: Utf16Offset;
}

export interface StoppedRollout {
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  readonly turns: number;
  readonly tokens?: {
    /** UTF-16 end of each token in the response. */
    readonly ends: Uint32Array;
    /** One per token; NaN: unknown. */
    readonly values: Float32Array;
    /** 1: sampled by the policy. Absent: all are. */
    readonly mask?: Uint8Array;
  };
  /** Where this lane diverges from the baseline. Absent: it is the baseline, or they are equal. */
  readonly fork?: { readonly turn?: TurnNumber; readonly offset: Utf16Offset };
  /** Absent: not read yet. */
  readonly labels?: readonly Mark[];
  readonly flags?: readonly Mark[];
}

export interface Hit {
  readonly turn: TurnNumber;
  /** Index into the breakpoints. */
  readonly breakpoint: number;
  /** Offset at which its last condition first held. Absent if the hit is the turn itself. */
  readonly offset?: Utf16Offset;
  /** The matched text as logged: an outcome, an answer, or the text. */
  readonly found?: string;
}

interface Place {
  readonly offset?: Utf16Offset;
  readonly found?: string;
}
type TurnPlaces = ReadonlyMap<TurnNumber, Place>;

/** One hit per breakpoint and turn, in turn order. */
export function hitsOf(breakpoints: readonly Breakpoint[], rollout: StoppedRollout): readonly Hit[] {
  const hits = breakpoints.flatMap((conditions, breakpoint) => {
    const [first, ...others] = conditions.map((condition) => placesOf(condition, rollout));
    if (first === undefined) return [];
    return [...first]
      .filter(([turn]) => others.every((places) => places.has(turn)))
      .map(
        ([turn, place]): Hit => ({
          turn,
          breakpoint,
          ...latest([place, ...others.map((o) => o.get(turn) ?? {})]),
        }),
      );
  });
  return hits.sort((a, b) => a.turn - b.turn || a.breakpoint - b.breakpoint);
}

/** The place where the last of the conditions began to hold. */
const latest = (places: readonly Place[]): Place =>
  places.reduce((a, b) => ((b.offset ?? -1) > (a.offset ?? -1) ? b : a));

function placesOf(condition: Condition, rollout: StoppedRollout): TurnPlaces {
  switch (condition.kind) {
    case 'error':
      return ofCalls(rollout, ({ outcome }) => TOOL_ERROR_OUTCOMES.has(outcome));
    case 'first error':
      return new Map([...ofCalls(rollout, ({ outcome }) => TOOL_ERROR_OUTCOMES.has(outcome))].slice(0, 1));
    case 'outcome':
      return ofCalls(rollout, ({ outcome }) => outcome === condition.outcome);
    case 'tool':
      return ofTool(rollout, condition.tool);
    case 'label':
      return ofMarks(rollout, rollout.labels, condition.label);
    case 'flag':
      return ofMarks(rollout, rollout.flags, condition.flag);
    case 'value':
      return ofValues(rollout, condition.percentile / 100);
    case 'answer':
      return ofAnswers(rollout);
    case 'text':
    case 'regex':
      return ofText(rollout, patternOf(condition), condition.scope);
    case 'turn':
      return new Map(condition.turn <= rollout.turns ? [[condition.turn, {}]] : []);
    case 'fork': {
      const { fork } = rollout;
      return new Map(fork?.turn === undefined ? [] : [[fork.turn, { offset: fork.offset }]]);
    }
  }
}

/** Keeps the first place of each turn. */
function firstPerTurn(places: Iterable<readonly [TurnNumber, Place]>): TurnPlaces {
  const first = new Map<TurnNumber, Place>();
  for (const [turn, place] of places) if (!first.has(turn)) first.set(turn, place);
  return first;
}

function ofCalls({ toolCalls, segments }: StoppedRollout, isWanted: (call: ToolCall) => boolean): TurnPlaces {
  return firstPerTurn(
    toolCalls.filter(isWanted).map((call) => {
      const offset = segments[call.responseSegment ?? call.callSegment]?.inner.start;
      return [call.turn, { found: call.outcome, ...(offset === undefined ? {} : { offset }) }] as const;
    }),
  );
}

/** The place is the call, not its response. */
const ofTool = ({ toolCalls, segments }: StoppedRollout, tool: string): TurnPlaces =>
  firstPerTurn(
    toolCalls
      .filter(({ name }) => name === tool)
      .map(({ turn, callSegment }) => {
        const offset = segments[callSegment]?.inner.start;
        return [turn, { found: tool, ...(offset === undefined ? {} : { offset }) }] as const;
      }),
  );

/** The turn of a mark. The first turn if the mark is about the whole rollout or lies in the prompt. */
function ofMarks({ segments }: StoppedRollout, marks: readonly Mark[] = [], name: string): TurnPlaces {
  const own = marks.filter((mark) => mark.name === name);
  own.sort((a, b) => (a.offset ?? -1) - (b.offset ?? -1));
  return firstPerTurn(
    own.map(({ offset }) => {
      if (offset === undefined) return [1, { found: name }] as const;
      const segment = segments.findLast(({ turn, outer }) => turn >= 1 && outer.start <= offset);
      return [segment?.turn ?? 1, { offset, found: name }] as const;
    }),
  );
}

function ofValues({ tokens, segments }: StoppedRollout, quantile: number): TurnPlaces {
  if (tokens === undefined) return new Map();
  const { ends, values, mask } = tokens;
  const isMeasured = (i: number): boolean => mask?.[i] !== 0 && !Number.isNaN(values[i] ?? Number.NaN);
  const sorted = values.filter((_, i) => isMeasured(i)).sort();
  const limit = sorted[Math.ceil(quantile * sorted.length) - 1];
  if (limit === undefined) return new Map();
  const found: [TurnNumber, Place][] = [];
  const own = segments.filter(({ turn }) => turn >= 1);
  let at = 0;
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i] ?? 0;
    while (at < own.length - 1 && end > (own[at]?.outer.end ?? 0)) at++;
    const value = values[i] ?? Number.NaN;
    const turn = own[at]?.turn;
    if (turn === undefined || !isMeasured(i) || value <= limit) continue;
    found.push([turn, { offset: i === 0 ? 0 : (ends[i - 1] ?? 0), found: value.toFixed(3) }]);
  }
  return firstPerTurn(found);
}

function ofAnswers({ response, segments }: StoppedRollout): TurnPlaces {
  const found: [TurnNumber, Place][] = [];
  let former: string | undefined;
  for (const { kind, turn, inner } of segments) {
    if (turn < 1 || (kind !== 'reasoning' && kind !== 'text' && kind !== 'answer')) continue;
    const answer = lastBoxed(response.slice(inner.start, inner.end));
    if (answer === undefined) continue;
    if (former !== undefined && answer !== former)
      found.push([turn, { offset: inner.start, found: `${former} \u2192 ${answer}` }]);
    former = answer;
  }
  return firstPerTurn(found);
}

const SCOPE_KINDS: Readonly<Record<Exclude<TextScope, 'args'>, readonly Segment['kind'][]>> = {
  all: ['reasoning', 'text', 'tool-call', 'tool-response', 'answer', 'user', 'system'],
  reasoning: ['reasoning', 'text'],
  code: ['tool-call'],
  output: ['tool-response'],
  answer: ['answer'],
};

function ofText(
  { response, segments, toolCalls }: StoppedRollout,
  pattern: RegExp | undefined,
  scope: TextScope,
): TurnPlaces {
  if (pattern === undefined) return new Map();
  if (scope === 'args') return ofArguments({ segments, toolCalls, response }, pattern);
  const codes = new Map(toolCalls.map(({ callSegment, code }) => [callSegment, code]));
  const found: [TurnNumber, Place][] = [];
  segments.forEach(({ kind, turn, inner }, i) => {
    if (turn < 1 || !SCOPE_KINDS[scope].includes(kind)) return;
    // Code is JSON-escaped in the response; it is searched unescaped.
    const code = codes.get(i);
    const match = pattern.exec(code ?? response.slice(inner.start, inner.end));
    if (match === null) return;
    const offset = code === undefined ? inner.start + match.index : inner.start;
    found.push([turn, { offset, found: match[0].slice(0, 200) }]);
  });
  return firstPerTurn(found);
}

/** Searches arguments as written, as the page shows them, and code without its escapes. The place is the call. */
function ofArguments(
  { response, segments, toolCalls }: Pick<StoppedRollout, 'response' | 'segments' | 'toolCalls'>,
  pattern: RegExp,
): TurnPlaces {
  const found: [TurnNumber, Place][] = [];
  for (const { turn, code, callSegment, arguments: args } of toolCalls) {
    const inner = segments[callSegment]?.inner;
    const written = args ?? (inner === undefined ? '' : response.slice(inner.start, inner.end));
    const json = readJson(written);
    const match =
      pattern.exec(code ?? '') ??
      pattern.exec(written) ??
      (json === undefined ? null : pattern.exec(indentedJson(json)));
    if (match === null) continue;
    const offset = inner === undefined ? {} : { offset: inner.start };
    found.push([turn, { ...offset, found: match[0].slice(0, 200) }]);
  }
  return firstPerTurn(found);
}

/** @returns undefined for an invalid pattern, which `breakpointIn` rejects */
export function patternOf({
  kind,
  text,
}: {
  readonly kind: 'text' | 'regex';
  readonly text: string;
}): RegExp | undefined {
  try {
    if (kind === 'regex') return new RegExp(text, 'mu');
    const hasCapitals = text !== text.toLowerCase();
    return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), hasCapitals ? 'u' : 'iu');
  } catch {
    return undefined;
  }
}
