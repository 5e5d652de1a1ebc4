/**
 * Prepares model-written Markdown for the parser without moving any character. Every replacement keeps the length, so
 * offsets into the source stay valid, and token heat and search hits can be placed on the rendered text.
 */
import type { Element, ElementContent, Root, RootContent, Text } from 'hast';
import { visiblePieces } from '../../../ui/visibleText.ts';

/** A Unicode noncharacter, which no text should contain. Replaces a `$` that means money. */
export const DOLLAR_STAND_IN = '\uFDD0';

export interface MarkdownBlock {
  /** Offset of the block in the whole text. */
  readonly start: number;
  readonly text: string;
}

const BLOCK_CHARACTERS = 1_600;
/** A block without a blank line is cut at a line end, since some constructs take quadratic time to parse. */
const LONGEST_BLOCK = 4_000;
/** A block beyond this length is one line or one formula. It is not parsed. */
const LONGEST_PARSED = 2 * LONGEST_BLOCK;

/** A line that opens a fenced block. Behind backticks, CommonMark permits no other backtick. */
const FENCE = /(?:(`{3,})[^`\r\n]*|(~{3,})[^\r\n]*)(?=[\r\n]|$)/y;

/**
 * The end of the fenced block that begins at an offset, as the parser finds it. Undefined if none begins there.
 *
 * @param at beginning of a line
 */
function fenceEnd(text: string, at: number): number | undefined {
  FENCE.lastIndex = at;
  const opening = FENCE.exec(text);
  if (opening === null) return undefined;
  const marks = opening[1] ?? opening[2] ?? '';
  const closing = new RegExp(`[\\r\\n] {0,3}${marks}${marks.charAt(0)}*[ \\t]*(?:\\r?\\n|\\r|$)`, 'g');
  closing.lastIndex = FENCE.lastIndex;
  return closing.test(text) ? closing.lastIndex : text.length;
}

/**
 * Cuts a long text at blank lines, so that parts out of view need not be parsed. A cut is never inside a fenced block,
 * and a long fenced block is alone. A cut is inside a display formula only if that is longer than the limit.
 */
