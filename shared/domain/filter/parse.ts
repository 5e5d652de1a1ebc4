/**
 * The filter language:
 *
 *   filter := all ('or' all)*
 *   all    := one ('and'? one)*
 *   one    := ('not' | '-') one | '(' filter ')' | field ':' value (',' value)* | word | "words" | /regex/flags
 *
 * Values: `0` `>2` `>=8k` `40..60` `40..` `..60` for numbers; words, `"quoted"` and patterns with `*` for
 * words; `*` for known and `none` for unknown with either. For annotation fields `any` means the same as `*`.
 * Never throws.
 */
import { SEVERITIES } from '../annotate/annotation.ts';
import { parseScoreCondition } from '../scores.ts';
import {
  type Field,
  type FieldName,
  type FlagField,
  fieldNamed,
  isAnnotationField,
  nearestField,
  type TextField,
} from './fields.ts';
import { type Token, tokensOf } from './lexer.ts';
import type { FilterFault, FilterNode, NumberNode, ReadFilter, TextNode } from './node.ts';
import { readBounds } from './numbers.ts';
import { wordsOf } from './words.ts';

/** Rejects deeper nesting, because every visitor of the tree recurses. */
const MOST_NESTED = 50;
/** Longer filters are rejected. */
export const LONGEST_FILTER = 20_000;
const MOST_VALUES = 500;

class Unreadable extends Error {
  readonly fault: FilterFault;
  constructor(fault: FilterFault) {
    super(fault.message);
    this.fault = fault;
  }
}

export function readFilter(text: string): ReadFilter {
  if (text.length > LONGEST_FILTER) {
    const message = `a filter has at most ${LONGEST_FILTER} characters`;
    return { ok: false, fault: { message, start: LONGEST_FILTER, end: text.length } };
  }
  const tokens = tokensOf(text);
  if ('message' in tokens) return { ok: false, fault: tokens };
  if (tokens.length === 0) return { ok: true, node: { kind: 'all' } };
  try {
    return { ok: true, node: new Reader(tokens, text).read() };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, fault: error.fault };
    throw error;
  }
}

/** Position of a fault for people: in characters, from 1, rather than UTF-16 code units. */
export function characterOf(text: string, { start }: FilterFault): number {
  return Array.from(text.slice(0, start)).length + 1;
}

class Reader {
  private at = 0;
  private depth = 0;
  private readonly tokens: readonly Token[];
  private readonly text: string;

  constructor(tokens: readonly Token[], text: string) {
    this.tokens = tokens;
    this.text = text;
  }

  read(): FilterNode {
    const node = this.either();
    const rest = this.tokens[this.at];
    if (rest !== undefined) fail('this bracket was not opened', rest);
    return node;
  }

  private either(): FilterNode {
    const nodes = [this.every()];
    while (this.isWord('or')) {
      this.at++;
      nodes.push(this.every());
    }
    return joined('or', nodes);
  }

  private every(): FilterNode {
    const nodes = [this.one()];
    for (;;) {
      const token = this.tokens[this.at];
      if (token === undefined || token.kind === ')' || this.isWord('or')) break;
      if (this.isWord('and')) this.at++;
      nodes.push(this.one());
    }
    return joined('and', nodes);
  }

  private one(): FilterNode {
    const token = this.tokens[this.at];
    if (token === undefined) {
      const last = this.tokens.at(-1);
      const end = this.text.length;
      const start = last?.kind === '(' || last?.kind === '-' || last?.kind === 'word' ? last.start : end;
      throw new Unreadable({ message: 'a condition is missing here', start, end });
    }
    if (token.kind === ')') fail('a condition is missing before this bracket', token);
    if (token.kind === '-' || this.isWord('not')) {
      this.at++;
      return this.nested(token, () => ({ kind: 'not', node: this.one() }));
    }
    if (token.kind === '(') {
      this.at++;
      return this.nested(token, () => {
        const node = this.either();
        if (this.tokens[this.at]?.kind !== ')') fail('this bracket is not closed', token);
        this.at++;
        return node;
      });
    }
    if (this.isWord('and') || this.isWord('or')) fail('a condition is missing before this word', token);
    this.at++;
    return token.kind === 'field' ? this.fieldNode(token) : textNode('text', token);
  }

