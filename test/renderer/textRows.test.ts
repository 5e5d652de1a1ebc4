import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textRows } from '../../renderer/ui/VirtualText.tsx';

describe('text rows', () => {
  it('numbers lines, not rows', () => {
    expect(textRows('abcdef\n\nxy', 4)).toEqual([
      { start: 0, end: 4, line: 1 },
      { start: 4, end: 6 },
      { start: 7, end: 7, line: 2 },
      { start: 8, end: 10, line: 3 },
    ]);
  });

  it('holds every character once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 9 }), (text, columns) => {
        const rows = textRows(text, columns);
        const joined = rows
          .map((row, i) => (row.line !== undefined && i > 0 ? '\n' : '') + text.slice(row.start, row.end))
          .join('');
        expect(joined).toBe(text);
      }),
    );
  });
});
