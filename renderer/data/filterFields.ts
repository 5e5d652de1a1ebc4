import { TEXT_FIELDS } from '../../shared/domain/filter/fields.ts';
import type { FilterNode } from '../../shared/domain/filter/node.ts';

/** Whose values a filter asks for, each once; texts are always there. */
export function fieldsOf(node: FilterNode): readonly string[] {
  switch (node.kind) {
    case 'all':
      return [];
    case 'and':
    case 'or':
      return [...new Set(node.nodes.flatMap(fieldsOf))];
    case 'not':
      return fieldsOf(node.node);
    default:
      return (TEXT_FIELDS as readonly string[]).includes(node.field) ? [] : [node.field];
  }
}
