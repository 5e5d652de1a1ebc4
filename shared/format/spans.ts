/**
 * Builds one rollout from the spans of a trace. Tracers log every model call with the whole conversation before it,
 * so the calls of an agent repeat each other. Messages of the input are `asked`, those of the output `said`:
 *
 *   agent                                        the rollout
 *   ├─ model  asked: u         said: a1 + call   prompt u, turn 1
 *   ├─ tool   call → result                      the result of turn 1, its latency and its error
 *   └─ model  asked: u a1 r    said: a2          turn 2: this call has the whole conversation
 *
 * - The conversation is that of the model call with the most messages; of several, the last. Model calls below a tool
 *   belong to a subagent and are used only if there are no others.
 * - The prompt is the input of the first call of that conversation. Answers in that input are context, unless an
 *   earlier call of the trace gave them. Such a call exists if system messages differ from call to call (a time of
 *   day, or another agent's prompt after a handover).
 * - An answer is taken from the call that gave it, because later calls often leave out its reasoning. The
 *   results before it are taken from there, too, because later calls often shorten them.
 * - A result that no later call repeats is taken from the tool's span. Latencies come from these spans.
 * - A tool's span belongs to the call with its id, else with its name and arguments. If equally many spans and calls
 *   of a name remain, they are paired in order.
 * - A trace without messages in its model calls is built from its root and its tools, with a warning.
 */
import type { StopReason, ToolCall, ToolOutcome, Turn } from '../domain/model.ts';
import { tryParseJson } from '../domain/parseJson.ts';
import type { RolloutBody } from './body.ts';
import { bodyOf, type KnownFacts, problemOf } from './body.ts';
import { dialogueOf, isFromPolicy } from './dialogue.ts';
import { isObject, type JsonObject, jsonText, textOf } from './fields.ts';
import type { LineIssue, ParsedRollout } from './format.ts';
import { readMessage, roleOf } from './messageShape.ts';
import { warned } from './records.ts';
import { type Stop, stopOf } from './stop.ts';
import { bodyOfTask } from './taskBody.ts';

/** A span in any tracer's shape. */
export interface Span {
  readonly id?: string;
  readonly parent?: string;
  readonly kind: 'model' | 'tool' | 'other';
  readonly name?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** As logged. */
  readonly input?: unknown;
  readonly output?: unknown;
  /** Messages in the tracer's own fields; default: those in input and output. */
  readonly asked?: () => readonly JsonObject[];
  readonly said?: () => readonly JsonObject[];
  /** The call that a tool's span ran. */
  readonly call?: { readonly id?: string; readonly name?: string; readonly args?: unknown };
  /** In the tracer's words; undefined: it did not fail. */
  readonly failure?: { readonly word: string; readonly message?: string };
  /** Why a model call ended, as logged. */
  readonly finish?: string;
  readonly policyTokens?: number;
  /** Id of the model's output, if the log has only the id. */
  readonly missing?: string;
  /** All other fields. */
  readonly extra: JsonObject;
}

type TraceBody = RolloutBody & Pick<ParsedRollout, 'startedAt' | 'endedAt'>;

export interface TraceRead {
  readonly body: TraceBody;
  /** All spans, without the fields that the conversation shows. */
  readonly spans: readonly JsonObject[];
}

/** A model call of the trace with its messages, parsed once. */
interface ModelCall {
  readonly span: Span;
  readonly asked: readonly JsonObject[];
  readonly said: readonly JsonObject[];
}

