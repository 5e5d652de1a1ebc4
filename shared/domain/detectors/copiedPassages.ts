/** Finds the words of a text that are in passages copied from another. */
import type { TextRange } from '../model.ts';

export interface Word extends TextRange {
  readonly text: string;
}

const WORD = /[\p{L}\p{N}_]{1,200}/gu;

/** Words in lower case, with their place. */
export function wordsIn(text: string, { start, end }: TextRange = { start: 0, end: text.length }): Word[] {
  return Array.from(text.slice(start, end).matchAll(WORD), ({ 0: word, index }) => ({
    text: word.toLowerCase(),
    start: start + index,
    end: start + index + word.length,
  }));
}

/** All passages of so many words. */
export function passagesOf(words: readonly Word[], size: number): Set<string> {
  const passages = new Set<string>();
  for (let i = 0; i + size <= words.length; i++) passages.add(passageAt(words, i, size));
  return passages;
}

export const passageAt = (words: readonly Word[], at: number, size: number): string =>
  words
    .slice(at, at + size)
    .map(({ text }) => text)
    .join(' ');

/** @returns number of words in copied passages, and the longest stretch of them */
export function copiedWords(
  words: readonly Word[],
  from: ReadonlySet<string>,
  size: number,
): { readonly count: number; readonly longest: TextRange | undefined } {
  let count = 0;
  let longest: { readonly words: number; readonly range: TextRange } | undefined;
  let first = -1;
  let last = -1;
  const close = (): void => {
    const [begin, end] = [words[first], words[last - 1]];
    if (begin === undefined || end === undefined) return;
    count += last - first;
    if (longest === undefined || last - first > longest.words)
      longest = { words: last - first, range: { start: begin.start, end: end.end } };
  };
  for (let i = 0; i + size <= words.length; i++) {
    if (!from.has(passageAt(words, i, size))) continue;
    if (i > last) {
      close();
      first = i;
    }
    last = i + size;
  }
  close();
  return { count, longest: longest?.range };
}
