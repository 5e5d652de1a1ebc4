import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findWords, indexedText, indexedWord, wordsOf } from '../../../shared/domain/filter/words.ts';

const found = (text: string, query: string, isPrefix = false) =>
  [...findWords(text, wordsOf(query), isPrefix)].map(({ start, end }) => text.slice(start, end));

describe('words', () => {
  it.each([
    ['Let me double-check: x_1', ['let', 'me', 'double', 'check', 'x', '1']],
    ['Straße ΣΟΦΟΣ', ['strasse', 'σοφοσ']],
    ['解は42です', ['解', 'は', '42', 'で', 'す']],
    ['naïve café', ['naïve', 'café']],
    ['== \u0000', []],
  ])('%s', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('finds words in sequence, whatever is between', () => {
    expect(found('Double  check. double-check doubled check', 'double check')).toEqual([
      'Double  check',
      'double-check',
    ]);
    expect(found('sympy Symbols sym', 'sym', true)).toEqual(['sympy', 'Symbols', 'sym']);
    expect(found('a a a', 'a a')).toEqual(['a a', 'a a']);
    expect(found('答えは42', 'は 42')).toEqual(['は42']);
    expect(found('anything', '')).toEqual([]);
  });

  it('finds what a comparison at every word finds', () => {
    const word = fc.constantFrom('a', 'ab', 'b', 'abb');
    const words = (most: number) => fc.array(word, { maxLength: most });
    fc.assert(
      fc.property(words(30), words(5), fc.boolean(), (text, phrase, isPrefix) => {
        const last = phrase.length - 1;
        const isAt = (at: number): boolean =>
          phrase.every((each, i) =>
            i === last && isPrefix ? text[at + i]?.startsWith(each) : text[at + i] === each,
          );
        const places = text.flatMap((_, at) => (phrase.length > 0 && isAt(at) ? [at] : []));
        const offset = (at: number): number => text.slice(0, at).join(' ').length + (at > 0 ? 1 : 0);
        const spans = places.map((at) => ({
          start: offset(at),
          end: offset(at + last) + (text[at + last]?.length ?? 0),
        }));
        expect([...findWords(text.join(' '), phrase, isPrefix)]).toEqual(spans);
      }),
      { seed: 4, numRuns: 5000 },
    );
  });

  it('the index gets the same words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(wordsOf(indexedText(text))).toEqual(wordsOf(text).map(indexedWord));
      }),
      { seed: 3, numRuns: 2000 },
    );
  });
});