/** undefined: the trace has neither messages nor tool calls nor an input. */
export function readTrace(
  logged: readonly Span[],
  facts: KnownFacts,
  warnings: LineIssue[],
): TraceRead | undefined {
  const spans = inOrder(latest(logged));
  const isBelowTool = belowTools(spans);
  const tools = spans.filter((span, i) => span.kind === 'tool' && isBelowTool[i] !== true);
  const calls = modelCalls(spans, isBelowTool);
  const roots = rootsOf(spans);
  // Agents that hand over are several roots. A model call at the root may be a failed attempt.
  const failureOfRun = roots.findLast(({ kind }) => kind === 'other')?.failure;
  const times = timesOf(spans);
  const missing = missingTexts(spans);
  const chosen = longest(calls);
  if (chosen === undefined) {
    const body = bodyWithoutModel(spans, isBelowTool, roots[0], facts, failureOfRun);
    if (body === undefined) return undefined;
    const why = missing ?? 'no model call of the trace has messages';
    const message = `${why}; the conversation is built from its root and its tools`;
    warnings.push(warned('no_model_text', message));
    return {
      body: { ...body, toolCalls: withSpans(body.toolCalls, tools), ...times },
      spans: spans.map((span) => restOf(span, true)),
    };
  }
  if (missing !== undefined) warnings.push(warned('no_model_text', missing));
  const prompt = promptOf(calls, chosen);
  const repeated = [...chosen.asked.slice(prompt.length), ...chosen.said];
  const producers = producersOf(calls, repeated);
  const response = withResults(withOwnMessages(repeated, prompt.length, producers), tools);
  const ofConversation = new Set(producers);
  // A side call, such as one that names the chat, may fail without ending the conversation.
  const last = calls.findLast(
    (call) => call === chosen || ofConversation.has(call) || isPrefix(prompt, call.asked),
  );
  const failed = failureOfRun ?? last?.span.failure;
  const stop = failed === undefined ? stopOf(chosen.span.finish) : stopOfFailure(failed);
  const body = bodyOfTask(response, { ...facts, stop }, prompt);
  const shown = new Set(producers.map(({ span }) => span));
  // A call without an answer has nothing that could be missing here.
  const others = calls.filter(({ span, said }) => said.length > 0 && !shown.has(span)).length;
  if (others > 0) {
    const message = `${others} of ${calls.length} model calls are not part of the conversation; "spans" of the extra fields has them`;
    warnings.push(warned('other_calls', message));
  }
  return {
    body: {
      ...body,
      toolCalls: withSpans(body.toolCalls, tools),
      turns: withUsage(body.turns, producers),
      ...times,
    },
    spans: spans.map((span) => restOf(span, span.kind === 'model' && !shown.has(span))),
  };
}

/** Names the model calls of the trace that were logged without their text. undefined: none. */
function missingTexts(spans: readonly Span[]): string | undefined {
  const calls = spans.filter(({ kind }) => kind === 'model');
  const ids = calls.flatMap(({ missing }) => missing ?? []);
  if (ids.length === 0) return undefined;
  const named = ids.length > MOST_IDS ? [...ids.slice(0, MOST_IDS), '…'] : ids;
  return `${ids.length} of ${calls.length} model calls logged only the id of the response (${named.join(', ')}), not its text`;
}

const MOST_IDS = 8;

/** Exceptions by which frameworks end a run on purpose, at the beginning of the message. */
const ENDINGS: readonly (readonly [StopReason, RegExp])[] = [
  ['turn-limit', /^(?:Max turns exceeded|(?:\w+\.)*(?:GraphRecursionError|MaxTurnsExceeded)\b)/],
  ['aborted', /^(?:\w+\.)*(?:CancelledError|KeyboardInterrupt|GeneratorExit|TimeoutError|AbortError)\b/],
];

const stopOfFailure = ({ word, message = '' }: NonNullable<Span['failure']>): Stop =>
  stopOf(word, () => ENDINGS.find(([, ending]) => ending.test(message))?.[0] ?? 'error');

/** Exports overlap, and a span is logged again when it is updated: the last version counts. */
function latest(spans: readonly Span[]): readonly Span[] {
  const last = new Map(spans.flatMap((span) => (span.id === undefined ? [] : [[span.id, span]])));
  return spans.filter((span) => span.id === undefined || last.get(span.id) === span);
}

/** By start. Spans without one are last, in the order of the log. */
function inOrder(spans: readonly Span[]): readonly Span[] {
  const startOf = ({ startedAt }: Span): number => startedAt ?? Number.MAX_VALUE;
  return spans.toSorted((a, b) => startOf(a) - startOf(b));
}

