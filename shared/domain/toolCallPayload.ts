/**
 * The JSON between `<tool_call>` and `</tool_call>`: `{"name": "python_code_with_standard_io", "arguments":
 * {"code": "print(6*7)", "input": ""}}`.
 */
import { compactJson, readJson } from './jsonText.ts';

export interface CallPayload {
  /** An object with a name and arguments, as the trainer's parser requires. */
  readonly isWellFormed: boolean;
  readonly name?: string;
  /** JSON text. A string that contains JSON is unwrapped. */
  readonly arguments?: string;
  readonly code?: string;
}

/** The name is often readable even if the JSON around it is broken. */
const NAME = /"name"\s*:\s*"((?:[^"\\]|\\.){1,200})"/;

export function readCallPayload(payload: string): CallPayload {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    const name = NAME.exec(payload)?.[1];
    return name === undefined ? { isWellFormed: false } : { isWellFormed: false, name };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { isWellFormed: false };
  const name = 'name' in value && typeof value.name === 'string' ? value.name : undefined;
  const args = 'arguments' in value ? value.arguments : undefined;
  const isWellFormed = name !== undefined && args !== undefined;
  const read = readArguments(args);
  const exact =
    typeof args === 'object' && HAS_NUMBER_TO_KEEP.test(payload) ? exactArguments(payload) : undefined;
  return {
    isWellFormed,
    ...(name === undefined ? {} : { name }),
    ...read,
    ...(exact === undefined ? {} : { arguments: exact }),
  };
}

/**
 * Why no parser can read a call: `not valid JSON: Unexpected end of JSON input, and no closing </tool_call>`.
 *
 * @param after the markup after the payload
 * @returns undefined if nothing is wrong with the text
 */
export function callProblem(payload: string, after: string): string | undefined {
  const problem = payload.trim() === '' ? 'nothing follows <tool_call>' : payloadProblem(payload);
  const isClosed = after.includes('</tool_call>');
  if (isClosed || problem === 'nothing follows <tool_call>') return problem;
  return problem === undefined ? 'no closing </tool_call>' : `${problem}, and no closing </tool_call>`;
}

function payloadProblem(payload: string): string | undefined {
  const value = parsed(payload);
  if ('error' in value) return `not valid JSON: ${value.error}`;
  if (!isObject(value.json)) return 'not a JSON object';
  const { name, arguments: args } = value.json;
  if (typeof name !== 'string') return 'no tool is named';
  if (args === undefined) return 'no arguments';
  const inner = typeof args === 'string' && args.trim() !== '' ? parsed(args) : undefined;
  return inner !== undefined && 'error' in inner ? `arguments are not valid JSON: ${inner.error}` : undefined;
}

function parsed(text: string): { readonly json: unknown } | { readonly error: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const isObject = (value: unknown): value is { readonly name?: unknown; readonly arguments?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Numbers that another parser may rewrite: beyond 2⁵³, with trailing zeros after the point, with an exponent.
 */
const HAS_NUMBER_TO_KEEP = /\d{16}|\.\d*0(?!\d)|\d[eE][+-]?\d/;

/** Ids of orders and reservations are long numbers, which must not be rounded. */
function exactArguments(payload: string): string | undefined {
  const whole = readJson(payload);
  const args = whole?.kind === 'object' ? whole.entries.get('arguments') : undefined;
  return args === undefined ? undefined : compactJson(args);
}

/** Arguments as an object, or as a JSON string of one (OpenAI's form). */
function readArguments(args: unknown): { readonly arguments?: string; readonly code?: string } {
  if (args === undefined || args === null) return {};
  if (typeof args === 'string') {
    let inner: unknown;
    try {
      inner = JSON.parse(args);
    } catch {
      return { arguments: JSON.stringify(args) };
    }
    return { arguments: args, ...codeOf(inner) };
  }
  return { arguments: jsonOf(args), ...codeOf(args) };
}

/** Nesting near the stack limit can be parsed but not serialized again. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function codeOf(args: unknown): { readonly code?: string } {
  if (typeof args !== 'object' || args === null || !('code' in args)) return {};
  return typeof args.code === 'string' ? { code: args.code } : {};
}
