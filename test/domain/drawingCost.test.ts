import { expect, it } from 'vitest';
import { endOfCost } from '../../shared/domain/drawingCost.ts';

const changes = (text: string): number =>
  endOfCost(text, Number.POSITIVE_INFINITY, { letter: 0, line: 0 }).cost;

it('counts changes of direction and font, and little between words of one script', () => {
  expect(changes('Hello, world; 1 + 1 = 2, e\u0301')).toBe(0);
  expect(changes('Tiếng Việt có nhiều dấu')).toBe(0);
  expect(changes('שלום עולם,   שלום')).toBe(24 + 2 * 4);
  expect(changes('א1'.repeat(100))).toBe(2_400);
  expect(changes('ع1 '.repeat(100))).toBe(2_400);
  expect(changes('कখ'.repeat(100))).toBe(2_400);
  expect(changes('中あ'.repeat(100))).toBe(12 + 199 * 3);
  expect(changes('中한'.repeat(100))).toBe(2_400);
  expect(changes('a⌚'.repeat(100))).toBe(4_800);
  expect(changes('አማርኛ በኢትዮጵያ')).toBe(12 + 4);
  expect(changes('你好,世界。')).toBe(12);
  expect(changes('你好，世界！（１２３）')).toBe(12);
  expect(changes('ἐν ἀρχῇ ἦν ὁ λόγος')).toBe(12 + 4 * 4);
  expect(changes('אa'.repeat(100))).toBe(2_400);
  expect(changes('a中'.repeat(100))).toBe(1_200);
  expect(changes('a｛'.repeat(100))).toBe(1_200);
  expect(changes('a︴'.repeat(100))).toBe(1_200);
  expect(changes('\u{12000}'.repeat(100))).toBe(2_400);
  expect(changes('\u{10840}\u{10860}'.repeat(100))).toBe(4_800);
  expect(changes('\u{1e900}'.repeat(100))).toBe(24);
  expect(changes('\ud800 '.repeat(100))).toBe(2_800);
  expect(changes('a⏎'.repeat(100))).toBe(1_200);
  expect(changes('ａ一'.repeat(100))).toBe(2_400);
  expect(changes('あㄅ'.repeat(100))).toBe(2_400);
  expect(changes('ᚁᚠ'.repeat(100))).toBe(2_400);
  expect(changes('אب'.repeat(100))).toBe(4_800);
  expect(changes('हिन्दी भाषा में')).toBe(12 + 2 * 4);
  expect(changes('│ a │ b │')).toBe(3 * 12 + 2 * 4);
  expect(changes('1\ufe0f\u20e3'.repeat(100))).toBe(28_800);
  expect(changes('☎\ufe0e'.repeat(100))).toBe(7_200);
});

it('ends before the letter that costs too much, and counts letters and lines if asked to', () => {
  const text = 'ab\ncd';
  expect(endOfCost(text, 100, { letter: 1, line: 10 })).toEqual({ end: 5, cost: 15 });
  expect(endOfCost(text, 12, { letter: 1, line: 10 })).toEqual({ end: 2, cost: 13 });
  expect(endOfCost('a\u{1e900}', 10, { letter: 0, line: 0 })).toEqual({ end: 1, cost: 24 });
});

it('does not end within a character, unless it has very many marks', () => {
  const end = (text: string, most: number) => endOfCost(text, most, { letter: 1, line: 0 }).end;
  expect(end('ae\u0301\u0302b', 2)).toBe(4);
  expect(end('1\ufe0f\u20e31\ufe0f\u20e3', 50)).toBe(3);
  expect(end('\u{1f469}\u200d\u{1f4bb}a', 26)).toBe(5);
  expect(end(`a${'\u0301'.repeat(10_000)}`, 100)).toBe(600);
});
