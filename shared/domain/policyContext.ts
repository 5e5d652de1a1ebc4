/**
 * The context that a turn was sampled from, assembled from what is logged: prompt, earlier turns, tool responses and
 * messages between turns, in the order in which the policy had them (shared/domain/DOMAIN.md#context-of-a-turn).
 */
import type { Segment, SegmentKind, TextRange, ToolCall, TurnNumber } from './model.ts';

/** Whether the log states a fact, or a rule concluded it from the log. */
export interface Basis {
  readonly source: 'logged' | 'derived';
  /** The field, or the rule as a sentence. */
  readonly by: string;
}

/** The request behind a turn, as far as the log has it. */
export interface TurnRequest {
  /** Its place in the log. */
  readonly field: string;
  /** Length of the whole context. */
  readonly tokens?: number;
  /** Earlier messages that the request does not hold. */
  readonly droppedMessages?: number;
  /** The field that says that history was replaced or summarised before this turn. */
  readonly compactedBy?: string;
  /** The prompt that replaced the history. */
  readonly prompt?: string;
}

/** A tool response that was cut before the policy saw it. */
export interface CutResponse {
  /** Index of the tool call. */
  readonly call: number;
  readonly field: string;
}

/** Reasoning that a provider withheld. Its cipher and its summary are not text of the policy. */
export interface RedactedReasoning {
  readonly turn: TurnNumber;
  /** The provider's summary, as logged. */
  readonly summary?: string;
}

/** Tool definitions beside the text. */
export interface ToolDefinitions {
  readonly field: string;
  readonly text: string;
}

type ContextKind = SegmentKind | 'tools' | 'redacted' | 'replacement';

export const CONTEXT_MARKS = ['truncated', 'compacted', 'redacted', 'masked'] as const;
export interface ContextMark extends Basis {
  readonly what: (typeof CONTEXT_MARKS)[number];
}

export interface ContextPart {
  readonly kind: ContextKind;
  readonly turn: TurnNumber;
  /** The place of the text. A field has a text of its own. */
  readonly from: 'prompt' | 'response' | { readonly field: string; readonly text: string };
  /** In the text that it is from, with markup. */
  readonly range: TextRange;
  /** Index into the segments of the rollout. */
  readonly segment?: number;
  readonly characters: number;
  /** Absent: unknown. */
  readonly tokens?: number;
  readonly marks: readonly ContextMark[];
  /** The log has the prompt that replaced it, so it does not count. */
  readonly isReplaced?: true;
}

export interface ContextOfTurn {
  readonly parts: readonly ContextPart[];
  /** Those of all parts that were not replaced. */
  readonly characters: number;
  /** Tokens of these parts. Absent unless all are known. */
  readonly tokens?: number;
  /** The length of the request. Absent: not logged. */
  readonly request?: TurnRequest;
}

export interface ContextInput {
  readonly prompt: string;
  readonly response: string;
  /** Segments of the prompt (turn 0) and the response, in order. */
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  readonly requests: ReadonlyMap<TurnNumber, TurnRequest>;
  readonly truncated: readonly CutResponse[];
  readonly redacted: readonly RedactedReasoning[];
  readonly tools?: ToolDefinitions | undefined;
  /** Ends of the tokens of the response, and which of them carry loss. */
  readonly ends?: Uint32Array | undefined;
  readonly mask?: Uint8Array | undefined;
}

/** `...(truncated)...` of verl, which cuts a tool response in the middle by default, or at either end. */
const CUT_BY_VERL = /\.\.\.\(truncated\)|\(truncated\)\.\.\./;
/** `inspect_ai` introduces a tool response that it cut. */
const CUT_BY_INSPECT = /^The output of your call to .{1,200} (was too long to be displayed)\./;
/** Enough for a marker at either end or in the middle. Cheaper than a scan of a text of megabytes. */
const SCANNED = 200_000;
const TOOLS_OPEN = '<tools>';
const TOOLS_CLOSE = '</tools>';
const ENVIRONMENT: ReadonlySet<ContextKind> = new Set(['tool-response', 'user', 'system', 'tools']);

/** All parts of a rollout by turn, computed once, so that stepping through turns costs one slice each. */
export class PolicyContexts {
  private readonly parts: readonly ContextPart[];
  private readonly requests: ReadonlyMap<TurnNumber, TurnRequest>;
  /** Turns before which history was replaced, in order. */
  private readonly compactions: readonly Compaction[];

  constructor(input: ContextInput) {
    this.parts = partsOf(input);
    this.requests = input.requests;
    this.compactions = compactionsOf(input.requests);
  }

