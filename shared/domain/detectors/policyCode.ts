/** The code that a policy wrote: arguments of tool calls, and fenced blocks of prose and answers. */

import { indexIn } from '../linearSearch.ts';
import type { Segment, TextRange, ToolCall } from '../model.ts';

export interface PolicyCode {
  readonly segment: number;
  readonly text: string;
  /** Absent for a fenced block, which nothing runs during the rollout. */
  readonly call?: CallArguments;
  /** Whether this runs code or a command, or names a file: other calls, such as a search, cannot tamper. */
  readonly isCode: boolean;
  /** The place of a line in the response; the whole segment if it cannot be told. */
  placeOf(line: string): TextRange;
}

/** String arguments by name, in order. Names of nested objects are not joined. */
export type CallArguments = readonly (readonly [name: string, value: string])[];

/** Arguments that hold code, a command, or a file and its content. */
const CODE =
  /^(?:code|command|commands|cmd|script|source|program|bash|shell|python|patch|diff|path|file_?(?:path|name|text)?|target_?file|notebook_path|contents?|new_?str(?:ing)?|replacement|insert_text|new_text)$/i;

/** Arguments that hold text to be replaced, or only read. */
const FORMER = /^(?:old|old_?str(?:ing)?|search|before|find|pattern|query|thought|reasoning)$/i;
const MOST_LEAVES = 1000;

/** In the order of the response. */
export function policyCode(
  response: string,
  segments: readonly Segment[],
  toolCalls: readonly ToolCall[],
): readonly PolicyCode[] {
  const callAt = new Map(toolCalls.toReversed().map((call) => [call.callSegment, call]));
  return segments.flatMap(({ kind, inner }, segment): PolicyCode[] => {
    if (kind === 'tool-call') return [codeOfCall(response, segment, inner, callAt.get(segment))];
    return kind === 'text' || kind === 'answer' ? fencedBlocks(response, segment, inner) : [];
  });
}

function codeOfCall(
  response: string,
  segment: number,
  inner: TextRange,
  call: ToolCall | undefined,
): PolicyCode {
  const raw = response.slice(inner.start, inner.end);
  const all = call?.arguments === undefined ? undefined : stringsIn(call.arguments);
  const written = all?.filter(([name]) => !FORMER.test(name)).map(([, value]) => value);
  return {
    segment,
    text: written === undefined ? raw : written.join('\n'),
    call: all ?? [],
    isCode:
      call?.code !== undefined ||
      // A payload that is no JSON is code or a command, unless it should have been JSON.
      (all === undefined
        ? call?.outcome !== 'malformed'
        : all.some(([name, value]) => CODE.test(name) || value.startsWith('*** Begin Patch'))),
    placeOf(line) {
      for (const form of [line, JSON.stringify(line).slice(1, -1)]) {
        const at = indexIn(raw, form);
        if (at >= 0) return { start: inner.start + at, end: inner.start + at + form.length };
      }
      return inner;
    },
  };
}

function stringsIn(json: string): CallArguments | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const found: (readonly [string, string])[] = [];
  const add = (name: string, one: unknown, depth: number): void => {
    if (found.length >= MOST_LEAVES || depth > 8) return;
    if (typeof one === 'string') found.push([name, one]);
    else if (Array.isArray(one)) for (const each of one) add(name, each, depth + 1);
    else if (typeof one === 'object' && one !== null)
      for (const [key, each] of Object.entries(one)) add(key, each, depth + 1);
  };
  add('', value, 0);
  return found;
}

const FENCE = '```';

function fencedBlocks(response: string, segment: number, { start, end }: TextRange): PolicyCode[] {
  const text = response.slice(start, end);
  const blocks: PolicyCode[] = [];
  for (let open = text.indexOf(FENCE); open >= 0; ) {
    const from = text.indexOf('\n', open) + 1;
    const close = from === 0 ? -1 : text.indexOf(FENCE, from);
    if (close < 0) break;
    const code = text.slice(from, close);
    blocks.push({
      segment,
      text: code,
      isCode: true,
      placeOf(line) {
        const at = Math.max(0, indexIn(code, line));
        return { start: start + from + at, end: start + from + at + line.length };
      },
    });
    open = text.indexOf(FENCE, close + FENCE.length);
  }
  return blocks;
}