function timesOf(spans: readonly Span[]): Pick<ParsedRollout, 'startedAt' | 'endedAt'> {
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startedAt, endedAt } of spans) {
    if (startedAt !== undefined) start = Math.min(start, startedAt);
    if (endedAt !== undefined) end = Math.max(end, endedAt);
  }
  return {
    ...(Number.isFinite(start) ? { startedAt: start } : {}),
    ...(Number.isFinite(end) ? { endedAt: end } : {}),
  };
}

/** The spans without a parent in the trace; the first span if none exists. */
function rootsOf(spans: readonly Span[]): readonly Span[] {
  const ids = new Set(spans.flatMap(({ id }) => id ?? []));
  const roots = spans.filter(({ parent }) => parent === undefined || !ids.has(parent));
  return roots.length === 0 ? spans.slice(0, 1) : roots;
}

/** Per span: whether it is below a tool's span. The search upwards ends at a missing parent or a cycle. */
function belowTools(spans: readonly Span[]): readonly boolean[] {
  const positions = new Map<string, number>();
  spans.forEach(({ id }, i) => {
    if (id !== undefined && !positions.has(id)) positions.set(id, i);
  });
  const known: (boolean | undefined)[] = spans.map(() => undefined);
  const onWay = new Set<number>();
  for (let i = 0; i < spans.length; i++) {
    const way: number[] = [];
    let at: number | undefined = i;
    let isBelow = false;
    while (at !== undefined) {
      const settled = known[at];
      if (settled !== undefined || onWay.has(at)) {
        isBelow = settled ?? false;
        break;
      }
      way.push(at);
      onWay.add(at);
      const parent: string | undefined = spans[at]?.parent;
      at = parent === undefined ? undefined : positions.get(parent);
      if (at !== undefined && spans[at]?.kind === 'tool') {
        isBelow = true;
        break;
      }
    }
    for (const span of way.reverse()) {
      known[span] = isBelow;
      onWay.delete(span);
      // Spans below a tool's span are below a tool.
      if (spans[span]?.kind === 'tool') isBelow = true;
    }
  }
  return known.map((isBelow) => isBelow === true);
}

function modelCalls(spans: readonly Span[], isBelowTool: readonly boolean[]): readonly ModelCall[] {
  const all = spans.flatMap((span, i) =>
    span.kind === 'model' ? [{ span, isBelow: isBelowTool[i] === true }] : [],
  );
  const own = all.filter(({ isBelow }) => !isBelow);
  return (own.length === 0 ? all : own).flatMap(({ span }) => {
    const asked = span.asked?.() ?? dialogueOf(span.input, 'user');
    const said = span.said?.() ?? dialogueOf(span.output, 'assistant');
    return asked.length + said.length === 0 ? [] : [{ span, asked, said }];
  });
}

function longest(calls: readonly ModelCall[]): ModelCall | undefined {
  let most: ModelCall | undefined;
  const lengthOf = (call: ModelCall): number => call.asked.length + call.said.length;
  for (const call of calls) if (most === undefined || lengthOf(call) >= lengthOf(most)) most = call;
  return most;
}

/** Many calls may be compared with one long message. */
const keys = new WeakMap<JsonObject, string>();

/** A message as it is repeated: its author, text and calls, without reasoning and ids. */
function keyOf(message: JsonObject): string {
  const known = keys.get(message);
  if (known !== undefined) return known;
  const key = readKey(message);
  keys.set(message, key);
  return key;
}

function readKey(message: JsonObject): string {
  const texts: string[] = [];
  const calls: string[] = [];
  for (const piece of readMessage(message).pieces) {
    if (piece.kind === 'text') texts.push(piece.text.trim());
    else if (piece.kind === 'call') calls.push(callKey(piece.call.name, piece.call.payload));
    else if (piece.kind === 'result') texts.push(piece.result.text.trim());
  }
  return JSON.stringify([roleOf(message), texts.filter((text) => text !== ''), calls]);
}

function callKey(name: string | undefined, payload: string): string {
  const parsed = tryParseJson(payload);
  return `${name ?? ''} ${isObject(parsed) ? argsKey(parsed['arguments']) : payload}`;
}

