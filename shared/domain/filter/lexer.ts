/** Splits a filter's text into tokens with their ranges. */
import type { FilterFault } from './node.ts';

export type Token = { readonly start: number; readonly end: number } & (
  | { readonly kind: '(' | ')' | '-' }
  /** A bare word, including `and`, `or` and `not`, whose meaning depends on position. */
  | { readonly kind: 'word'; readonly text: string }
  /** `name:`; its value is the next token if that begins at `end`. */
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'regex'; readonly text: string; readonly flags: string }
);

const BLANK = /\s+/y;
/**
 * Accepts emoji: they are no letters, but text before a colon is meant as a name. `😀:1` must not become the
 * word 1.
 */
const FIELD = /[\p{L}_\p{So}][\p{L}\p{N}\p{M}_\p{So}\p{Sk}\u200d]*(?=:)/uy;
const WORD = /[^\s()"]+/y;
/** A value may contain quotes, as in 5'6", but not begin with one. */
const VALUE = /[^\s()"][^\s()]*/y;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
const REGEX = /\/((?:[^/\\\n]|\\[^\n])+)\/([a-z]*)/y;

export function tokensOf(text: string): readonly Token[] | FilterFault {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const add = (match: RegExpExecArray, token: { kind: string } & Record<string, unknown>): void => {
    tokens.push({ ...token, start: at, end: at + match[0].length } as Token);
    at += match[0].length;
  };
  /** Directly after a field, `-` is part of the value: `reward:-1`. */
  let isValue = false;
  while (at < text.length) {
    const blank = take(BLANK);
    if (blank !== null) {
      at += blank[0].length;
      isValue = false;
      continue;
    }
    const character = text[at];
    const wasValue = isValue;
    isValue = false;
    if (character === '(' || character === ')') {
      tokens.push({ kind: character, start: at, end: at + 1 });
      at += 1;
      continue;
    }
    if (character === '"') {
      const match = take(QUOTED);
      if (match === null) return { message: 'this quote is not closed', start: at, end: text.length };
      add(match, { kind: 'quoted', text: unquoted(match[1] ?? '') });
      continue;
    }
    if (character === '/') {
      const match = take(REGEX);
      if (match === null) {
        const message =
          'this regular expression is not closed; to search for a slash, put the word in quotes';
        return { message, start: at, end: text.length };
      }
      add(match, { kind: 'regex', text: match[1] ?? '', flags: match[2] ?? '' });
      continue;
    }
    if (character === '-' && !wasValue) {
      tokens.push({ kind: '-', start: at, end: at + 1 });
      at += 1;
      continue;
    }
    const field = wasValue ? null : take(FIELD);
    if (field !== null) {
      const name = field[0];
      tokens.push({ kind: 'field', name, start: at, end: at + name.length + 1 });
      at += name.length + 1;
      isValue = true;
      continue;
    }
    const word = take(wasValue ? VALUE : WORD);
    if (word === null) throw new Error(`the filter lexer does not advance at ${at}`);
    add(word, { kind: 'word', text: word[0] });
  }
  return tokens;
}

/** @param text between the quotes */
export function unquoted(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}

export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
