/**
 * Evaluates a filter row by row while some texts are unread. The result is true, false, or undefined if a
 * text has to be read.
 */
import type { FilterNode, TextNode } from '../../shared/domain/filter/node.ts';

/** undefined: not known yet. */
export type Ternary = boolean | undefined;

/** @param text returns the known result of a text node; called only if the result may depend on it */
export type RowPredicate = (row: number, text: (node: TextNode) => Ternary) => Ternary;

/** @param maskOf evaluates a filter without texts to one byte per row; called once for each part */
export function rowPredicate(node: FilterNode, maskOf: (node: FilterNode) => Uint8Array): RowPredicate {
  switch (node.kind) {
    case 'text':
      return (_, text) => text(node);
    case 'not': {
      const inner = rowPredicate(node.node, maskOf);
      return (row, text) => {
        const truth = inner(row, text);
        return truth === undefined ? undefined : !truth;
      };
    }
    case 'and':
    case 'or': {
      const plain = node.nodes.filter((each) => !hasText(each));
      // Evaluate numbers and words first: they need no text and usually decide.
      const parts = [
        ...(plain.length === 0 ? [] : [ofMask(maskOf({ kind: node.kind, nodes: plain }))]),
        ...node.nodes.filter(hasText).map((each) => rowPredicate(each, maskOf)),
      ];
      const decides = node.kind === 'or';
      return (row, text) => {
        let isKnown = true;
        for (const part of parts) {
          const truth = part(row, text);
          if (truth === decides) return decides;
          if (truth === undefined) isKnown = false;
        }
        return isKnown ? !decides : undefined;
      };
    }
    default:
      return ofMask(maskOf(node));
  }
}

const ofMask =
  (mask: Uint8Array): RowPredicate =>
  (row) =>
    mask[row] === 1;

function hasText(node: FilterNode): boolean {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.nodes.some(hasText);
    case 'not':
      return hasText(node.node);
    default:
      return node.kind === 'text';
  }
}
