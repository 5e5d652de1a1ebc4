/** Two plugins over the Markdown trees: offsets on text, and display formulas kept as such. */
import type { Element, ElementContent, Root, RootContent, Text } from 'hast';
import { visiblePieces } from '../../ui/visibleText.ts';
import { withDollars } from './markdownModel.ts';

export interface SourceFrame {
  /** The block as written in the log. */
  readonly text: string;
  /** Offset of the block in its source. */
  readonly start: number;
  readonly source: string;
}

/** Text nodes that are literal parts of the source get an element that knows their offset; formulas one that holds their TeX. */
export function sourceOffsets(frame: SourceFrame) {
  return (tree: Root) => {
    mapChildren(tree, frame);
  };
}

/** The formula of a `<code class="language-math">`, or of the `<pre>` around one, with what of the source it stands for. */
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

/** @param place in the block; the characters of a formula are set anew, so tokens in it stand at the whole of it */
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
  // A doctype can only stand at the root of a whole document, which Markdown never yields.
  parent.children = children.filter((child): child is ElementContent => child.type !== 'doctype');
}

/** `\\boxed{…}` often stands without dollars, where extractors look for it; it is a formula all the same. */
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

/** As `SourceText` draws it: characters that would act become glyphs; the rest knows its place where it has one. */
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
  // Escapes and entities differ from their source; such a piece has no exact place.
  if (inside < 0) return visibleText(value, undefined);
  return visibleText(value, { start: frame.start + from + inside, source: frame.source });
}

interface MathNode {
  readonly type: string;
  readonly position?: { readonly start: { readonly offset?: number } };
  readonly children?: readonly MathNode[];
  data?: { hProperties?: { className?: string[] } };
}

/** `\[ … \]` within one line parses as inline `$$ … $$`; it was meant to stand on its own. */
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
