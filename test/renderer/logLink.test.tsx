/** Links in rendered Markdown: the address is always shown, and once. */
import { cleanup } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { MarkdownText } from '../../renderer/views/replay/text/MarkdownText.tsx';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

afterEach(cleanup);

const client = createFakeClient({ 'host.info': () => ({ shell: 'browser' }) as never });
const shown = (text: string) =>
  renderWithClient(client, <MarkdownText text={text} start={0} source="response" />).container.textContent;

it.each([
  ['see https://a.org/b?c=$1 now', 'see https://a.org/b?c=$1 now'],
  ['<https://a.org/>', 'https://a.org/'],
  ['www.a.org', 'www.a.org'],
  ['[a.org](https://a.org)', 'a.org'],
  ['me@a.org', 'me@a.org'],
])('shows the address of %s once', (text, once) => {
  expect(shown(text)?.trim()).toBe(once);
});

it.each([
  ['[here](https://a.org)', 'here https://a.org'],
  ['[https://b.org](https://a.org)', 'https://b.org https://a.org'],
  ['[a.org](https://a.org.evil.net)', 'a.org https://a.org.evil.net'],
  ['[](https://a.org)', 'https://a.org'],
])('shows the address of %s beside another text', (text, both) => {
  expect(shown(text)?.trim()).toBe(both);
});
