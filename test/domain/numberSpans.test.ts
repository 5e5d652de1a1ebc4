import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainEdits } from '../../shared/domain/alignText.ts';
import { changedNumbers, numberSpans } from '../../shared/domain/numberSpans.ts';

const numbers = (text: string): readonly string[] =>
  numberSpans(text).map(({ start, end }) => text.slice(start, end));

const FOUND: Readonly<Record<string, readonly string[]>> = {
  'x = 3, y = -4.5': ['3', '-4.5'],
  '3-5 and 3 - 5 and (-5)': ['3', '5', '3', '5', '-5'],
  '1e5 2.5E-3 .5': ['1e5', '2.5E-3', '.5'],
  'It is 42.': ['42'],
  'x1 utf8 w_2': [],
  '0.10s 2nd 3x': ['0.10', '2', '3'],
  '12,345 items': ['12,345'],
  '1,234,567.89': ['1,234,567.89'],
  '(1,234) and {1,234} and 1,23': ['1', '234', '1', '234', '1', '23'],
  '0,123': ['0', '123'],
  '1_000 0xFF': ['1_000', '0xFF'],
  'python 3.12.1 at 10.0.0.1': [],
  '\\boxed{-17}': ['-17'],
  '−5 degrees': ['−5'],
  '1..5': ['1', '5'],
  '': [],
};

describe('numberSpans', () => {
  it.each(Object.entries(FOUND))('%s', (text, found) => expect(numbers(text)).toEqual(found));

  it('reads values', () => {
    expect(numberSpans('1,234.5 −5 0x10 1_000 +2').map(({ value }) => value)).toEqual([
      1234.5, -5, 16, 1000, 2,
    ]);
  });

  it('finds every separate number whole', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })), (values) => {
        const text = values.map(String).join(' ; ');
        expect(numberSpans(text).map(({ value }) => value)).toEqual(values.map((value) => value + 0));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('gives ranges in order, without overlap, of every text', () => {
    const text = fc.string({
      unit: fc.constantFrom('1', '0', '.', ',', '-', '+', 'e', 'x', '_', ' ', '(', '\ud800'),
    });
    fc.assert(
      fc.property(text, (each) => {
        let last = 0;
        for (const { start, end, value } of numberSpans(each)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(value).not.toBeNaN();
          last = end;
        }
        expect(last).toBeLessThanOrEqual(each.length);
      }),
      { seed: 2, numRuns: 1000 },
    );
  });

  it('is linear in hostile text', () => {
    for (const unit of ['1,', '1.', '1e', '-', '1,234', '111']) numberSpans(unit.repeat(200_000));
  });
});

function changesBetween(a: string, b: string): readonly string[] {
  const edits = plainEdits(a, b, 'words');
  return changedNumbers(edits, a, b).map(
    (change) => `${a.slice(change.a.start, change.a.end)} → ${b.slice(change.b.start, change.b.end)}`,
  );
}

const CHANGED: readonly (readonly [a: string, b: string, changes: readonly string[]])[] = [
  ['the sum is 16 now', 'the sum is 24 now', ['16 → 24']],
  ['x = 1.5, y = 2', 'x = 1.25, y = 3', ['1.5 → 1.25', '2 → 3']],
  ['there are 12,345 of them', 'there are 12,346 of them', ['12,345 → 12,346']],
  ['it is 5 here', 'it is -5 here', ['5 → -5']],
  ['it is 5 here', 'it is 5 apples here', []],
  ['it is 1.0 here', 'it is 1 here', []],
  ['seed 9007199254740993 used', 'seed 9007199254740992 used', ['9007199254740993 → 9007199254740992']],
  ['it is -5 here', 'it is 5 here', ['-5 → 5']],
  ['one of 3', 'one of 3 and 4', []],
  ['it costs 438, the second leg of it', 'it costs what flight 2 to that very same town does', []],
  ['same 7', 'same 7', []],
];

describe('changedNumbers', () => {
  it.each(CHANGED)('%s | %s', (a, b, changes) => expect(changesBetween(a, b)).toEqual(changes));
});
