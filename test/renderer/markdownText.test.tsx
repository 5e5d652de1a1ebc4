/** Heat and search hits use offsets in rendered Markdown, which must point at the characters shown. */
import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MarkdownText } from '../../renderer/views/replay/text/MarkdownText.tsx';
import { markdownBlocks, plainFormulaReason } from '../../renderer/views/replay/text/markdownModel.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

function placed(html: string): readonly { start: number; text: string }[] {
  return [...html.matchAll(/<span data-start="(\d+)" data-source="response">([^<]*)<\/span>/g)].map(
    ([, start, text = '']) => ({
      start: Number(start),
      text: text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity),
    }),
  );
}

const render = (text: string) =>
  renderToStaticMarkup(<MarkdownText text={text} start={1_000} source="response" />);

describe('rendered Markdown', () => {
  it('has the offset of each text node', () => {
    const text = 'So *this* costs $5,\n\n1. `N` is **2**\n\n```python\nprint("<b>")\n```\n';
    const pieces = placed(render(text));
    expect(pieces.map((piece) => piece.text)).toEqual(
      expect.arrayContaining(['So ', 'this', ' costs $5,', 'N', '2']),
    );
    for (const piece of pieces) expect(text.startsWith(piece.text, piece.start - 1_000)).toBe(true);
  });

  it('has the source of each formula', () => {
    const text = 'So $x^2$ and \\(y\\):\n\n$$\nz = 1\n$$\n\nthus \\boxed{42} it is, \\[w\\] too';
    const formulas = [
      ...render(text).matchAll(/data-formula-start="(\d+)" data-formula-end="(\d+)" data-source="response"/g),
    ].map(([, start, end]) => text.slice(Number(start) - 1_000, Number(end) - 1_000));
    expect(formulas).toEqual(['$x^2$', '\\(y\\)', '$$\nz = 1\n$$', '\\boxed{42}', '\\[w\\]']);
  });

  it('shows raw HTML as text', () => {
    const html = render('a <img src=x onerror=alert(1)> b <script>alert(1)</script>');
    expect(html).not.toMatch(/<img|<script/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it('shows characters that would turn the text around', () => {
    const html = render('\u202Eevil\u202C and `\u200b`');
    expect(html).not.toMatch(/[\u202c\u202e\u200b]/);
    expect(html).toContain('⟨RLO⟩');
    expect(placed(html)).toContainEqual({ start: 1_001, text: 'evil' });
  });

  it('never loads an image', () => {
    expect(render('![plot](https://example.org/x.png)')).not.toContain('<img');
  });

  it('is right about any text', () => {
    const word = fc.constantFrom(
      'Wait',
      '*',
      '**',
      '`',
      '$x$',
      '$2',
      '\\(y\\)',
      '\\boxed{1}',
      '&amp;',
      '<b>',
      '# ',
      '- ',
      '| a |',
      '\n',
      '\n\n',
      ' ',
      '```',
      '\\*',
      '😀',
      '\u202e',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const text = words.join('');
        for (const piece of placed(render(text)))
          expect(text.startsWith(piece.text, piece.start - 1_000)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('text that a parser or a page does not bear', () => {
  const nested = (piece: string, times: number, end = 'x') => piece.repeat(times) + end;
  const table = (columns: number, rows: number) =>
    `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`;

  it.each([
    ['list marks', nested('- ', 1_000)],
    ['numbers', nested('1. ', 1_000)],
    ['quote marks', nested('> ', 3_000)],
    ['mixed marks', nested('> - ', 100)],
    ['lists behind white space', Array.from({ length: 80 }, (_, i) => `${'  '.repeat(i)}- x`).join('\n')],
    ['one long line', 'word '.repeat(4_000)],
    ['many cells of formulas', `$\\begin{matrix}${'&'.repeat(490)}\\end{matrix}$ `.repeat(3)],
    ['many formulas', '$x$ '.repeat(1_500)],
    ['tables of many columns', table(100, 200)],
    ['tables behind a line that is no fence', `\`\`\` \`\n${table(100, 200)}`],
    ['lists behind a line that is no fence', `\`\`\` \`\n${nested('- ', 1_000)}`],
    ['lists behind a fence of another length', `\`\`\`\`\n\`\`\`\n\`\`\`\`\n${nested('- ', 1_000)}\n\`\`\``],
    ['lists behind an indented fence', ` ~~~\n\`\`\`\n ~~~\n${nested('- ', 1_000)}`],
    ['lists behind a formula', `$$\n\`\`\`\n$$\n${nested('- ', 1_000)}`],
    ['lists behind HTML', `<div>\n\`\`\`\n\n${nested('- ', 1_000)}`],
    ['tables with lines of other white space', table(100, 200).replace('|\n|\n', '|\n\u00a0\n|\n')],
    ['tables in quotes', `> ${'|a'.repeat(100)}|\n> ${'|:-:'.repeat(100)}|\n${'> |\n'.repeat(200)}`],
  ])('%s stay text, and the page says why', (_, text) => {
    const html = render(text);
    expect(html).toContain('shown as written: ');
    expect(html).not.toMatch(/<ul|<ol|<blockquote|<table|data-formula/);
    expect(
      placed(html)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });

  it.each([
    ['lists behind code', `\`\`\`\ra\r\`\`\`\r${nested('- ', 1_000)}`],
    ['tables', table(100, 200).replaceAll('\n', '\r')],
  ])('%s with carriage returns stay text', (_, text) => {
    const html = render(text);
    expect(html).toContain('shown as written: ');
    expect(html).not.toMatch(/<ul|<table/);
  });

  it('leaves ordinary nesting alone', () => {
    const text =
      '> - 1. a\n>   2. b\n\n- a\n  - b\n    - c\n      - d\n\n$\\sqrt{\\frac{1}{\\sqrt{2}}}$ costs $5';
    expect(render(text)).not.toContain('shown as written');
    const table = `| a | b | c |\n| --- | :-: | --: |\n${'| 1 | 2 | 3 |\n'.repeat(200)}`;
    expect(render(table)).toContain('<td');
    expect(render(`\`\`\`\n${'x = 1\n'.repeat(5_000)}\`\`\``)).not.toContain('shown as written');
    const code = `\`\`\`python\n${'x = 1 # >>>>\n'.repeat(200)}${'>'.repeat(40)}\n\`\`\`\n`;
    const html = render(`${'Some words.\n'.repeat(40)}${code}${'More words.\n'.repeat(40)}`);
    expect(html).not.toContain('shown as written');
    expect(html).toContain('<code class="language-python"');
  });

  it('waits until it is near the viewport if it is heavy, also the first block', () => {
    const matrix = `$\\begin{matrix}${'&'.repeat(100)}\\end{matrix}$`;
    expect(render(matrix)).toContain('prose-waiting');
    expect(render('$x$ '.repeat(30))).toContain('class="formula"');
  });

  it('is cut at line ends where it has no blank line', () => {
    const text = 'a line of prose\n'.repeat(2_000);
    const blocks = markdownBlocks(text);
    expect(blocks.map((block) => block.text).join('')).toBe(text);
    expect(Math.max(...blocks.map((block) => block.text.length))).toBeLessThan(4_100);
  });

  it.each([
    [`${'\\sqrt{'.repeat(300)}x${'}'.repeat(300)}`, true],
    [`${'\\sqrt'.repeat(1_000)} x`, true],
    [`${'\\left('.repeat(1_000)}x`, true],
    [`${'x^{'.repeat(50)}1${'}'.repeat(50)}`, true],
    ['\\begin{matrix}'.repeat(40), true],
    ['x'.repeat(9_000), true],
    [`\\begin{matrix}${'&'.repeat(7_900)}\\end{matrix}`, true],
    [`\\begin{matrix}${'a & b \\\\ '.repeat(100)}\\end{matrix}`, false],
    [`\\def\\a{${'x'.repeat(7_000)}}${'\\a '.repeat(200)}`, true],
    ['\\newcommand{\\a}{x}\\a', true],
    ['\\gdef\\a{x}\\a', true],
    ['\\let\\a=b', true],
    ['\\delta \\left( x \\right) \\leq \\letter', false],
    ['\\frac{1}{\\sqrt{1+\\frac{a_{i}}{b^{2}}}}', false],
    ['\\alpha\\beta + \\sum_{i=0}^{n} \\left(x_i\\right)', false],
  ])('a formula %# is judged by its depth and its commands', (tex, isPlain) => {
    expect(plainFormulaReason(tex) !== undefined).toBe(isPlain);
  });
});
