/** Log text in Markdown: always between fences it cannot end, or escaped. */
import { visibleLine, visibleLines } from './visible.ts';

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
  return visibleLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(ACTIVE, (character) => `\\${character}`);
}

/** A note is Markdown by its writer's will. Quoted, it stays apart; HTML, images and links to anything but pages stay text. */
export function quoted(markdown: string): string {
  return visibleLines(markdown)
    .split('\n')
    .map((line) => `> ${inert(line)}`.trimEnd())
    .join('\n');
}

const OTHER_LINK = /\](?=\(\s*(?!https?:))/gi;
const OTHER_REFERENCE = /^(\s*)\[(?=[^\]]*\]:\s*(?!https?:))/i;

function inert(line: string): string {
  return line
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('![', '!\\[')
    .replace(OTHER_LINK, ']\\')
    .replace(OTHER_REFERENCE, '$1\\[');
}
