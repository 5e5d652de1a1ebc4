/**
 * JSON with source text: values keep their spelling, so that integers beyond 2⁵³ survive. Used for arguments
 * of tool calls, which are compared and shown rather than computed with.
 */

export type JsonNode =
  | { readonly kind: 'object'; readonly source: string; readonly entries: ReadonlyMap<string, JsonNode> }
  | { readonly kind: 'array'; readonly source: string; readonly items: readonly JsonNode[] }
  | { readonly kind: 'number' | 'string' | 'literal'; readonly source: string };

/** Deeper nesting is rejected. */
const MAX_DEPTH = 200;
const BLANK = /[ \t\n\r]*/y;
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y;

/**
 * Undefined if the text is not JSON or is nested too deep. The last value of a duplicate key wins, as in
 * JavaScript and Python.
 */
export function readJson(text: string): JsonNode | undefined {
  try {
    JSON.parse(text); // validates the JSON, so the rest may be lenient
  } catch {
    return undefined;
  }
  return new Reader(text).value(0);
}

class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  value(depth: number): JsonNode | undefined {
    if (depth > MAX_DEPTH) return undefined;
    this.skipBlank();
    const start = this.at;
    const first = this.text.charAt(start);
    if (first === '{') return this.object(start, depth);
    if (first === '[') return this.array(start, depth);
    const source = this.scalar();
    const kind = first === '"' ? 'string' : /[-\d]/.test(first) ? 'number' : 'literal';
    return { kind, source };
  }

  private object(start: number, depth: number): JsonNode | undefined {
    const entries = new Map<string, JsonNode>();
    this.at++;
    while (!this.takes('}')) {
      this.takes(',');
      this.skipBlank();
      const key: unknown = JSON.parse(this.scalar());
      this.takes(':');
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      entries.set(String(key), value);
    }
    return { kind: 'object', source: this.text.slice(start, this.at), entries };
  }

  private array(start: number, depth: number): JsonNode | undefined {
    const items: JsonNode[] = [];
    this.at++;
    while (!this.takes(']')) {
      this.takes(',');
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { kind: 'array', source: this.text.slice(start, this.at), items };
  }

  private scalar(): string {
    const start = this.at;
    if (this.text.charAt(start) === '"') this.at = stringEnd(this.text, start);
    else {
      SCALAR.lastIndex = start;
      this.at += Math.max(1, SCALAR.exec(this.text)?.[0].length ?? 0); // always advances
    }
    return this.text.slice(start, this.at);
  }

  private takes(sign: string): boolean {
    this.skipBlank();
    if (this.text.charAt(this.at) !== sign) return false;
    this.at++;
    return true;
  }

  private skipBlank(): void {
    BLANK.lastIndex = this.at;
    this.at += BLANK.exec(this.text)?.[0].length ?? 0;
  }
}

/**
 * A loop, because a pattern keeps backtracking state for every character and code in arguments can be long.
 */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

/** Equal for equal values: keys sorted, strings unescaped, numbers by exact value. */
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
