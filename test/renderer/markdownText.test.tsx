/** Heat and search hits use offsets in rendered Markdown, which must point at the characters shown. */
import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MarkdownText } from '../../renderer/views/replay/MarkdownText.tsx';

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