export function markdownBlocks(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let start = 0;
  /** In a fenced block that is indented, maybe in a list. */
  let isFenced = false;
  let isFormula = false;
  const cutAt = (end: number): void => {
    isFormula = false;
    if (start < end) blocks.push({ start, text: text.slice(start, end) });
    start = end;
  };
  for (let at = 0; at < text.length; ) {
    const fence = isFenced ? undefined : fenceEnd(text, at);
    if (fence !== undefined) {
      if (fence - start > LONGEST_BLOCK) cutAt(at);
      if (fence - start > LONGEST_BLOCK) cutAt(fence);
      at = fence;
      continue;
    }
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, end).trim();
    if (/^(```|~~~)/.test(line)) isFenced = !isFenced;
    else if (!isFenced) {
      const delimiters = line.match(/\$\$|\\\[|\\\]/g)?.length ?? 0;
      if (delimiters % 2 === 1) isFormula = !isFormula;
    }
    const length = end - start;
    const isCut =
      (line === '' && !isFormula && length >= BLOCK_CHARACTERS) ||
      length >= (isFormula ? LONGEST_PARSED : LONGEST_BLOCK);
    if (isCut && !isFenced) cutAt(end);
    at = end;
  }
  if (start < text.length || blocks.length === 0) blocks.push({ start, text: text.slice(start) });
  return blocks;
}

/** The deepest nesting that parsers and browsers handle safely. People write less. */
const DEEPEST = 32;
const MOST_FORMULAS = 400;
/** List and quote markers at the beginning of a line. */
const MARKS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/gm;
const MARK = />|[-*+]|\d[.)]/g;
const MOST_CELLS = 4_000;
const MOST_FORMULA_CELLS = 500;
/** In cells of a table: 100 formulas, or 40 cells of formulas. */
const LIGHT = 800;
/** Twice those of a table with the most cells. */
const MOST_NODES = 4 * MOST_CELLS;
/** The line below the header of a table, maybe in a list or quote. It says how many columns each row has. */
const DELIMITERS = /^[ \t>*+\-:|\d.)]*$/;
/** A marker after more white space than any list needs. */
const FAR_MARK = new RegExp(`^[ \\t]{${2 * DEEPEST},}(?:>|[-*+]|\\d{1,9}[.)])[ \\t]`, 'm');

/**
 * A line behind which a fence may be part of something else: of HTML, a formula, a footnote, or another fenced block in
 * a list or quote.
 */
const HIDES_FENCES = /^[ \t>*+\-\d.)]*(?:<|\$\$|\\[()[\]]|```|~~~|\[\^)/m;

/** A block without its fenced blocks, as far as they certainly are such. */
function proseOf(block: string): string {
  let prose = '';
  let from = 0;
  for (let at = 0; at < block.length; ) {
    const end = fenceEnd(block, at);
    if (end !== undefined) {
      prose += block.slice(from, at);
      from = end;
      at = end;
      continue;
    }
    const line = block.slice(at).search(/[\r\n]|$/);
    if (HIDES_FENCES.test(block.slice(at, at + line))) break;
    at += line + 1;
  }
  return prose + block.slice(from);
}

/** The reason why a block is shown as plain text. Undefined if it is rendered as Markdown. */
export function plainReason(block: string): string | undefined {
  const prose = proseOf(block);
  const isDeep = prose.match(MARKS)?.some((marks) => (marks.match(MARK)?.length ?? 0) > DEEPEST) === true;
  if (isDeep || FAR_MARK.test(prose)) return `lists or quotes nested more than ${DEEPEST} deep`;
  if (prose.length > LONGEST_PARSED)
    return `one line or formula of ${prose.length.toLocaleString('en')} characters`;
  const dollars = prose.match(/\$+|\\[([]|\\boxed/g)?.length ?? 0;
  if (dollars > 2 * MOST_FORMULAS) return `more than ${MOST_FORMULAS} formulas`;
  if (formulaCells(prose) > MOST_FORMULA_CELLS) return `formulas of more than ${MOST_FORMULA_CELLS} cells`;
  if (cellsOf(prose) > MOST_CELLS) return `a table of more than ${MOST_CELLS.toLocaleString('en')} cells`;
  return undefined;
}

const formulaCells = (tex: string): number => tex.match(/&|\\\\/g)?.length ?? 0;

/**
 * Whether a block is drawn at once, although it may be far from the viewport. A page may have hundreds of texts, and a
 * block of many formulas takes 0.3 s.
 */
export function isLight(block: string): boolean {
  const formulas = block.match(/\$|\\[([]/g)?.length ?? 0;
  const marks = block.match(/[*_[!`~]/g)?.length ?? 0;
  const cost = 5 * formulas + 20 * formulaCells(block) + cellsOf(block) + marks;
  return cost <= LIGHT || plainReason(block) !== undefined;
}

/** Cells of all tables. A row gets all columns of its table, even if its line is a single `|`. At least as many as drawn. */
function cellsOf(prose: string): number {
  let [cells, columns] = [0, 0];
  for (const line of prose.split(/\r\n|\n|\r/)) {
    if (line.includes('|') && DELIMITERS.test(line))
      columns = Math.max(columns, line.match(/-+/g)?.length ?? 0);
    else if (/^[ \t]*$/.test(line)) columns = 0;
    cells += columns;
  }
  return cells;
}

/** KaTeX limits how often a command is expanded, but not how long its text is. */
const DEFINES_COMMANDS = /\\(?:[gex]?def|(?:future)?let|(?:re)?newcommand|providecommand)(?![a-zA-Z@])/;

/**
 * The reason why a formula is shown as source. KaTeX and page layout are recursive, so deep nesting must be rejected.
 */
export function plainFormulaReason(tex: string): string | undefined {
  if (tex.length > LONGEST_PARSED) return `it has ${tex.length.toLocaleString('en')} characters`;
  if (DEFINES_COMMANDS.test(tex)) return 'it defines commands';
  if (formulaCells(tex) > MOST_FORMULA_CELLS) return `it has more than ${MOST_FORMULA_CELLS} cells`;
  let [depth, chain] = [0, 0];
  for (const [token] of tex.matchAll(/\\(?:[a-zA-Z]+|[\s\S])|[{}^_]|\S/g)) {
    if (token === '{' || token === '\\left' || token === '\\begin') depth++;
    else if (token === '}' || token === '\\right' || token === '\\end') depth--;
    // \sqrt\sqrt\sqrt x nests without braces.
    chain = token.length > 2 || token === '^' || token === '_' ? chain + 1 : 0;
    if (depth > DEEPEST || chain > DEEPEST) return `it is nested more than ${DEEPEST} deep`;
  }
  return undefined;
}

interface TreeNode {
  readonly children?: readonly TreeNode[];
}

/**
 * Rejects trees that are nested too deeply for the recursive plugins that follow, or that a page draws too slowly.
 * @throws Error
 */
export function refuseLargeTrees() {
  return (tree: TreeNode): void => {
    let level: readonly TreeNode[] = [tree];
    let nodes = 0;
    // A list in a list is two levels of the tree.
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > 4 * DEEPEST) throw new Error('the text is nested too deeply');
      nodes += level.length;
      if (nodes > MOST_NODES) throw new Error('the text has too many parts');
      level = level.flatMap(({ children = [] }) => children);
    }
  };
}

/** Rewrites `\( … \)` and `\[ … \]` as `$$ … $$`, which has the same length. Code is left alone. */
function withDollarDelimiters(text: string): string {
  return text.replace(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)|\\[()[\]]/g, (match, code?: string) =>
    code === undefined ? '$$' : match,
  );
}

/**
 * Replaces single dollars that mean money, by Pandoc's rule: a formula's opening `$` has no space after it, and its
 * closing `$` has no space before it and no digit after it. A formula stays within a paragraph.
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

/** The result has the same length as `text`, so offsets stay valid. */
export function preparedMarkdown(text: string): string {
  return withMoneyMarked(withDollarDelimiters(text));
}

export function withDollars(text: string): string {
  return text.replaceAll(DOLLAR_STAND_IN, '$');
}

/** The address of a link. Markdown has percent-encoded it. */
export function addressWithDollars(url: string): string {
  return withDollars(url.replaceAll(encodeURIComponent(DOLLAR_STAND_IN), '$'));
}

export interface SourceFrame {
  /** The block as written in the log. */
  readonly text: string;
  /** Offset of the block in its source. */
  readonly start: number;
  readonly source: string;
}

/**
 * Wraps text nodes that are literal parts of the source in elements with their offset, and formulas in elements with
 * their TeX.
 */
export function sourceOffsets(frame: SourceFrame) {
  return (tree: Root) => {
    mapChildren(tree, frame);
  };
}

/** The formula of a `<code class="language-math">`, or of the `<pre>` around one, with its source range. */
function formulaOf(node: Element, frame: SourceFrame): Element | undefined {
  const [only] = node.children;
  if (node.tagName === 'pre' && only?.type === 'element') {
    return formulaOf({ ...only, position: node.position ?? only.position }, frame);
  }
  const classes = node.properties.className;
  if (!Array.isArray(classes) || !classes.includes('language-math')) return undefined;
  const tex = node.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
  const [from, to] = [node.position?.start.offset, node.position?.end.offset];
  const place = from === undefined || to === undefined ? undefined : { from, to };
  return formula(withDollars(tex), classes.includes('math-display'), place, frame);
}

/** @param place range in the block. KaTeX replaces the characters, so tokens inside are marked on the whole formula */
function formula(
  tex: string,
  isDisplay: boolean,
  place: { readonly from: number; readonly to: number } | undefined,
  frame: SourceFrame,
): Element {
  const placed =
    place === undefined
      ? {}
      : { dataFrom: frame.start + place.from, dataTo: frame.start + place.to, dataIn: frame.source };
  return {
    type: 'element',
    tagName: 'span',
    properties: { dataFormula: tex, dataDisplay: isDisplay, ...placed },
    children: [],
  };
}

function mapChildren(parent: Root | Element, frame: SourceFrame): void {
  const isCode = parent.type === 'element' && parent.tagName === 'code';
  const children = parent.children.flatMap((child: RootContent): RootContent[] => {
    if (child.type === 'text') return isCode ? located(child, frame) : withBoxes(child, frame);
    if (child.type !== 'element') return [child];
    const found = formulaOf(child, frame);
    if (found !== undefined) return [found];
    mapChildren(child, frame);
    return [child];
  });
  // A doctype occurs only at the root of a whole document, which Markdown never yields.
  parent.children = children.filter((child): child is ElementContent => child.type !== 'doctype');
}

/**
 * `\\boxed{…}` is often written without dollars, and answer extractors find it there. It is rendered as a formula
 * anyway.
 */
const BOXED = /\\boxed\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g;

function withBoxes(node: Text, frame: SourceFrame): ElementContent[] {
  const from = node.position?.start.offset;
  const isLiteral = from !== undefined && frame.text.startsWith(withDollars(node.value), from);
  if (from === undefined || !isLiteral || !node.value.includes('\\boxed{')) return located(node, frame);
  const pieces: ElementContent[] = [];
  const addText = (start: number, end: number) => {
    if (start === end) return;
    const value = withDollars(node.value.slice(start, end));
    pieces.push(...visibleText(value, { start: frame.start + from + start, source: frame.source }));
  };
  let at = 0;
  for (const match of node.value.matchAll(BOXED)) {
    addText(at, match.index);
    const place = { from: from + match.index, to: from + match.index + match[0].length };
    pieces.push(formula(withDollars(match[0]), false, place, frame));
    at = match.index + match[0].length;
  }
  addText(at, node.value.length);
  return pieces;
}

/** Like `SourceText`: control characters become glyphs. The rest gets its source offset if that is known. */
function visibleText(
  value: string,
  place: { readonly start: number; readonly source: string } | undefined,
): ElementContent[] {
  return visiblePieces(value).map((piece): ElementContent => {
    const text: Text = { type: 'text', value: piece.text };
    if (piece.name !== undefined) {
      const title = `${piece.name}, shown because it would be invisible`;
      const properties = { className: ['hidden-character'], title };
      return { type: 'element', tagName: 'span', properties, children: [text] };
    }
    if (place === undefined) return text;
    const properties = { dataStart: place.start + piece.start, dataSource: place.source };
    return { type: 'element', tagName: 'span', properties, children: [text] };
  });
}

function located(node: Text, frame: SourceFrame): ElementContent[] {
  const value = withDollars(node.value);
  const from = node.position?.start.offset;
  const to = node.position?.end.offset;
  if (from === undefined || to === undefined || value.trim() === '') return visibleText(value, undefined);
  // Inline code and fences: the position includes the backticks, the value does not.
  const inside = frame.text.slice(from, to).indexOf(value);
  // Escapes and entities differ from their source, so such a text has no exact offset.
  if (inside < 0) return visibleText(value, undefined);
  return visibleText(value, { start: frame.start + from + inside, source: frame.source });
}

interface MathNode {
  readonly type: string;
  readonly position?: { readonly start: { readonly offset?: number } };
  readonly children?: readonly MathNode[];
  data?: { hProperties?: { className?: string[] } };
}

/** `\[ … \]` within one line parses as inline `$$ … $$`. This restores it to a display formula. */
export function displayFormulas(text: string) {
  const visit = (node: MathNode): void => {
    const at = node.position?.start.offset;
    if (node.type === 'inlineMath' && at !== undefined && text.startsWith('\\[', at)) {
      node.data = { ...node.data, hProperties: { className: ['language-math', 'math-display'] } };
    }
    for (const child of node.children ?? []) visit(child);
  };
  return visit;
}
