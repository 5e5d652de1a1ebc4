import { describe, expect, it } from 'vitest';
import { hasLongWord } from '../../shared/domain/longWords.ts';

describe('hasLongWord', () => {
  it('finds more than 1,000 Thai, Lao, Khmer or Burmese letters without a blank', () => {
    for (const letter of ['ก', 'ກ', 'ក', 'က']) {
      expect(hasLongWord(letter.repeat(1_001))).toBe(true);
      expect(hasLongWord(`a ${letter.repeat(1_001)} b`)).toBe(true);
      expect(hasLongWord(letter.repeat(1_000))).toBe(false);
    }
  });

  it('counts other characters at which a line cannot break', () => {
    for (const between of ['a', '5', '.', '\u00a0', '\u0301'])
      expect(hasLongWord(`กขค${between}`.repeat(300))).toBe(true);
  });

  it('leaves texts with blanks as they are, and texts in other scripts', () => {
    for (const blank of [' ', '\n', '\t', '\r\n'])
      expect(hasLongWord(`กขค${blank}`.repeat(10_000))).toBe(false);
    for (const letter of ['w', '漢', '한', 'א', 'ع', 'अ'])
      expect(hasLongWord(letter.repeat(10_000))).toBe(false);
    expect(hasLongWord('')).toBe(false);
  });
});
