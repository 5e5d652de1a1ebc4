/**
 * Facts that a log states about the contexts of the policy: the request behind each turn, tool responses that were cut,
 * and reasoning that a provider withheld. Ingest stores them as one extra field.
 */
import type { Turn, TurnNumber } from '../domain/model.ts';
import type {
  CutResponse,
  RedactedReasoning,
  ToolDefinitions,
  TurnRequest,
} from '../domain/policyContext.ts';
import { indexOf, isObject, type JsonObject, jsonText, stringOf, textField } from './fields.ts';

export interface LoggedContext {
  /** By turn, from turn 1; null: unknown. */
  readonly requests?: readonly (LoggedRequest | null)[];
  readonly truncated?: readonly CutResponse[];
  readonly redacted?: readonly RedactedReasoning[];
  /** As sent with the first request. */
  readonly tools?: ToolDefinitions;
}

/** A request whose text is in another extra field is stored without it. */
export interface LoggedRequest extends Omit<TurnRequest, 'prompt'> {
  /** Index into the extra field `parts`, which has the prompt of this request. */
  readonly part?: number;
}

/** The extra field. */
export const CONTEXT_FIELD = 'logged_context';

/** @returns undefined if nothing is known */
export function contextWith(...known: readonly (LoggedContext | undefined)[]): LoggedContext | undefined {
  const context: LoggedContext = Object.assign({}, ...known);
  return Object.keys(context).length === 0 ? undefined : context;
}

/** @returns undefined unless the requests are those of the turns, and one is known */
export function requestsOfTurns(
  turns: readonly Turn[],
  requests: readonly (LoggedRequest | null)[],
): LoggedContext | undefined {
  const isKnown = requests.length === turns.length && requests.some((request) => request !== null);
  return isKnown ? { requests } : undefined;
}

/** A request of which the log has the length. */
export function requestOfTokens(field: string, count: unknown): LoggedRequest | null {
  const tokens = indexOf(count);
  return tokens === undefined || tokens === 0 ? null : { field, tokens };
}

export interface ReadContext {
  readonly requests: ReadonlyMap<TurnNumber, TurnRequest>;
  readonly truncated: readonly CutResponse[];
  readonly redacted: readonly RedactedReasoning[];
  /** Absent: the extra fields have none. */
  readonly tools?: ToolDefinitions;
}

/** Reads the extra field. Entries of another shape are left out, because a library may be damaged. */
export function contextIn(extra: JsonObject): ReadContext {
  const logged = isObject(extra[CONTEXT_FIELD]) ? extra[CONTEXT_FIELD] : {};
  const parts = Array.isArray(extra['parts']) ? extra['parts'] : [];
  const requests = new Map<TurnNumber, TurnRequest>();
  listIn(logged['requests']).forEach((entry, i) => {
    const request = isObject(entry) ? requestOf(entry, parts) : undefined;
    if (request !== undefined) requests.set(i + 1, request);
  });
  return {
    requests,
    truncated: listIn(logged['truncated']).flatMap((entry) => cutOf(entry) ?? []),
    redacted: listIn(logged['redacted']).flatMap((entry) => redactedOf(entry) ?? []),
    ...toolsIn(extra, logged['tools']),
  };
}

/** Places of tool definitions in the formats. */
const TOOL_FIELDS = [
  ['tools'],
  ['responses_create_params', 'tools'],
  ['response', 'tools'],
  ['request', 'tools'],
  ['info', 'oai_tools'],
] as const;

function toolsIn(extra: JsonObject, stored: unknown): Pick<ReadContext, 'tools'> {
  if (isObject(stored)) {
    const [field, text] = [stringOf(stored['field']), stringOf(stored['text'])];
    return field === undefined || text === undefined ? {} : { tools: { field, text } };
  }
  for (const path of TOOL_FIELDS) {
    const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), extra);
    if (Array.isArray(value) && value.some(isObject))
      return { tools: { field: path.join('.'), text: toolsText(value) } };
  }
  return {};
}

/** One definition per line. Indentation would multiply the size of nested ones. */
export const toolsText = (tools: readonly unknown[]): string => `[\n${tools.map(jsonText).join(',\n')}\n]`;

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function requestOf(entry: JsonObject, parts: readonly unknown[]): TurnRequest | undefined {
  const field = stringOf(entry['field']);
  if (field === undefined) return undefined;
  const tokens = indexOf(entry['tokens']);
  const dropped = indexOf(entry['droppedMessages']);
  const compactedBy = textField(entry, 'compactedBy');
  const part = parts[indexOf(entry['part']) ?? -1];
  const prompt = isObject(part) ? stringOf(part['prompt']) : undefined;
  return {
    field,
    ...(tokens === undefined ? {} : { tokens }),
    ...(dropped === undefined ? {} : { droppedMessages: dropped }),
    ...(compactedBy === undefined ? {} : { compactedBy }),
    ...(prompt === undefined ? {} : { prompt }),
  };
}

function cutOf(entry: unknown): CutResponse | undefined {
  if (!isObject(entry)) return undefined;
  const [call, field] = [indexOf(entry['call']), stringOf(entry['field'])];
  return call === undefined || field === undefined ? undefined : { call, field };
}

function redactedOf(entry: unknown): RedactedReasoning | undefined {
  if (!isObject(entry)) return undefined;
  const turn = indexOf(entry['turn']);
  const summary = textField(entry, 'summary');
  return turn === undefined ? undefined : { turn, ...(summary === undefined ? {} : { summary }) };
}

/** Withheld reasoning of each turn that has some. */
export function redactedByTurn(extra: JsonObject): ReadonlyMap<TurnNumber, readonly RedactedReasoning[]> {
  return Map.groupBy(contextIn(extra).redacted, ({ turn }) => turn);
}