/** Arguments as JSON with sorted keys, because tracers parse and serialize them. */
function argsKey(args: unknown): string {
  const value = typeof args === 'string' ? (tryParseJson(args) ?? args) : args;
  try {
    return (
      JSON.stringify(value, (_key, inner: unknown) =>
        isObject(inner)
          ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
          : inner,
      ) ?? ''
    );
  } catch {
    return '[nested too deeply]';
  }
}

function isPrefix(messages: readonly JsonObject[], of: readonly JsonObject[]): boolean {
  if (messages.length === 0 || messages.length > of.length) return false;
  return messages.every((message, i) => {
    const other = of[i];
    return other !== undefined && (message === other || keyOf(message) === keyOf(other));
  });
}

/**
 * The input of the first call, up to the first answer of an earlier call. An answer counts only if the input of that
 * call had as many messages as precede the answer, because examples in a prompt may have the text of an answer.
 */
function promptOf(calls: readonly ModelCall[], chosen: ModelCall): readonly JsonObject[] {
  const first = calls.find(({ asked }) => isPrefix(asked, chosen.asked)) ?? chosen;
  const earlier = calls.slice(0, calls.indexOf(first));
  if (earlier.length === 0) return first.asked;
  const isSystem = (message: JsonObject): boolean => roleOf(message) === 'system';
  const given = new Set(
    earlier.flatMap(({ asked, said }) => {
      const answer = said.find(isFromPolicy);
      const before = asked.filter((message) => !isSystem(message)).length;
      return answer === undefined ? [] : [`${before} ${keyOf(answer)}`];
    }),
  );
  let before = 0;
  const end = first.asked.findIndex((message) => {
    if (isSystem(message)) return false;
    before++;
    return isFromPolicy(message) && given.has(`${before - 1} ${keyOf(message)}`);
  });
  return end <= 0 ? first.asked : first.asked.slice(0, end);
}

/** The calls that gave the answers of the conversation, each for one answer. */
function producersOf(calls: readonly ModelCall[], conversation: readonly JsonObject[]): readonly ModelCall[] {
  const open = new Map<string, number>();
  for (const message of conversation.filter(isFromPolicy)) {
    const key = keyOf(message);
    open.set(key, (open.get(key) ?? 0) + 1);
  }
  return calls.filter(({ said }) => {
    const answer = said.findLast(isFromPolicy);
    const key = answer === undefined ? undefined : keyOf(answer);
    const left = key === undefined ? 0 : (open.get(key) ?? 0);
    if (key === undefined || left === 0) return false;
    open.set(key, left - 1);
    return true;
  });
}

/**
 * Replaces repeated answers by the originals from the calls that gave them, which include the reasoning. Also takes
 * the last messages of those calls' inputs, because later calls often shorten earlier results.
 *
 * @param before messages of the prompt
 */
function withOwnMessages(
  messages: readonly JsonObject[],
  before: number,
  producers: readonly ModelCall[],
): readonly JsonObject[] {
  const byAnswer = new Map<
    string,
    { readonly answer: JsonObject; readonly asked: readonly JsonObject[] }[]
  >();
  for (const { asked, said } of producers.toReversed()) {
    const answer = said.findLast(isFromPolicy);
    if (answer === undefined) continue;
    const key = keyOf(answer);
    const list = byAnswer.get(key);
    if (list === undefined) byAnswer.set(key, [{ answer, asked }]);
    else list.push({ answer, asked });
  }
  const own = [...messages];
  messages.forEach((message, i) => {
    const producer = isFromPolicy(message) ? byAnswer.get(keyOf(message))?.pop() : undefined;
    if (producer === undefined) return;
    own[i] = producer.answer;
    if (producer.asked.length !== before + i) return;
    for (let at = i - 1; at >= 0; at--) {
      const [shown, asked] = [messages[at], producer.asked[before + at]];
      if (shown === undefined || asked === undefined || isFromPolicy(shown)) break;
      if (roleOf(shown) === roleOf(asked)) own[at] = asked;
    }
  });
  return own;
}

interface KnownCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Arguments as text. */
  readonly args: string | undefined;
}

