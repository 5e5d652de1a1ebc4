import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visiblePieces } from '../../renderer/ui/visibleText.ts';

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
