/**
 * JSON with source text: values keep their spelling, so that integers beyond 2⁵³ survive. Used for arguments
 * of tool calls, which are compared and shown rather than computed with.
 */

import { type Node, parseTree } from 'jsonc-parser';
import { countValues } from './parseJson.ts';

export type JsonNode =
  | { readonly kind: 'object'; readonly source: string; readonly entries: ReadonlyMap<string, JsonNode> }
  | { readonly kind: 'array'; readonly source: string; readonly items: readonly JsonNode[] }
  | { readonly kind: 'number' | 'string' | 'literal'; readonly source: string };

/** Deeper nesting is rejected. */
const MAX_DEPTH = 200;

/** Characters. Shorter texts have fewer values. */
const UNCOUNTED = 1 << 17;
/** Objects, lists, fields and entries. A page takes 0.2 s for so many. */
const MOST_VALUES = 100_000;

/** Undefined when the text is not JSON, nested too deep, or has more values than can be shown. The last of repeated keys counts, as in JavaScript and Python. */
export function readJson(text: string): JsonNode | undefined {
  if (text.length > UNCOUNTED) {
    const { values, commas } = countValues(text);
    if (values + commas > MOST_VALUES) return undefined;
  }
  try {
    JSON.parse(text); // The library is lenient.
    const tree = parseTree(text);
    return tree === undefined ? undefined : nodeOf(tree, text, 0);
  } catch {
    return undefined;
  }
}

function nodeOf(
  { type, offset, length, children = [] }: Node,
  text: string,
  depth: number,
): JsonNode | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const source = text.slice(offset, offset + length);
  switch (type) {
    case 'object': {
      const entries = new Map<string, JsonNode>();
      for (const { children: [key, child] = [] } of children) {
        const value = child && nodeOf(child, text, depth + 1);
        if (value === undefined) return undefined;
        entries.set(String(key?.value), value);
      }
      return { kind: 'object', source, entries };
    }
    case 'array': {
      const items: JsonNode[] = [];
      for (const child of children) {
        const item = nodeOf(child, text, depth + 1);
        if (item === undefined) return undefined;
        items.push(item);
      }
      return { kind: 'array', source, items };
    }
    case 'string':
    case 'number':
      return { kind: type, source };
    default:
      return { kind: 'literal', source };
  }
}

/** A text that is the same for equal values: keys sorted, strings unescaped, numbers by their exact value. */
export function canonicalJson(node: JsonNode): string {
  switch (node.kind) {
    case 'object': {
      const entries = [...node.entries].sort(([one], [other]) => (one < other ? -1 : 1));
      return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${canonicalJson(value)}`).join(',')}}`;
    }
    case 'array':
      return `[${node.items.map(canonicalJson).join(',')}]`;
    case 'string':
      return JSON.stringify(JSON.parse(node.source));
    case 'number':
      return canonicalNumber(node.source);
    default:
      return node.source;
  }
}

/**
 * Digits without leading and trailing zeros, and the exponent of the last: 1200, 1.2e3 and 1200.0 become
 * 12e2.
 */
function canonicalNumber(source: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (match === null) return source;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  let last = digits.length;
  while (last > 0 && digits.charAt(last - 1) === '0') last--;
  if (last === 0) return '0';
  const power = Number(exponent) - fraction.length + digits.length - last;
  return `${sign}${digits.slice(0, last)}e${power}`;
}

/** As `JSON.stringify` writes it, with strings unescaped and numbers as written. */
export function compactJson(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return `{${[...node.entries].map(([key, value]) => `${JSON.stringify(key)}:${compactJson(value)}`).join(',')}}`;
    case 'array':
      return `[${node.items.map(compactJson).join(',')}]`;
    case 'string':
      return JSON.stringify(JSON.parse(node.source));
    default:
      return node.source;
  }
}

/** Indented by two as in `JSON.stringify`, with strings unescaped and numbers as written. */
export function indentedJson(node: JsonNode, indent = ''): string {
  const inner = `${indent}  `;
  switch (node.kind) {
    case 'object': {
      const parts = [...node.entries].map(
        ([key, value]) => `${inner}${JSON.stringify(key)}: ${indentedJson(value, inner)}`,
      );
      return parts.length === 0 ? '{}' : `{\n${parts.join(',\n')}\n${indent}}`;
    }
    case 'array': {
      const parts = node.items.map((item) => `${inner}${indentedJson(item, inner)}`);
      return parts.length === 0 ? '[]' : `[\n${parts.join(',\n')}\n${indent}]`;
    }
    case 'string':
      return JSON.stringify(JSON.parse(node.source));
    default:
      return node.source;
  }
}

/** Indentation may take this many times the length of the text, in UTF-16 units. Many tokens at a deep level need more. */
const MOST_GROWTH = 10;
/** Spaces that a short text may have all the same. */
const FEW_SPACES = 100_000;

/**
 * Indents JSON by its tokens alone. Parsing and printing would round integers beyond 2^53 and reject Python's NaN;
 * this keeps every token as written.
 *
 * @returns undefined if the text does not look like an object or a list, or is nested so deeply that indentation would
 * be most of it
 */
export function reindentedJson(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const out: string[] = [];
  let depth = 0;
  let spaces = 0;
  const newline = () => {
    spaces += 2 * depth;
    out.push('\n', '  '.repeat(depth));
  };
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g);
  let previous = '';
  for (const [token] of tokens) {
    const closes = token === '}' || token === ']';
    const opened = previous === '{' || previous === '[';
    if (closes) {
      depth = Math.max(0, depth - 1);
      if (!opened) newline();
    } else if (opened) newline();
    out.push(token);
    if (token === '{' || token === '[') depth += 1;
    if (depth > MAX_DEPTH || spaces > FEW_SPACES + MOST_GROWTH * text.length) return undefined;
    if (token === ',') newline();
    if (token === ':') out.push(' ');
    previous = token;
  }
  return out.join('');
}
