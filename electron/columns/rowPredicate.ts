/** A filter row by row, where it is not known of every text what it holds: true, false, or to be read first. */
import type { FilterNode, TextNode } from '../../shared/domain/filter/node.ts';

/** undefined: not known. */
export type Ternary = boolean | undefined;

/** @param text what is known of the row's texts; asked only where the answer may depend on it */
export type RowPredicate = (row: number, text: (node: TextNode) => Ternary) => Ternary;

/** @param maskOf one byte per row of a filter without texts; asked once for each part */
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
      // Numbers and words first: they cost nothing, and most often decide.
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
