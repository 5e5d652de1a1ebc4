/** CSV and TSV parse back to what was written, and no text becomes a formula. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  csvFile,
  delimitedCell,
  delimitedLine,
  distinctNames,
  withoutFormula,
} from '../../shared/domain/delimited.ts';

/** One line of RFC 4180. */
function parse(line: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  const text = line.slice(0, -1);
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (isQuoted && character === '"' && text[i + 1] === '"') {
      cell += '"';
      i++;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === separator) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
}

describe('delimited text', () => {
  it.each([',', '\t'] as const)('reads back as the cells that were written, separated by %j', (separator) => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (cells) => {
        expect(parse(delimitedLine(cells, separator), separator)).toEqual(cells.map(withoutFormula));
      }),
      { seed: 4 },
    );
  });

  it.each(['=1+1', '\0=1+1', '\u0001 =1', '@SUM(A1)', '+cmd', '-x', '\t=1', ' =1', '＝1', '\rx'])(
    'never writes a formula: %j',
    (text) => {
      expect(delimitedCell(text)).toMatch(/^"?'/);
    },
  );

  it.each(['-5', '+1e3', '-.5', 'a=1', ''])('keeps numbers and other text: %j', (text) => {
    expect(delimitedCell(text)).toBe(text);
  });

  it.each(['x\\;=\\;1', 'for (;;) i;-i', 'a &lt;=b', 'a;=1+1;b'])(
    'keeps the inside of a text: %j',
    (text) => {
      expect(delimitedCell(text)).toBe(text);
    },
  );

  it('writes unknown as an empty cell and numbers in full', () => {
    expect(delimitedLine([undefined, null, Number.NaN, -5, 0.1, true, 2n ** 60n])).toBe(
      ',,,-5,0.1,true,1152921504606846976\n',
    );
  });

  it('is a file whose rows say what they are of', () => {
    expect(csvFile('demo,\nstep 3', ['token', 'mean'], [['=1+"\n', undefined]])).toBe(
      `token,mean,source\n"'=1+""\n",,"demo, step 3"\n`,
    );
    expect(csvFile('demo', ['token'], [])).toBe('token,source\n');
  });

  it('tells columns of one name apart', () => {
    expect(distinctNames(['a', 'a', 'b', 'a', 'a (2)'])).toEqual(['a', 'a (2)', 'b', 'a (3)', 'a (2) (2)']);
  });
});