  /** @param turn from 1; the context of the prompt (turn 0) is empty */
  at(turn: TurnNumber): ContextOfTurn {
    const before = this.parts.slice(0, firstOfTurn(this.parts, turn));
    const compaction = this.compactions.findLast((one) => one.turn <= turn);
    const parts = compaction === undefined ? before : compacted(before, compaction);
    const present = parts.filter(({ isReplaced }) => isReplaced !== true);
    const request = this.requests.get(turn);
    const tokens = sum(present, (part) => part.tokens);
    return {
      parts,
      characters: sum(present, (part) => part.characters) ?? 0,
      ...(tokens === undefined || present.length === 0 ? {} : { tokens }),
      ...(request === undefined ? {} : { request }),
    };
  }
}

function sum(
  parts: readonly ContextPart[],
  of: (part: ContextPart) => number | undefined,
): number | undefined {
  let total = 0;
  for (const part of parts) {
    const value = of(part);
    if (value === undefined) return undefined;
    total += value;
  }
  return total;
}

/** Parts are in the order of turns. */
function firstOfTurn(parts: readonly ContextPart[], turn: TurnNumber): number {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.turn ?? 0) < turn) low = middle + 1;
    else high = middle;
  }
  return low;
}

function partsOf(input: ContextInput): readonly ContextPart[] {
  const { segments, tools, redacted, truncated } = input;
  const cut = new Map(
    truncated.map(({ call, field }) => [input.toolCalls[call]?.responseSegment, field] as const),
  );
  const tokens = tokenCounts(input);
  const withheld = Map.groupBy(redacted, ({ turn }) => turn);
  const parts: ContextPart[] = [];
  const ends = { prompt: 0, response: 0 };
  const lastOf = {
    prompt: segments.findLastIndex(({ turn }) => turn === 0),
    response: segments.findLastIndex(({ turn }) => turn > 0),
  };
  // The text of the prompt comes first: definitions in it are what the policy saw.
  const hasBlock = segments.some(
    ({ kind, turn, outer }) =>
      kind === 'system' && turn === 0 && toolsIn(input.prompt.slice(outer.start, outer.end)) !== undefined,
  );
  const addTools = (): void => {
    if (tools !== undefined && !hasBlock) parts.push(fieldPart('tools', 0, tools.field, tools.text, []));
  };
  // A prompt of an unknown template has no segments.
  if (lastOf.prompt < 0 && input.prompt !== '') {
    const range = { start: 0, end: input.prompt.length };
    const marks = maskMarks({ kind: 'user', turn: 0, outer: range, inner: range }, undefined, false);
    parts.push({ kind: 'user', turn: 0, from: 'prompt', range, characters: range.end, marks });
  }
  let areToolsAdded = false;
  let turn = -1;
  segments.forEach((segment, index) => {
    const from = segment.turn === 0 ? 'prompt' : 'response';
    // Definitions follow the system message, as chat templates render them.
    if (!areToolsAdded && (segment.turn > 0 || segment.kind !== 'system')) {
      areToolsAdded = true;
      addTools();
    }
    if (segment.turn !== turn) {
      turn = segment.turn;
      for (const one of withheld.get(turn) ?? []) parts.push(redactedPart(one));
    }
    const start = ends[from];
    const end = index === lastOf[from] ? input[from].length : Math.max(start, segment.outer.end);
    ends[from] = end;
    const text = input[from].slice(start, end);
    const counted = from === 'response' ? tokens?.[index] : undefined;
    const marks = [
      ...cutMarks(segment, input[from], cut.get(index)),
      ...maskMarks(segment, counted, input.mask !== undefined),
    ];
    const part = (kind: ContextKind, range: TextRange, of: typeof counted): ContextPart => ({
      kind,
      turn: segment.turn,
      from,
      range,
      segment: index,
      characters: range.end - range.start,
      ...(of === undefined ? {} : { tokens: of.all }),
      marks,
    });
    const definitions = segment.kind === 'system' && segment.turn === 0 ? toolsIn(text) : undefined;
    if (definitions === undefined) {
      parts.push(part(segment.kind, { start, end }, counted));
      return;
    }
    const [open, close] = [start + definitions.start, start + definitions.end];
    if (open > start) parts.push(part('system', { start, end: open }, undefined));
    parts.push(part('tools', { start: open, end: close }, undefined));
    if (close < end) parts.push(part('system', { start: close, end }, undefined));
  });
  if (!areToolsAdded) addTools();
  return parts;
}

/** The block of definitions that Hermes templates put into the system message. */
function toolsIn(text: string): TextRange | undefined {
  // The template names the tags in a sentence before it uses them.
  const close = text.lastIndexOf(TOOLS_CLOSE);
  const start = close < 0 ? -1 : text.lastIndexOf(TOOLS_OPEN, close);
  return start < 0 ? undefined : { start, end: close + TOOLS_CLOSE.length };
}

function fieldPart(
  kind: ContextKind,
  turn: TurnNumber,
  field: string,
  text: string,
  marks: readonly ContextMark[],
): ContextPart {
  return {
    kind,
    turn,
    from: { field, text },
    range: { start: 0, end: text.length },
    characters: text.length,
    marks,
  };
}

