/**
 * Converts the Markdown of a note to HTML: paragraphs, lists, headings, fences, `code`, **bold** and
 * *italics*. The output consists of escaped text and fixed tags, without links, images or HTML. A library
 * is not used because notes come from other people: micromark 4 took minutes for 200 kB of unmatched marks.
 */
import { html } from './htmlText.ts';

export function noteText(markdown: string): string {
  const parts: string[] = [];
  let items: string[] = [];
  let lines: string[] = [];
  const close = (): void => {
    if (lines.length > 0) parts.push(`<p>${lines.map(inline).join('<br>')}</p>`);
    if (items.length > 0) parts.push(`<ul>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`);
    lines = [];
    items = [];
  };
  let fence: { readonly mark: string; readonly lines: string[] } | undefined;
  for (const line of markdown.replaceAll('\r\n', '\n').split('\n')) {
    if (fence !== undefined) {
      if (line.trim() === fence.mark) {
        parts.push(`<pre>${html(fence.lines.join('\n'))}</pre>`);
        fence = undefined;
      } else fence.lines.push(line);
      continue;
    }
    const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
    const item = /^\s*[-*+]\s+(.*)$/.exec(line)?.[1];
    const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    if (mark !== undefined) {
      close();
      fence = { mark, lines: [] };
    } else if (item !== undefined) {
      if (lines.length > 0) close();
      items.push(item);
    } else if (heading !== undefined) {
      close();
      parts.push(`<p><b>${inline(heading)}</b></p>`);
    } else if (line.trim() === '') close();
    else {
      if (items.length > 0) close();
      lines.push(line);
    }
  }
  close();
  if (fence !== undefined) parts.push(`<pre>${html(fence.lines.join('\n'))}</pre>`);
  return parts.join('');
}

/** Each pattern stops at the next mark of its kind, so the time is linear. */
const SPAN = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*/g;

function inline(text: string): string {
  let at = 0;
  let result = '';
  for (const match of text.matchAll(SPAN)) {
    const [whole, code, bold, italic] = match;
    result += html(text.slice(at, match.index));
    if (code !== undefined) result += `<code>${html(code)}</code>`;
    else if (bold !== undefined) result += `<b>${html(bold)}</b>`;
    else result += `<em>${html(italic ?? '')}</em>`;
    at = match.index + whole.length;
  }
  return result + html(text.slice(at));
}
