/** Colours Python code with highlights, using Monaco's tokenizer. */
import { shownPieces } from '../ui/visibleText.ts';
import { type PlacedStretch, placedPieces } from './codePlaces.ts';
import { type CodeToken, pythonTokens } from './pythonTokens.ts';

interface CodeNode {
  readonly node: Text;
  /** Offset of its first character in the code. */
  readonly start: number;
  readonly end: number;
}

/**
 * @param element contains the code as `PythonCode` renders it
 * @returns a function that removes the colours
 */
export function colourPython(element: Element, code: string, places: readonly PlacedStretch[]): () => void {
  if (!('highlights' in CSS)) return () => undefined;
  const nodes = codeNodes(element, code, places);
  const added: [Highlight, StaticRange][] = [];
  let first = 0;
  for (const { start, end, role } of colouredParts(code)) {
    while ((nodes[first]?.end ?? Number.POSITIVE_INFINITY) <= start) first++;
    for (let i = first; i < nodes.length; i++) {
      const at = nodes[i];
      if (at === undefined || at.start >= end) break;
      const range = new StaticRange({
        startContainer: at.node,
        startOffset: Math.max(0, start - at.start),
        endContainer: at.node,
        endOffset: Math.min(end, at.end) - at.start,
      });
      const highlight = highlightOf(role);
      highlight.add(range);
      added.push([highlight, range]);
    }
  }
  return () => {
    for (const [highlight, range] of added) highlight.delete(range);
  };
}

type Role = NonNullable<CodeToken['role']>;

/** The parts of the code that have a colour, ascending. */
function* colouredParts(
  code: string,
): Generator<{ readonly start: number; readonly end: number; readonly role: Role }> {
  const breaks = [...code.matchAll(/\r\n|\r|\n/g)];
  for (const [row, tokens] of pythonTokens(code).entries()) {
    const before = breaks[row - 1];
    let start = before === undefined ? 0 : before.index + before[0].length;
    for (const { text, role } of tokens) {
      if (role !== undefined) yield { start, end: start + text.length, role };
      start += text.length;
    }
  }
}

/** The highlight that all code on the page shares. */
function highlightOf(role: Role): Highlight {
  const name = `code-${role}`;
  const known = CSS.highlights.get(name);
  if (known !== undefined) return known;
  const made = new Highlight();
  CSS.highlights.set(name, made);
  return made;
}

/** The text nodes whose characters are literally those of the code. Hidden characters are shown by name instead. */
function codeNodes(element: Element, code: string, places: readonly PlacedStretch[]): readonly CodeNode[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: CodeNode[] = [];
  let at = 0;
  for (const { text } of placedPieces(code, 0, places)) {
    for (const piece of shownPieces(text)) {
      const node = walker.nextNode();
      if (!(node instanceof Text)) return nodes;
      const start = at + piece.start;
      if (piece.name === undefined) nodes.push({ node, start, end: start + piece.text.length });
    }
    at += text.length;
  }
  return nodes;
}