/** The tool's span of each call; undefined where it is unknown. */
function matched(calls: readonly KnownCall[], tools: readonly Span[]): readonly (Span | undefined)[] {
  const found: (Span | undefined)[] = calls.map(() => undefined);
  const free = new Set(tools);
  const pair = (
    keyOfCall: (call: KnownCall) => string | undefined,
    keyOfTool: (tool: Span) => string | undefined,
  ) => {
    const waiting = new Map<string, Span[]>();
    for (const tool of free) {
      const key = keyOfTool(tool);
      if (key === undefined) continue;
      const list = waiting.get(key);
      if (list === undefined) waiting.set(key, [tool]);
      else list.push(tool);
    }
    for (const list of waiting.values()) list.reverse();
    calls.forEach((call, i) => {
      const key = found[i] === undefined ? keyOfCall(call) : undefined;
      const tool = key === undefined ? undefined : waiting.get(key)?.pop();
      if (tool === undefined) return;
      found[i] = tool;
      free.delete(tool);
    });
  };
  pair(
    ({ id }) => id,
    ({ call }) => call?.id,
  );
  const isNamed = (call: KnownCall): boolean => call.name !== undefined;
  pair(
    (call) => (isNamed(call) ? `${call.name} ${argsKey(call.args)}` : undefined),
    ({ call }) =>
      call?.name === undefined || call.id !== undefined ? undefined : `${call.name} ${argsKey(call.args)}`,
  );
  // Pairs the rest by order, but only if equally many spans and calls of a name remain.
  const counts = new Map<string | undefined, number>();
  calls.forEach(({ name }, i) => {
    if (found[i] === undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  });
  for (const { call } of free)
    if (call?.id === undefined) counts.set(call?.name, (counts.get(call?.name) ?? 0) - 1);
  pair(
    ({ name }) => (counts.get(name) === 0 ? name : undefined),
    ({ call }) => (call?.id === undefined && counts.get(call?.name) === 0 ? call?.name : undefined),
  );
  return found;
}

/** Inserts results that the conversation lacks (such as those of its last calls) after their calls. */
function withResults(messages: readonly JsonObject[], tools: readonly Span[]): readonly JsonObject[] {
  const calls: (KnownCall & { readonly at: number })[] = [];
  /** Number of results by id. Some servers give the calls of every answer the same ids. */
  const answered = new Map<string, number>();
  let lastResult = -1;
  messages.forEach((message, at) => {
    for (const piece of readMessage(message).pieces) {
      if (piece.kind === 'result') {
        lastResult = at;
        const { id } = piece.result;
        if (id !== undefined) answered.set(id, (answered.get(id) ?? 0) + 1);
      } else if (piece.kind === 'call' && isFromPolicy(message)) {
        const payload = tryParseJson(piece.call.payload);
        const args = isObject(payload) ? jsonText(payload['arguments']) : piece.call.payload;
        calls.push({ at, id: piece.call.id, name: piece.call.name, args });
      }
    }
  });
  const found = matched(calls, tools);
  const added = new Map<number, JsonObject[]>();
  calls.forEach(({ at, id }, i) => {
    const tool = found[i];
    // A result without an id belongs to the calls before it.
    const results = id === undefined ? 0 : (answered.get(id) ?? 0);
    const isOpen = id === undefined ? at > lastResult : results === 0;
    if (id !== undefined && results > 0) answered.set(id, results - 1);
    if (!isOpen || tool === undefined) return;
    const text = resultOf(tool);
    if (text === undefined) return;
    const result = { role: 'tool', tool_call_id: id, content: text, is_error: tool.failure !== undefined };
    const list = added.get(at);
    if (list === undefined) added.set(at, [result]);
    else list.push(result);
  });
  return messages.flatMap((message, at) => [message, ...(added.get(at) ?? [])]);
}

/** The result of a tool, else its failure. undefined: neither is logged. */
function resultOf({ output, failure }: Span): string | undefined {
  if (output === undefined || output === null)
    return failure === undefined ? undefined : (failure.message ?? '');
  const [message] = isObject(output) || typeof output === 'string' ? dialogueOf(output, 'assistant') : [];
  // LangChain logs the tool's message.
  const isMessage = message !== undefined && roleOf(message) === 'tool';
  return isMessage
    ? textOf(message['content'])
    : textOf(isObject(output) && Object.keys(output).length === 1 ? (output['output'] ?? output) : output);
}

const SUCCESSES: ReadonlySet<ToolOutcome> = new Set(['ok', 'ok_stdout', 'ok_empty', 'missing']);

/** Adds latency, start and failure of the tools' spans. */
function withSpans(calls: readonly ToolCall[], tools: readonly Span[]): readonly ToolCall[] {
  const known = calls.map(({ callId, name, arguments: args }) => ({ id: callId, name, args }));
  const found = matched(known, tools);
  return calls.map((call, i) => {
    const tool = found[i];
    if (tool === undefined) return call;
    const { startedAt, endedAt, failure } = tool;
    const seconds = startedAt === undefined || endedAt === undefined ? -1 : endedAt - startedAt;
    return {
      ...call,
      ...(failure !== undefined && SUCCESSES.has(call.outcome) ? { outcome: 'error' as const } : {}),
      // Rounded to the microsecond that tracers log.
      ...(seconds < 0
        ? {}
        : { latencyMs: Math.round(seconds * 1e6) / 1e3, latencySource: 'logged' as const }),
      ...(startedAt === undefined ? {} : { startedAt }),
    };
  });
}

/** Sampled tokens per turn, if every turn is one of the calls. Tracers log 0 where the provider gave no usage. */
function withUsage(turns: readonly Turn[], producers: readonly ModelCall[]): readonly Turn[] {
  if (turns.length !== producers.length) return turns;
  return turns.map((turn, i) => {
    const policyTokens = producers[i]?.span.policyTokens;
    return policyTokens === undefined || policyTokens === 0 ? turn : { ...turn, policyTokens };
  });
}

/** Turns of calls only: each model call begins one, with the tools that ran before the next. */
function bodyWithoutModel(
  spans: readonly Span[],
  isBelowTool: readonly boolean[],
  root: Span | undefined,
  facts: KnownFacts,
  failureOfRun: Span['failure'],
): RolloutBody | undefined {
  const asked = root?.kind === 'tool' ? [] : dialogueOf(root?.input, 'user');
  const said = root?.kind === 'tool' ? [] : dialogueOf(root?.output, 'assistant');
  const response: JsonObject[] = [];
  let calls: JsonObject[] = [];
  let results: JsonObject[] = [];
  const flush = (): void => {
    if (calls.length > 0) response.push({ role: 'assistant', content: null, tool_calls: calls }, ...results);
    [calls, results] = [[], []];
  };
  spans.forEach((span, i) => {
    if (isBelowTool[i] === true) return;
    if (span.kind === 'model') flush();
    if (span.kind !== 'tool') return;
    const id = span.call?.id ?? `span ${i}`;
    calls.push({ id, name: span.call?.name ?? span.name, arguments: span.call?.args ?? {} });
    const text = resultOf(span);
    if (text !== undefined)
      results.push({ role: 'tool', tool_call_id: id, content: text, is_error: span.failure !== undefined });
  });
  flush();
  if (asked.length + said.length + response.length === 0) {
    // A model call without messages is a rollout without a text.
    if (!spans.some(({ kind }) => kind === 'model')) return undefined;
    return bodyOf(problemOf('', [], facts), { text: '', segments: [], toolCalls: [], turns: 0 }, facts);
  }
  const failed = failureOfRun ?? root?.failure;
  const stop = failed === undefined ? undefined : stopOfFailure(failed);
  return bodyOfTask(
    [...response, ...said.filter(isFromPolicy)],
    { ...facts, ...(stop === undefined ? {} : { stop }) },
    asked,
  );
}

function restOf(span: Span, isShownNowhere: boolean): JsonObject {
  const { id, parent, kind, name, startedAt, endedAt, failure, input, output, extra } = span;
  const known = { id, parent, kind, name, started_at: startedAt, ended_at: endedAt, error: failure?.message };
  const rest = { ...known, ...(isShownNowhere ? { input, output } : {}), ...extra };
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}
