/**
 * The actions of a rollout: its tool calls and its final answer, in order. Prose is skipped.
 *
 * Two calls are one action if they name the same tool and their arguments are the same JSON, whatever the order of
 * keys and the spelling of numbers, or their Python code is the same but for comments, blank lines, spaces, line
 * breaks within brackets and the kind of quotes. A malformed call, which nothing ran, is never the same as a call.
 */
import { isPythonTool } from './codeCells.ts';
import { canonicalJson, readJson } from './jsonText.ts';
import type { Segment, ToolCall, ToolOutcome, TurnNumber } from './model.ts';
import { answerForm, isSameAnswer } from './sameAnswer.ts';

export interface Action {
  readonly kind: 'call' | 'answer';
  readonly turn: TurnNumber;
  /** Index into the rollout's segments. */
  readonly segment: number;
  /** Tool of a call. Absent if it is unreadable. */
  readonly tool?: string;
  /** The code, the arguments or the answer, as written. */
  readonly text: string;
  /** All arguments as JSON text, beside `text` that is code. */
  readonly withCode?: string;
  /** Absent for an answer. */
  readonly outcome?: ToolOutcome;
}

interface Acting {
  readonly response: string;
  readonly segments: readonly Segment[];
  readonly toolCalls: readonly ToolCall[];
  /** The final answer, as logged or extracted. */
  readonly answer?: string;
}

/** A call of this tool only writes down a thought: in tau-bench, and in agents that follow its example. */
export const THOUGHT_TOOL = 'think';

/** All tool calls of the response except thoughts, then the final answer if it has one. */
export function actionsOf({ response, segments, toolCalls, answer }: Acting): readonly Action[] {
  const inner = (segment: number): string => {
    const range = segments[segment]?.inner;
    return range === undefined ? '' : response.slice(range.start, range.end);
  };
  const acting = toolCalls.filter(({ name }) => name !== THOUGHT_TOOL);
  const actions = acting.map(({ turn, name, code, callSegment, outcome, ...call }): Action => {
    const tool = name === undefined ? {} : { tool: name };
    const action = { kind: 'call', turn, segment: callSegment, outcome, ...tool } as const;
    const args = call.arguments;
    if (code === undefined) return { ...action, text: args ?? inner(callSegment) };
    return { ...action, text: code, ...(args === undefined ? {} : { withCode: args }) };
  });
  const marked = segments.findLastIndex(({ kind }) => kind === 'answer');
  const last = marked < 0 ? segments.length - 1 : marked;
  const text = answer ?? (marked < 0 ? '' : inner(marked).trim());
  if (text === '') return actions;
  return [...actions, { kind: 'answer', turn: segments[last]?.turn ?? 0, segment: last, text }];
}

export interface ActionFork {
  /** Number of leading actions that are the same. */
  readonly shared: number;
  /** The first action that differs. Absent: the side does nothing more. Both absent: they do the same. */
  readonly a?: Action;
  readonly b?: Action;
}

/** The first difference in what two rollouts do. */
export function actionFork(a: Acting, b: Acting): ActionFork {
  const [inA, inB] = [actionsOf(a), actionsOf(b)];
  for (let shared = 0; ; shared++) {
    const [one, other] = [inA[shared], inB[shared]];
    if (one !== undefined && other !== undefined && isSameAction(one, other)) continue;
    return { shared, ...(one === undefined ? {} : { a: one }), ...(other === undefined ? {} : { b: other }) };
  }
}

export function isSameAction(a: Action, b: Action): boolean {
  if (a.kind !== b.kind || a.tool !== b.tool || isMalformed(a) !== isMalformed(b)) return false;
  if (a.kind === 'answer') return isSameAnswer(a.text, b.text);
  return (a.text === b.text && a.withCode === b.withCode) || callKey(a) === callKey(b);
}

/** Actions with equal `key`, or answers of the same `amount`, are the same. */
export function actionForm(action: Action): { readonly key: string; readonly amount: number | undefined } {
  const { plain, amount } =
    action.kind === 'answer' ? answerForm(action.text) : { plain: callKey(action), amount: undefined };
  const kind = isMalformed(action) ? 'malformed' : action.kind;
  return { key: JSON.stringify([kind, action.tool ?? null, plain]), amount };
}

/** How a call is named on the screen and by the command line. */
export function callName(call: { readonly tool?: string; readonly isMalformed?: boolean }): string {
  if (call.isMalformed !== true) return call.tool ?? 'a call';
  return call.tool === undefined ? 'a malformed call' : `a malformed call of ${call.tool}`;
}

const isMalformed = ({ outcome }: Action): boolean => outcome === 'malformed';

/** A shell command or a magic of a notebook. Spaces in it count. */
const NOTEBOOK_LINE = /^[ \t]*[!%]/m;

/** Equal for calls of one tool that are the same action. */
function callKey({ text, withCode, tool }: Action): string {
  const code = isPythonTool(tool) && !NOTEBOOK_LINE.test(text) ? plainCode(text) : text;
  if (withCode === undefined) {
    const json = readJson(text);
    return json === undefined ? text : canonicalJson(json);
  }
  const json = readJson(withCode);
  if (json?.kind !== 'object') return code;
  // Arguments beside the code, such as an input, count too.
  const entries = new Map([...json.entries].filter(([name]) => name !== 'code'));
  return `${canonicalJson({ ...json, entries })}\n${code}`;
}

const ANY = '[\\s\\S]';
/** A string that is not closed ends with its line or the code, so that no part is read twice. */
const STRING = [
  `"""${ANY}*?(?:"""|$)`,
  `'''${ANY}*?(?:'''|$)`,
  `"(?:\\\\${ANY}|[^"\\\\\\n])*"?`,
  `'(?:\\\\${ANY}|[^'\\\\\\n])*'?`,
].join('|');
/** A string, a comment, line ends with indentation, other white space, a word or a sign. */
const TOKEN = new RegExp(
  [
    `(?<string>[rbfuRBFU]{0,2}(?:${STRING}))`,
    '(?<comment>#[^\\n]*)',
    '(?<lineEnd>(?:\\r?\\n[ \\t]*)+)',
    '(?<space>\\s+|\\\\\\r?\\n)',
    '[\\p{L}\\p{N}_.]+',
    ANY,
  ].join('|'),
  'gu',
);
/** UTF-16 units. Longer code is compared as written, since a pattern may exceed the stack. */
const LONGEST_CODE = 1 << 20;
const SIMPLE_STRING = /^(\w*)'([^'"\\]*)'$/;

/** Python code as its tokens with indentation. Equal for code that differs in formatting alone. */
function plainCode(code: string): string {
  if (code.length > LONGEST_CODE) return code;
  const tokens: string[] = [];
  let depth = 0;
  let line: string | undefined;
  for (const { 0: token, groups = {} } of `\n${code}`.matchAll(TOKEN)) {
    const { string, comment, lineEnd, space } = groups;
    if (comment !== undefined || space !== undefined) continue;
    if (lineEnd !== undefined) {
      if (depth === 0) line = lineEnd.slice(lineEnd.lastIndexOf('\n'));
      continue;
    }
    if (line !== undefined) {
      tokens.push(line);
      line = undefined;
    }
    if ('([{'.includes(token)) depth++;
    if (')]}'.includes(token)) {
      depth = Math.max(0, depth - 1);
      // A comma before the end of a list of several items means nothing; that of `(x,)` makes a tuple.
      if (tokens.at(-1) === ',' && token !== ')') tokens.pop();
    }
    tokens.push(string === undefined ? token : string.replace(SIMPLE_STRING, '$1"$2"'));
  }
  return tokens.join(' ');
}
