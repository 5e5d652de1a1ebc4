/** The filter of the page: `?q=`, in the filter language, so that a list or a chart can be sent to someone. */

import { TEXT_FIELDS } from '../../shared/domain/filter/fields.ts';
import type { FilterFault, FilterNode } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { useUrlQuery } from './useRoute.ts';

export interface FilterLink {
  /** As it stands in the link. */
  readonly text: string;
  /** What lists and charts go by: empty where the link's filter cannot be read. */
  readonly applied: string;
  readonly node: FilterNode;
  /** Only where the link itself holds a filter that cannot be read. */
  readonly fault: FilterFault | undefined;
}

export function useFilterLink(): FilterLink {
  const [query] = useUrlQuery();
  return filterLinkOf(query);
}

const EVERYTHING: FilterNode = { kind: 'all' };

export function filterLinkOf(query: URLSearchParams): FilterLink {
  const text = query.get('q') ?? '';
  const read = readFilter(text);
  return read.ok
    ? { text, applied: text.trim(), node: read.node, fault: undefined }
    : { text, applied: '', node: EVERYTHING, fault: read.fault };
}

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
