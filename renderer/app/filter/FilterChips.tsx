import { X } from 'lucide-react';
import { useFilterLink } from '../../data/filterLink.ts';
import { useUrlQuery } from '../../data/usePlace.ts';
import { filterParts } from './filterParts.ts';

/** The conditions of the page's filter, each of which a click takes away. */
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
          title={`Without ${text}`}
          onClick={() => setQuery({ q: without === '' ? undefined : without })}
        >
          <code>{text}</code>
          <X size={11} aria-hidden="true" />
        </button>
      ))}
    </fieldset>
  );
}
