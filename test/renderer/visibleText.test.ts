import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHORT_PIECES, visiblePieces } from '../../renderer/ui/visibleText.ts';

describe('visible text', () => {
  it('draws what would act', () => {
    expect(visiblePieces('a\u202eb\u0000\tc\n')).toEqual([
      { text: 'a', start: 0 },
      { text: '⟨RLO⟩', start: 1, name: 'RLO' },
      { text: 'b', start: 2 },
      { text: '␀', start: 3, name: 'U+0000' },
      { text: '\tc\n', start: 4 },
    ]);
  });

  it('keeps the offset of every literal piece', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const piece of visiblePieces(text)) {
          if (piece.name === undefined) expect(text.startsWith(piece.text, piece.start)).toBe(true);
        }
      }),
    );
  });
});

describe('short pieces', () => {
  const joined = (pieces: ReturnType<typeof visiblePieces>) => pieces.map(({ text }) => text).join('');

  it('are short, whole, and cut after white space where there is some', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('word ', 'line\n', '😀', 'é', 'x'.repeat(40)), { maxLength: 200 }),
        (parts) => {
          const text = parts.join('');
          const pieces = visiblePieces(text);
          expect(joined(pieces)).toBe(text);
          for (const { text: piece, start } of pieces) {
            expect(piece.length).toBeLessThanOrEqual(SHORT_PIECES + 1);
            expect(text.startsWith(piece, start)).toBe(true);
            // No half of a pair at either end.
            expect(piece.isWellFormed()).toBe(true);
          }
        },
      ),
    );
    expect(visiblePieces(`${'a'.repeat(100)} ${'b'.repeat(90)}`).map(({ text }) => text.length)).toEqual([
      101, 90,
    ]);
    expect(visiblePieces('c'.repeat(1000), 1000)).toHaveLength(1);
    expect(visiblePieces('')).toEqual([]);
  });
});
