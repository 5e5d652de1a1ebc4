/** A record as rows of a foldable tree, each with its mapping path. */
import { isObject } from '../../../shared/format/fields.ts';
import { type PathStep, writePath } from '../../../shared/format/recordPath.ts';

export interface TreeRow {
  readonly path: string;
  readonly steps: readonly PathStep[];
  readonly depth: number;
  readonly name: string;
  /** The value on one line. */
  readonly text: string;
  readonly type: 'text' | 'number' | 'truth' | 'null' | 'list' | 'object' | 'more';
  /** Undefined: cannot be folded. */
  readonly isFolded?: boolean;
}

/** Longer values are cut in their row. The JSON shows them in full. */
const MAX_TEXT = 240;
/** Elements of a list that get their own rows. The first ones show what the others contain. */
const MAX_CHILDREN = 100;
/** Deeper lists and objects are initially folded. */
const OPEN_DEPTH = 2;

export function oneLine(value: unknown, limit = MAX_TEXT): string {
  // Stringifying a list of a million numbers to show forty characters would make every row slow.
  if (Array.isArray(value) && value.length > limit)
    return cut(`${JSON.stringify(value.slice(0, limit)).slice(0, -1)},`, limit);
  const text = typeof value === 'string' ? value.slice(0, limit + 1) : (JSON.stringify(value) ?? 'nothing');
  return cut(text.replace(/\s+/g, ' '), limit);
}

const cut = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit)}…` : text;

function typeOf(value: unknown): Exclude<TreeRow['type'], 'more'> {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'truth';
  return 'object';
}

function childrenOf(value: unknown): readonly (readonly [PathStep, unknown])[] {
  if (Array.isArray(value)) return value.map((inner: unknown, i) => [i, inner] as const);
  return isObject(value) ? Object.entries(value) : [];
}

function sizeText(value: unknown, children: number): string {
  if (!Array.isArray(value)) return `${children} ${children === 1 ? 'field' : 'fields'}`;
  const first: unknown = value[0];
  const what = typeof first === 'number' ? 'number' : typeof first === 'string' ? 'text' : 'element';
  return `${children} ${what}${children === 1 ? '' : 's'}`;
}

/** @param flipped paths whose fold differs from its default */
export function treeRows(record: unknown, flipped: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const walk = (value: unknown, steps: readonly PathStep[]): void => {
    const children = childrenOf(value);
    for (const [step, inner] of children.slice(0, MAX_CHILDREN)) {
      const innerSteps = [...steps, step];
      const path = writePath(innerSteps);
      const type = typeOf(inner);
      const own = childrenOf(inner);
      const isPlainList =
        Array.isArray(inner) && !inner.some((one) => typeof one === 'object' && one !== null);
      const startsFolded = isPlainList || steps.length >= OPEN_DEPTH;
      const isFolded = own.length === 0 ? undefined : startsFolded !== flipped.has(path);
      const size = own.length === 0 ? '' : sizeText(inner, own.length);
      rows.push({
        path,
        steps: innerSteps,
        depth: steps.length,
        name: typeof step === 'number' ? `[${step}]` : step,
        text: own.length === 0 ? oneLine(inner) : isFolded ? `${size}: ${oneLine(inner)}` : size,
        type,
        ...(isFolded === undefined ? {} : { isFolded }),
      });
      if (isFolded === false) walk(inner, innerSteps);
    }
    if (children.length > MAX_CHILDREN) {
      const name = `… ${children.length - MAX_CHILDREN} more`;
      rows.push({ path: writePath(steps), steps, depth: steps.length, name, text: '', type: 'more' });
    }
  };
  walk(record, []);
  return rows;
}

/**
 * Parses JSON that may be cut off: returns its complete part, including the beginning of a text that was cut.
 * Undefined if not even the first field is complete.
 */
export function parsedRecord(json: string, isCut: boolean): unknown {
  const whole = tryParse(json);
  if (whole !== undefined || !isCut) return whole;
  const closers: string[] = [];
  let isInText = false;
  let textStart = 0;
  let expectsValue = false;
  // The last offset at which the text could end, and the brackets that would close it there.
  let safe: { readonly end: number; readonly close: string } | undefined;
  for (let i = 0; i < json.length; i += 1) {
    const char = json[i];
    if (isInText) {
      if (char === '\\') i += 1;
      else if (char === '"') isInText = false;
    } else if (char === '"') {
      isInText = true;
      textStart = i;
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      expectsValue = char === '[';
      safe = { end: i + 1, close: closers.toReversed().join('') };
    } else if (char === '}' || char === ']') {
      closers.pop();
      safe = { end: i + 1, close: closers.toReversed().join('') };
    } else if (char === ':') expectsValue = true;
    else if (char === ',') {
      safe = { end: i, close: closers.toReversed().join('') };
      expectsValue = closers.at(-1) === ']';
    }
  }
  if (isInText && expectsValue) {
    const inner = json.slice(textStart).replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '');
    const closed = tryParse(`${json.slice(0, textStart)}${inner}…"${closers.toReversed().join('')}`);
    if (closed !== undefined) return closed;
  }
  return safe === undefined ? undefined : tryParse(json.slice(0, safe.end) + safe.close);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // JSON that is cut off is expected here. The caller closes it.
    return undefined;
  }
}