function redactedPart({ turn, summary }: RedactedReasoning): ContextPart {
  const by = 'logged_context.redacted';
  return {
    ...fieldPart('redacted', turn, by, summary ?? '', [{ what: 'redacted', source: 'logged', by }]),
    // The summary was not in the context, and the length of the reasoning is unknown.
    characters: 0,
  };
}

function cutMarks({ kind, inner }: Segment, text: string, field: string | undefined): readonly ContextMark[] {
  if (field !== undefined) return [{ what: 'truncated', source: 'logged', by: field }];
  if (kind !== 'tool-response') return [];
  const scanned = text.slice(inner.start, Math.min(inner.end, inner.start + SCANNED));
  const found = (CUT_BY_VERL.exec(scanned) ?? CUT_BY_INSPECT.exec(scanned))?.at(-1);
  if (found === undefined) return [];
  const by = `The tool response contains “${found}”, the words of a producer for a response that it cut.`;
  return [{ what: 'truncated', source: 'derived', by }];
}

interface TokenCount {
  all: number;
  policy: number;
}

/** Tokens of each segment of the response. A token belongs to the segment of its last character. */
function tokenCounts({
  segments,
  ends,
  mask,
}: ContextInput): readonly (TokenCount | undefined)[] | undefined {
  if (ends === undefined) return undefined;
  const first = segments.findIndex(({ turn }) => turn > 0);
  if (first < 0) return undefined;
  const counts = segments.map(({ turn }): TokenCount | undefined =>
    turn === 0 ? undefined : { all: 0, policy: 0 },
  );
  let at = first;
  for (const [token, end] of ends.entries()) {
    while (at < segments.length - 1 && end > (segments[at]?.outer.end ?? 0)) at++;
    const count = counts[at];
    if (count === undefined) continue;
    count.all++;
    if (mask?.[token] === 1) count.policy++;
  }
  return counts;
}

function maskMarks(
  { kind, turn }: Segment,
  tokens: TokenCount | undefined,
  hasMask: boolean,
): readonly ContextMark[] {
  if (hasMask && tokens !== undefined && turn > 0) {
    const masked = tokens.all - tokens.policy;
    if (masked === 0) return [];
    const by = masked === tokens.all ? 'mask' : `mask: ${masked} of ${tokens.all} tokens`;
    return [{ what: 'masked', source: 'logged', by }];
  }
  if (turn > 0 && !ENVIRONMENT.has(kind)) return [];
  return [{ what: 'masked', source: 'derived', by: 'The policy did not sample this text in this rollout.' }];
}

interface Compaction extends Basis {
  readonly turn: TurnNumber;
  readonly prompt?: string;
}

/**
 * A request that the log marks, one that lacks earlier messages, or one with fewer tokens than an earlier request:
 * contexts only grow unless history is dropped.
 */
function compactionsOf(requests: ReadonlyMap<TurnNumber, TurnRequest>): readonly Compaction[] {
  const found: Compaction[] = [];
  let before: { readonly turn: TurnNumber; readonly tokens: number } | undefined;
  for (const [turn, { tokens, droppedMessages = 0, compactedBy, prompt, field }] of [...requests].sort(
    ([a], [b]) => a - b,
  )) {
    if (compactedBy !== undefined) {
      found.push({ turn, source: 'logged', by: compactedBy, ...(prompt === undefined ? {} : { prompt }) });
    } else if (droppedMessages > 0) {
      const by = `The request of turn ${turn} (${field}) lacks ${droppedMessages} of the messages before it.`;
      found.push({ turn, source: 'derived', by });
    } else if (tokens !== undefined && before !== undefined && tokens < before.tokens) {
      const by = `The request of turn ${turn} has ${tokens} tokens (${field}), that of turn ${before.turn} had ${before.tokens}.`;
      found.push({ turn, source: 'derived', by });
    }
    if (tokens !== undefined) before = { turn, tokens };
  }
  return found;
}

/** Marks the history before the compaction. With its prompt, the whole text before it was replaced. */
function compacted(
  parts: readonly ContextPart[],
  { turn, source, by, prompt }: Compaction,
): readonly ContextPart[] {
  const mark: ContextMark = { what: 'compacted', source, by };
  const isReplaced = source === 'logged' && prompt !== undefined;
  const first = firstOfTurn(parts, turn);
  const marked = parts.slice(0, first).map((part): ContextPart => {
    if (isReplaced) return { ...part, marks: [mark, ...part.marks], isReplaced };
    return part.turn > 0 ? { ...part, marks: [mark, ...part.marks] } : part;
  });
  const replacement = isReplaced ? [fieldPart('replacement', turn, by, prompt, [])] : [];
  return [...marked, ...replacement, ...parts.slice(first)];
}
