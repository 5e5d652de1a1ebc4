import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DOLLAR_STAND_IN,
  markdownBlocks,
  preparedMarkdown,
  withDollars,
} from '../../renderer/views/replay/text/markdownModel.ts';

const money = (text: string) => preparedMarkdown(text).replaceAll(DOLLAR_STAND_IN, '¤');

describe('prepared Markdown', () => {
  it('tells money from formulas', () => {
    expect(money('sells eggs for $2 each, $18 a day')).toBe('sells eggs for ¤2 each, ¤18 a day');
    expect(money('if $a = b$ and $N$ is odd')).toBe('if $a = b$ and $N$ is odd');
    expect(money('Profit = $200 - $150 = $50')).toBe('Profit = ¤200 - ¤150 = ¤50');
    expect(money('it costs $5, or $x$ when sold')).toBe('it costs ¤5, or $x$ when sold');
  });

  it('turns TeX delimiters into dollars of the same length', () => {
    expect(preparedMarkdown('\\( x \\) and\n\\[\ny\n\\]')).toBe('$$ x $$ and\n$$\ny\n$$');
  });

  it('leaves code alone', () => {
    const code = '`\\(x\\) $2`\n```\n\\[ $5\n```';
    expect(preparedMarkdown(code)).toBe(code);
  });

  it('never moves a character', () => {
    const piece = fc.constantFrom(
      '$',
      '\\(',
      '\\)',
      '\\[',
      '\\]',
      '`',
      '```',
      '\n',
      '\n\n',
      'a',
      ' ',
      '2',
      '$$',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        expect(preparedMarkdown(text).length).toBe(text.length);
        expect(withDollars(text)).toBe(text);
      }),
    );
  });
});

describe('Markdown blocks', () => {
  it('cuts at blank lines and loses nothing', () => {
    const text = Array.from({ length: 40 }, (_, i) => `paragraph ${i} ${'word '.repeat(40)}`).join('\n\n');
    const blocks = markdownBlocks(text);
    expect(blocks.length).toBeGreaterThan(3);
    expect(blocks.map((block) => block.text).join('')).toBe(text);
    for (const block of blocks) expect(text.startsWith(block.text, block.start)).toBe(true);
  });

  it('never cuts into code or a display formula', () => {
    const long = 'x\n\n'.repeat(1_200);
    expect(markdownBlocks(`\`\`\`\n${long}\`\`\`\n`)).toHaveLength(1);
    expect(markdownBlocks(`\\[\n${long}\\]\n`)).toHaveLength(1);
  });

  it('keeps long code alone, and short code with the text around it', () => {
    const code = (lines: number) => `\`\`\`python\n${'x = 1\n\n'.repeat(lines)}\`\`\`\n`;
    const texts = (text: string) => markdownBlocks(text).map((block) => block.text);
    expect(texts(`a\n${code(9)}b`)).toEqual([`a\n${code(9)}b`]);
    expect(texts(`a\n${code(900)}b`)).toEqual(['a\n', code(900), 'b']);
  });
});
