/** Whether and where the words of a filter stand in a text. */
import type { SegmentKind } from '../model.ts';
import { readCallPayload } from '../toolCallPayload.ts';
import type { TextField } from './fields.ts';
import type { TextNode } from './node.ts';
import { BEYOND_ASCII, findWords, type WordSpan, wordsOf } from './words.ts';

/** Kinds of segments of a response in which a field looks; `text` looks everywhere, `prompt` in the prompt alone. */
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

/** Kinds in which a field looks; undefined is all of the rollout. */
export function kindsOf(field: TextField): readonly SegmentKind[] | undefined {
  return field === 'text' || field === 'prompt' ? undefined : KINDS[field];
}

/** The column of the index in which a segment of a response is looked for; `text` looks in all of them. */
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

/** A segment as it is read and searched: the code of a call without the escapes it is written with. */
export function searchedText(kind: SegmentKind, inner: string): string {
  return kind === 'tool-call' ? (readCallPayload(inner).code ?? inner) : inner;
}

export interface TextTest {
  holds(text: string): boolean;
  /** In order; of a regular expression those that are not empty. */
  find(text: string): Iterable<WordSpan>;
}

/** @throws SyntaxError where a regular expression is none; what `readFilter` gives is one */
export function textTest({ form, text, flags }: TextNode): TextTest {
  if (form === 'regex') {
    const pattern = new RegExp(text, `${flags ?? ''}u`);
    return { holds: (where) => pattern.test(where), find: (where) => findPattern(pattern, where) };
  }
  const words = wordsOf(text);
  const isPrefix = form === 'prefix';
  // Most texts hold the longest word nowhere: looking for it as it stands is much faster than reading every word.
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const isPlain = /^[a-z0-9]+$/.test(longest);
  const hint = isPlain ? new RegExp(longest, 'i') : undefined;
  // Beyond ASCII a word may be written otherwise than it folds: ß is ss, the sign for kelvin k.
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
