import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quietText, SHORT_PIECES, visiblePieces } from '../../renderer/ui/visibleText.ts';
import { lineBlocks } from '../../renderer/views/replay/SegmentBody.tsx';

describe('visible text', () => {
  it('shows control characters as glyphs', () => {
    expect(visiblePieces('a\u202eb\u0000\tc\n')).toEqual([
      { text: 'a', start: 0 },
      { text: '⟨RLO⟩', start: 1, name: 'RLO' },
      { text: 'b', start: 2 },
      { text: '␀', start: 3, name: 'U+0000' },
      { text: '\tc\n', start: 4 },
    ]);
  });

  it('joins neighbours, and draws a bounded number of runs', () => {
    expect(visiblePieces('a\u200b\u200cb')).toEqual([
      { text: 'a', start: 0 },
      { text: '⟨ZWSP⟩⟨ZWNJ⟩', start: 1, name: '2 characters: ZWSP, ZWNJ' },
      { text: 'b', start: 3 },
    ]);
    const [run] = visiblePieces('\u202e'.repeat(20_000));
    expect(run).toMatchObject({ start: 0, name: '20,000 characters: RLO' });
    expect(run?.text).toContain('19,960 more');
    const many = visiblePieces('a\u200b'.repeat(10_000), 1_000);
    expect(many.length).toBeLessThan(1_000);
    expect(many.reduce((length, { text }) => length + text.length, 0)).toBeGreaterThan(20_000);
  });

  it.each([
    ['\u{e0041}', 'U+E0041 (tag A)'],
    ['\u00ad', 'SHY'],
    ['\u034f', 'CGJ'],
    ['\u3164', 'HF'],
    ['\u2062', 'U+2062'],
    ['\u180e', 'MVS'],
    ['\u2028', 'LS'],
    ['\ufe00', 'U+FE00'],
    ['\u{e0100}', 'U+E0100'],
  ])('shows %j, which hides words', (character, name) => {
    expect(visiblePieces(`a${character}b`)[1]).toMatchObject({ start: 1, name });
    expect(quietText(`a${character}b`)).toHaveLength(2 + character.length);
  });

  it('leaves emoji whole', () => {
    for (const text of ['✔\ufe0f', '1\ufe0f\u20e3', '👩\u200d🚀'])
      expect(visiblePieces(text)).toEqual([{ text, start: 0 }]);
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

  it('are short, whole, and cut after white space if there is some', () => {
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
            // No half of a surrogate pair at either end.
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

it('cuts a line of 4 million characters without spaces', () => {
  expect(visiblePieces('A'.repeat(4_000_000)).length).toBeGreaterThan(30_000);
});

describe('text out of sight', () => {
  it('has the same length, and nothing in it acts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const quiet = quietText(`\u202e${text}\u0000`);
        expect(quiet).toHaveLength(text.length + 2);
        expect(visiblePieces(quiet).every(({ name }) => name === undefined)).toBe(true);
      }),
    );
  });
});

describe('blocks of lines', () => {
  it('equal the text, cut at line ends only, and none is long if lines are short', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3_000 }), { maxLength: 12 }), (lines) => {
        const text = lines.join('\n');
        const blocks = lineBlocks(text);
        expect(blocks.map((block) => block.text).join('')).toBe(text);
        for (const block of blocks.slice(0, -1)) expect(block.text.endsWith('\n')).toBe(true);
        for (const block of blocks) {
          expect(text.startsWith(block.text, block.start)).toBe(true);
          expect(block.text.length).toBeLessThanOrEqual(3_200 + 3_001);
        }
      }),
    );
  });
});
