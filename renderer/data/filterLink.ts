/** The page's filter (`?q=`, in the filter language). It is in the URL so that lists and charts can be shared. */

import { TEXT_FIELDS } from '../../shared/domain/filter/fields.ts';
import type { FilterFault, FilterNode } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { useUrlQuery } from './useRoute.ts';

export interface FilterLink {
  /** As written in the URL. */
  readonly text: string;
  /** The filter that lists and charts use. Empty if the URL's filter cannot be parsed. */
  readonly applied: string;
  readonly node: FilterNode;
  /** Only if the URL's filter cannot be parsed. */
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

/** The fields that a filter uses, without duplicates. Leaves out text fields, which always have a value. */
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