  private nested(token: Token, read: () => FilterNode): FilterNode {
    if (++this.depth > MOST_NESTED)
      fail(`conditions may be nested at most ${MOST_NESTED} levels deep`, token);
    const node = read();
    this.depth--;
    return node;
  }

  private fieldNode(token: Extract<Token, { kind: 'field' }>): FilterNode {
    const field = fieldNamed(token.name.toLowerCase());
    const name = { start: token.start, end: token.end - 1 };
    if (field === undefined) {
      const near = nearestField(token.name);
      const hint = near === undefined ? '.' : `; did you mean ${near}:?`;
      fail(`there is no field ${token.name}${hint} To search for it as text, put it in quotes`, name);
    }
    const value = this.tokens[this.at];
    if (value === undefined || value.start !== token.end || value.kind === '(' || value.kind === ')')
      fail(`a value is missing after ${field.name}:, as in ${field.example}`, {
        start: token.start,
        end: token.end,
      });
    this.at++;
    if (field.kind === 'text') return textNode(field.name as TextField, value);
    const nodes = this.valuesFrom(value).map((each) => valueNode(field, each));
    return joined(
      'or',
      nodes.flatMap((node) => (node.kind === 'or' ? node.nodes : [node])),
    );
  }

  /** `a,"b c",d`: bare and quoted words without spaces between. */
  private valuesFrom(first: Token): readonly Value[] {
    const values: Value[] = [];
    let token: Token | undefined = first;
    let end = first.start;
    let isOpen = true;
    while (token !== undefined && token.start === end) {
      end = token.end;
      if (token.kind === 'quoted') {
        if (!isOpen) break;
        values.push({ text: token.text, isQuoted: true, start: token.start, end: token.end });
        isOpen = false;
      } else if (token.kind === 'word') {
        const parts: readonly string[] = token.text.split(',');
        let start = token.start;
        for (const [i, part] of parts.entries()) {
          const isEdge = i === 0 && !isOpen;
          if (isEdge && part !== '') fail('a comma is missing between two values', token);
          if (part !== '') values.push({ text: part, isQuoted: false, start, end: start + part.length });
          start += part.length + 1;
        }
        isOpen = token.text.endsWith(',');
      } else fail('expected a value', token);
      if (token !== first) this.at++;
      token = this.tokens[this.at];
      if (!isOpen && token?.kind !== 'word') break;
      if (!isOpen && token?.kind === 'word' && !token.text.startsWith(',')) break;
    }
    if (isOpen) fail('a value is missing after this comma', { start: end - 1, end });
    if (values.length === 0) fail('expected a value', first);
    if (values.length > MOST_VALUES) fail(`a condition takes at most ${MOST_VALUES} values`, first);
    return values;
  }

  private isWord(text: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'word' && token.text.toLowerCase() === text;
  }
}

interface Value {
  readonly text: string;
  readonly isQuoted: boolean;
  readonly start: number;
  readonly end: number;
}

function joined(kind: 'and' | 'or', nodes: readonly FilterNode[]): FilterNode {
  const [first] = nodes;
  return nodes.length === 1 && first !== undefined ? first : { kind, nodes };
}

