/** The `tokens` object of the Turnwise log: columns of one length, as JSON arrays or packed. */
import { decodeBase64, decodePacked, decodeRuns, textOfByteTokens } from './binary.ts';
import { isObject, type JsonObject } from './fields.ts';
import type { LineIssue, ParsedTokens } from './format.ts';

export interface ParsedTokenColumns {
  readonly tokens?: ParsedTokens;
  /** The decoded response. Absent if the tokens have neither text nor bytes. */
  readonly text?: string;
  readonly warnings: readonly LineIssue[];
}

const COLUMNS = [
  'ids',
  'mask',
  'entropy',
  'logprob',
  'trainer_logprob',
  'advantage',
  'ends',
  'text',
  'bytes',
  'top',
] as const;
type Column = (typeof COLUMNS)[number];

export function readTokens(value: unknown): ParsedTokenColumns {
  if (value === undefined || value === null) return { warnings: [] };
  if (!isObject(value))
    return { warnings: [warning('bad_tokens', '"tokens" is not an object; its signals are not read')] };
  const warnings: LineIssue[] = [];
  const columns = new Map<Column, ArrayLike<unknown>>();
  for (const name of COLUMNS) {
    const column = value[name];
    if (column === undefined || column === null || isRuns(name, column)) continue;
    const numbers = typeof column === 'string' ? decodePacked(column) : column;
    if (Array.isArray(numbers) || ArrayBuffer.isView(numbers))
      columns.set(name, numbers as ArrayLike<unknown>);
    else
      warnings.push(
        warning('bad_tokens', `"tokens.${name}" is neither an array nor packed numbers; not read`),
      );
  }
  const count = lengthOf(columns, warnings);
  const { mask } = value;
  if (isRuns('mask', mask)) {
    const decoded = count === undefined ? undefined : decodeRuns(mask, count);
    if (decoded !== undefined) columns.set('mask', decoded);
    else
      warnings.push(
        warning('bad_tokens', '"tokens.mask" has runs of another length than the other columns; not read'),
      );
  }
  if (count === undefined) return { warnings };
  const spelled = spell(columns, warnings);
  const tokens: ParsedTokens = {
    count,
    ends: spelled?.ends ?? endsOf(columns.get('ends'), warnings),
    ids: idsOf(columns.get('ids'), warnings),
    mask: maskOf(columns.get('mask')),
    entropy: floats(columns.get('entropy')),
    logprob: floats(columns.get('logprob')),
    trainerLogprob: floats(columns.get('trainer_logprob')),
    advantage: floats(columns.get('advantage')),
    top: topOf(columns.get('top')),
    entropyOf: entropyOfOf(value['entropy_of'], warnings),
  };
  return { tokens, text: spelled?.text, warnings };
}

const isRuns = (name: Column, column: unknown): column is string =>
  name === 'mask' && typeof column === 'string' && column.startsWith('runs:');

/** Offsets outside the text, or decreasing ones, are invalid: the tokens then stay unaligned. */
export function alignTo(
  text: string,
  tokens: ParsedTokens,
): { tokens: ParsedTokens; warnings: readonly LineIssue[] } {
  const { ends } = tokens;
  if (ends === undefined) {
    // Ids find their place by a tokenizer, after the log has been read.
    if (tokens.ids !== undefined) return { tokens, warnings: [] };
    const message =
      'the tokens have neither text, bytes nor ends, so their signals cannot be aligned with the text';
    return { tokens, warnings: [warning('unaligned_tokens', message)] };
  }
  let before = 0;
  for (const end of ends) {
    if (end < before || end > text.length) {
      const message = `token offsets leave the response (${end} after ${before}, of ${text.length}); signals are not aligned with the text`;
      return { tokens: { ...tokens, ends: undefined }, warnings: [warning('unaligned_tokens', message)] };
    }
    before = end;
  }
  return { tokens, warnings: [] };
}

/** The length of most columns. Columns of other lengths are dropped with a warning. */
function lengthOf(columns: Map<Column, ArrayLike<unknown>>, warnings: LineIssue[]): number | undefined {
  const votes = new Map<number, number>();
  for (const { length } of columns.values()) votes.set(length, (votes.get(length) ?? 0) + 1);
  const [count] = [...votes].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (count === undefined) return undefined;
  for (const [name, column] of columns) {
    if (column.length === count) continue;
    columns.delete(name);
    const message = `"tokens.${name}" has ${column.length} entries, but most columns have ${count}; not read`;
    warnings.push(warning('token_length', message));
  }
  return count;
}

