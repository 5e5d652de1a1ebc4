/** A long Thai text without blanks may break at any letter, because looking for its words would block the page. */
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { html, markedHtml } from '../../electron/export/pack/htmlText.ts';
import { SourceText, withLongWord } from '../../renderer/ui/SourceText.tsx';

const LONG = 'กขคง'.repeat(5_000);
const USUAL = 'กขคง '.repeat(5_000);
afterEach(cleanup);

it.each([false, true])('marks a long word in one element around its pieces, isFar %s', (isFar) => {
  const { container } = render(<SourceText text={LONG} start={7} source="response" isFar={isFar} />);
  const [marked] = container.children;
  expect(container.children).toHaveLength(1);
  expect(marked?.className).toBe('has-long-word');
  expect(marked?.textContent).toBe(LONG);
  expect(marked?.firstElementChild?.getAttribute('data-start')).toBe('7');
});

it('leaves a text with blanks as it is', () => {
  const { container } = render(<SourceText text={USUAL} />);
  expect(container.querySelector('.has-long-word')).toBeNull();
  expect(withLongWord('prose', USUAL)).toBe('prose');
  expect(withLongWord('prose', LONG)).toBe('prose has-long-word');
});

it('marks it in a page of a pack, once around all of its marks', () => {
  expect(html(USUAL)).not.toContain('class="w"');
  expect(html(LONG)).toBe(`<span class="w">${LONG}</span>`);
  const marked = markedHtml(LONG, 0, LONG.length, [{ start: 0, end: 2, open: '<b>', close: '</b>' }]);
  expect(marked).toBe(`<span class="w"><b>กข</b>${LONG.slice(2)}</span>`);
});
