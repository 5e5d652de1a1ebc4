/** Quotes log text in Markdown: in fences that it cannot end, or escaped. */
import { visibleLine, visibleLines } from './visible.ts';

/** The fence is longer than any run of backticks in the text. */
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

/** Characters that could begin or end markup in a line, including bare links and addresses. */
const ACTIVE = /[\\`*_{}[\]#!|~:@$>]|(?<=www)\./gi;

/** Escapes text for the middle of a line. */
export function plain(text: string): string {
  return visibleLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(ACTIVE, (character) => `\\${character}`);
}

/** Quotes a note and keeps its Markdown. HTML, images, and links other than web pages are escaped. */
export function quoted(markdown: string): string {
  return visibleLines(markdown)
    .split('\n')
    .map((line) => `> ${inert(line)}`.trimEnd())
    .join('\n');
}

const OTHER_LINK = /\](?=\((?!\s*https?:))/gi;
/**
 * A definition of a link, `[name]: scheme:target`, at any place of a line: it may be in a list, and its name may begin on
 * an earlier line. A target may also be on the next line. Markdown removes backslashes from a target.
 */
const OTHER_REFERENCE = /\](?=:\s*(?:$|(?!https?:)[a-z][a-z\d+.\\-]*:))/gi;

function inert(line: string): string {
  return line
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('![', '!\\[')
    .replace(OTHER_LINK, ']\\')
    .replace(OTHER_REFERENCE, ']\\');
}
