/**
 * Model-written Markdown, made ready for the parser without moving a single character: every
 * replacement has the length of what it replaces, so offsets into the source stay true and
 * token heat and search hits can sit on the rendered text.
 */

/** A Unicode noncharacter, which no text should hold: stands for a `$` that is money. */
export const DOLLAR_STAND_IN = '\uFDD0';

export interface MarkdownBlock {
  /** Offset of the block in the whole text. */
  readonly start: number;
  readonly text: string;
}

const BLOCK_CHARACTERS = 1_600;

/**
 * Cuts a long text at blank lines, so that what is out of sight need not be parsed. A cut never
 * falls into a fenced block or a display formula.
 */
export function markdownBlocks(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let start = 0;
  let isFenced = false;
  let isFormula = false;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, end).trim();
    if (/^(```|~~~)/.test(line)) isFenced = !isFenced;
    else if (!isFenced) {
      const delimiters = line.match(/\$\$|\\\[|\\\]/g)?.length ?? 0;
      if (delimiters % 2 === 1) isFormula = !isFormula;
    }
    if (line === '' && !isFenced && !isFormula && end - start >= BLOCK_CHARACTERS) {
      blocks.push({ start, text: text.slice(start, end) });
      start = end;
    }
    at = end;
  }
  if (start < text.length || blocks.length === 0) blocks.push({ start, text: text.slice(start) });
  return blocks;
}

/** `\( … \)` and `\[ … \]` become `$$ … $$`: two characters for two. Code is left alone. */
function withDollarDelimiters(text: string): string {
  return text.replace(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)|\\[()[\]]/g, (match, code?: string) =>
    code === undefined ? '$$' : match,
  );
}

/**
 * Which single dollars are money, by Pandoc's rule: an opening `$` has no space after it, its
 * closing `$` none before it and no digit after it. A formula stays within a paragraph.
 */
function withMoneyMarked(text: string): string {
  return text.replace(
    /(```[\s\S]*?(?:```|$)|`[^`\n]*`|\$\$[\s\S]*?\$\$|\\\$)|\$(?=\S)((?:[^$\n\\]|\\.|\n(?!\s*\n))*?)(?<!\s)\$(?!\d)|\$/g,
    (match, skipped: string | undefined, formula: string | undefined) => {
      if (skipped !== undefined || (formula !== undefined && formula !== '')) return match;
      return match.replaceAll('$', DOLLAR_STAND_IN);
    },
  );
}

/** Same length, same offsets. */
export function preparedMarkdown(text: string): string {
  return withMoneyMarked(withDollarDelimiters(text));
}

export function withDollars(text: string): string {
  return text.replaceAll(DOLLAR_STAND_IN, '$');
}
