import { X } from 'lucide-react';
import type { FilterNode } from '../../../shared/domain/filter/node.ts';
import { filterText } from '../../../shared/domain/filter/print.ts';
import { useFilterLink } from '../../data/filterLink.ts';
import { useUrlQuery } from '../../data/useRoute.ts';
import { plainLogText } from '../../ui/LogText.tsx';

/** The conditions of the page's filter. A click removes one. */
export function FilterChips() {
  const { node } = useFilterLink();
  const [, setQuery] = useUrlQuery();
  const parts = filterParts(node);
  if (parts.length === 0) return null;
  return (
    <fieldset className="filter-chips" aria-label="Conditions">
      {parts.map(({ text, without }) => (
        <button
          type="button"
          key={text}
          className="filter-chip"
          title={plainLogText(`Remove ${text}`)}
          onClick={() => setQuery({ q: without === '' ? undefined : without })}
        >
          <code>{plainLogText(text)}</code>
          <X size={11} aria-hidden="true" />
        </button>
      ))}
    </fieldset>
  );
}

interface FilterPart {
  readonly text: string;
  /** The filter without this condition. */
  readonly without: string;
}

/** Splits a filter into the conditions that must all hold, each of which can be removed. */
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
