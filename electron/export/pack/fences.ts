/** Log text in Markdown: always between fences it cannot end, or escaped. */
import { visibleLines } from './visible.ts';

/** Fences are longer than any run of backticks in the text, so that nothing in it ends them. */
export function fenced(text: string, language = ''): string {
  const shown = visibleLines(text);
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}${language}\n${shown}${shown.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** What could begin or end something in the middle of a line, bare links and addresses included. */
const ACTIVE = /[\\`*_{}[\]#!|~:@$>]|(?<=www)\./gi;

/** Plain text for the middle of a line. */
export function plain(text: string): string {
  return visibleLines(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(ACTIVE, (character) => `\\${character}`);
}

/** A note is Markdown by its writer's will; quoted, it stays apart, and HTML in it stays text. */
export function quoted(markdown: string): string {
  return visibleLines(markdown)
    .split('\n')
    .map((each) =>
      `> ${each
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replace(/\]\(\s*(?![hH][tT][tT][pP][sS]?:)/g, ']\\(')}`.trimEnd(),
    )
    .join('\n');
}
