/** A filter as the conditions that must all hold, each of which can be taken away. */
import type { FilterNode } from '../../../shared/domain/filter/node.ts';
import { filterText } from '../../../shared/domain/filter/print.ts';

export interface FilterPart {
  readonly text: string;
  /** The filter without it. */
  readonly without: string;
}

export function filterParts(node: FilterNode): readonly FilterPart[] {
  if (node.kind === 'all') return [];
  const nodes = node.kind === 'and' ? node.nodes : [node];
  return nodes.map((each, i) => ({
    text: partText(each),
    without: nodesText(nodes.filter((_, at) => at !== i)),
  }));
}

function partText(node: FilterNode): string {
  return node.kind === 'or' && node.nodes.length > 1 ? `(${filterText(node)})` : filterText(node);
}

function nodesText(nodes: readonly FilterNode[]): string {
  const [first] = nodes;
  if (first === undefined) return '';
  return nodes.length === 1 ? filterText(first) : filterText({ kind: 'and', nodes });
}