function valueNode(field: Field, value: Value): FilterNode {
  const name = field.name as Exclude<FieldName, TextField>;
  if (!value.isQuoted && value.text === '*') return { kind: 'known', field: name };
  if (!value.isQuoted && value.text.toLowerCase() === 'none')
    return { kind: 'not', node: { kind: 'known', field: name } };
  if (!value.isQuoted && isAnnotationField(name) && value.text.toLowerCase() === 'any')
    return { kind: 'known', field: name };
  switch (field.kind) {
    case 'number': {
      const bounds = value.isQuoted ? undefined : readBounds(value.text);
      if (bounds === undefined)
        fail(`${field.name}: expects a number, as in ${field.example}; found ${shown(value.text)}`, value);
      if ('message' in bounds) fail(bounds.message, value);
      return { kind: 'number', field: field.name as NumberNode['field'], ...bounds };
    }
    case 'flag': {
      const flag = FLAGS.get(value.text.toLowerCase());
      if (flag === undefined)
        fail(`${field.name}: expects true, false or none; found ${shown(value.text)}`, value);
      return { kind: 'flag', field: field.name as FlagField, value: flag };
    }
    case 'word': {
      const isPattern = !value.isQuoted && value.text.includes('*');
      if (field.name === 'severity' && !isPattern) return severityNode(value);
      if (field.name === 'scores' && parseScoreCondition(value.text) === undefined)
        fail(
          `scores: expects a name, or a name with a value, as in scores:match=C or scores:style>=0.5; found ${shown(value.text)}`,
          value,
        );
      const unscored =
        field.name === 'scores' && !value.isQuoted ? /^(.+)=none$/i.exec(value.text)?.[1] : undefined;
      if (unscored !== undefined)
        return { kind: 'not', node: { kind: 'word', field: 'scores', text: unscored, isPattern: false } };
      const { values } = field;
      if (values !== undefined && !isPattern && !values.includes(value.text.toLowerCase()))
        fail(`${field.name}: expects one of ${values.join(', ')}; found ${shown(value.text)}`, value);
      return { kind: 'word', field: field.name as 'answer', text: value.text, isPattern };
    }
    case 'text':
      throw new Error('texts have values of their own');
  }
}

/** Severities are ordered: `>=major` expands to each of them. */
function severityNode(value: Value): FilterNode {
  const [, sign = '', least = '', dots, most = ''] =
    /^(>=|<=|>|<|)([a-z]*)(\.\.)?([a-z]*)$/.exec(value.text.toLowerCase()) ?? [];
  const at = (name: string): number => (SEVERITIES as readonly string[]).indexOf(name);
  const isRange = dots !== undefined && sign === '' && (least !== '' || most !== '');
  const isKnown = (name: string): boolean => at(name) >= 0 || (isRange && name === '');
  if (!isKnown(least) || (isRange ? !isKnown(most) : most !== '' || dots !== undefined))
    fail(
      `severity: expects one of ${SEVERITIES.join(', ')}, as in severity:>=major; found ${shown(value.text)}`,
      value,
    );
  const wanted = SEVERITIES.filter((_, i) => {
    if (isRange) return i >= at(least) && (most === '' || i <= at(most));
    switch (sign) {
      case '>':
        return i > at(least);
      case '>=':
        return i >= at(least);
      case '<':
        return i < at(least);
      case '<=':
        return i <= at(least);
      default:
        return i === at(least);
    }
  });
  if (wanted.length === 0) fail(`there is no severity ${value.text}`, value);
  return joined(
    'or',
    wanted.map((text) => ({ kind: 'word', field: 'severity', text, isPattern: false })),
  );
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

function textNode(field: TextField, token: Token): TextNode {
  switch (token.kind) {
    case 'regex': {
      const unknown = /[^imsu]/.exec(token.flags);
      if (unknown !== null)
        fail(`flags of a regular expression are i, m and s; found ${unknown[0]}`, {
          start: token.end - token.flags.length,
          end: token.end,
        });
      const flags = [...new Set(token.flags.replace('u', ''))].sort().join('');
      const problem = regexProblem(token.text, flags);
      if (problem !== undefined) fail(problem, token);
      return { kind: 'text', field, form: 'regex', text: token.text, ...(flags === '' ? {} : { flags }) };
    }
    case 'quoted':
      if (wordsOf(token.text).length === 0)
        fail(
          'a search needs a letter or a digit; to find signs, use a regular expression, as in /==/',
          token,
        );
      return { kind: 'text', field, form: 'words', text: token.text };
    case 'word': {
      const isPrefix = token.text.endsWith('*');
      const text = isPrefix ? token.text.slice(0, -1) : token.text;
      if (wordsOf(text).length === 0)
        fail(
          'a search needs a letter or a digit; to find signs, use a regular expression, as in /==/',
          token,
        );
      return { kind: 'text', field, form: isPrefix ? 'prefix' : 'words', text };
    }
    default:
      return fail('expected words to search for', token);
  }
}

/** @returns a message if the expression is invalid */
function regexProblem(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, `${flags}u`);
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return `invalid regular expression: ${said.slice(said.lastIndexOf(': ') + 2)}`;
  }
}

function shown(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function fail(message: string, { start, end }: { readonly start: number; readonly end: number }): never {
  throw new Unreadable({ message, start, end });
}
