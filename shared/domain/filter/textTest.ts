/** Matches the words of a filter in texts. */
import type { SegmentKind } from '../model.ts';
import { readCallPayload } from '../toolCallPayload.ts';
import type { TextField } from './fields.ts';
import type { TextNode } from './node.ts';
import { BEYOND_ASCII, findWords, type WordSpan, wordsOf } from './words.ts';

/**
 * Segment kinds of a response that a field searches. `text` searches all kinds and the prompt; `prompt` only
 * the prompt.
 */
const KINDS: Readonly<Record<Exclude<TextField, 'text' | 'prompt'>, readonly SegmentKind[]>> = {
  reasoning: ['reasoning', 'text'],
  code: ['tool-call'],
  output: ['tool-response'],
  answer_text: ['answer'],
};

export function looksIn(field: TextField, kind: SegmentKind, isPrompt: boolean): boolean {
  if (field === 'text') return true;
  if (field === 'prompt' || isPrompt) return field === 'prompt' && isPrompt;
  return KINDS[field].includes(kind);
}

/** Segment kinds that a field searches; undefined: the whole rollout. */
export function kindsOf(field: TextField): readonly SegmentKind[] | undefined {
  return field === 'text' || field === 'prompt' ? undefined : KINDS[field];
}

/** The index column that holds a segment kind of the response; `text` searches all columns. */
export function indexedColumn(kind: SegmentKind): 'reasoning' | 'code' | 'output' | 'answer' | 'other' {
  switch (kind) {
    case 'reasoning':
    case 'text':
      return 'reasoning';
    case 'tool-call':
      return 'code';
    case 'tool-response':
      return 'output';
    case 'answer':
      return 'answer';
    default:
      return 'other';
  }
}

/** The searchable text of a segment: the code of a call without its JSON escapes. */
export function searchedText(kind: SegmentKind, inner: string): string {
  return kind === 'tool-call' ? (readCallPayload(inner).code ?? inner) : inner;
}

export interface TextTest {
  holds(text: string): boolean;
  /** Matches in order. Empty matches of a regular expression are skipped. */
  find(text: string): Iterable<WordSpan>;
}

/** @throws SyntaxError for an invalid regular expression, which `readFilter` never returns */
export function textTest({ form, text, flags }: TextNode): TextTest {
  if (form === 'regex') {
    const pattern = new RegExp(text, `${flags ?? ''}u`);
    return { holds: (where) => pattern.test(where), find: (where) => findPattern(pattern, where) };
  }
  const words = wordsOf(text);
  const isPrefix = form === 'prefix';
  // Most texts lack the longest word. A plain search for it is much faster than splitting every word.
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const isPlain = /^[a-z0-9]+$/.test(longest);
  const hint = isPlain ? new RegExp(longest, 'i') : undefined;
  // Beyond ASCII a word may be spelled differently from its folded form: ß folds to ss, the kelvin sign to k.
  const find = (where: string): Iterable<WordSpan> =>
    hint?.test(where) === false && !BEYOND_ASCII.test(where) ? [] : findWords(where, words, isPrefix);
  return {
    holds: (where) => {
      for (const _ of find(where)) return true;
      return false;
    },
    find,
  };
}

function* findPattern(pattern: RegExp, text: string): Generator<WordSpan> {
  const all = new RegExp(pattern.source, `${pattern.flags}g`);
  for (const match of text.matchAll(all)) {
    if (match[0] !== '') yield { start: match.index, end: match.index + match[0].length };
  }
}