function spell(
  columns: Map<Column, ArrayLike<unknown>>,
  warnings: LineIssue[],
): { text: string; ends: Uint32Array } | undefined {
  const bytes = columns.get('bytes');
  if (bytes !== undefined) {
    const decoded = Array.from(bytes, (token) =>
      typeof token === 'string' ? decodeBase64(token) : undefined,
    );
    if (decoded.every((token) => token !== undefined)) return textOfByteTokens(decoded);
    warnings.push(warning('bad_tokens', '"tokens.bytes" contains a value that is not base64; not read'));
  }
  const texts = columns.get('text');
  if (texts === undefined) return undefined;
  const ends = new Uint32Array(texts.length);
  let text = '';
  for (let i = 0; i < texts.length; i++) {
    const token = texts[i];
    if (typeof token === 'string') text += token;
    ends[i] = text.length;
  }
  return { text, ends };
}

function endsOf(column: ArrayLike<unknown> | undefined, warnings: LineIssue[]): Uint32Array | undefined {
  if (column === undefined) return undefined;
  return filled(new Uint32Array(column.length), column, 'ends', 'an offset', warnings);
}

function idsOf(column: ArrayLike<unknown> | undefined, warnings: LineIssue[]): Int32Array | undefined {
  if (column === undefined) return undefined;
  return filled(new Int32Array(column.length), column, 'ids', 'a token id', warnings);
}

/** Fills `numbers`. Returns undefined if a value does not fit, because no number means "unknown id or offset". */
function filled<T extends Int32Array | Uint32Array>(
  numbers: T,
  column: ArrayLike<unknown>,
  name: Column,
  noun: string,
  warnings: LineIssue[],
): T | undefined {
  for (let i = 0; i < numbers.length; i++) {
    const value = column[i];
    if (typeof value === 'number') numbers[i] = value;
    if (numbers[i] === value) continue;
    const message = `"tokens.${name}" contains ${JSON.stringify(value)}, which is not ${noun}; not read`;
    warnings.push(warning('bad_tokens', message));
    return undefined;
  }
  return numbers;
}

// Plain loops, because `from` with a callback uses an iterator and these columns are most of a log.

function maskOf(column: ArrayLike<unknown> | undefined): Uint8Array | undefined {
  if (column === undefined) return undefined;
  const mask = new Uint8Array(column.length);
  for (let i = 0; i < mask.length; i++) if (column[i] === 1 || column[i] === true) mask[i] = 1;
  return mask;
}

/** null, missing and non-numbers become NaN: unknown rather than zero. */
function floats(column: ArrayLike<unknown> | undefined): Float32Array | undefined {
  if (column === undefined || column instanceof Float32Array) return column;
  const values = new Float32Array(column.length);
  for (let i = 0; i < values.length; i++) {
    const value = column[i];
    values[i] = typeof value === 'number' ? value : Number.NaN;
  }
  return values;
}

function topOf(column: ArrayLike<unknown> | undefined): readonly unknown[] | undefined {
  return column === undefined ? undefined : Array.from(column);
}

const ENTROPY_OF = {
  kind: 'string',
  k: 'number',
  unit: 'string',
  temperature: 'number',
  policy: 'string',
} as const;

/** The known fields. Those of another type are left out with a warning. */
function entropyOfOf(value: unknown, warnings: LineIssue[]): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const warn = (message: string): void => void warnings.push(warning('bad_tokens', message));
  if (!isObject(value)) {
    warn('"tokens.entropy_of" is not an object; not read');
    return undefined;
  }
  const fields = Object.entries(ENTROPY_OF).flatMap(([name, type]) => {
    const field = value[name];
    if (field === undefined || field === null) return [];
    if (typeof field === type) return [[name, field] as const];
    warn(`"tokens.entropy_of.${name}" is not a ${type}; not read`);
    return [];
  });
  const { kind, ...others } = Object.fromEntries(fields);
  if (kind === 'full' || kind === 'top-k') return { kind, ...others };
  warn('"tokens.entropy_of" has no "kind" that is "full" or "top-k", so the kind of entropy is unknown');
  return Object.keys(others).length === 0 ? undefined : others;
}

function warning(code: string, message: string): LineIssue {
  return { severity: 'warning', code, message };
}
