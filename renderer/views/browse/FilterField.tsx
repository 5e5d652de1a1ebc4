import { Search } from 'lucide-react';
import { useRef } from 'react';
import { useCommands } from '../../app/commands.ts';
import { keyOf } from '../../app/keysInForce.ts';
import { useUrlQuery } from '../../data/usePlace.ts';

/** The quick filter of a list. Its text lives in the URL. */
export function FilterField({ placeholder }: { readonly placeholder: string }) {
  const [query, setQuery] = useUrlQuery();
  const field = useRef<HTMLInputElement>(null);
  useCommands({ 'search.focus': () => field.current?.focus() });
  return (
    <label className="search-field">
      <Search size={13} />
      <input
        ref={field}
        type="search"
        placeholder={`${placeholder}  ${keyOf('search.focus') ?? ''}`}
        aria-label={placeholder}
        value={query.get('filter') ?? ''}
        onChange={(event) => setQuery({ filter: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          if (event.key === 'Escape') setQuery({ filter: undefined });
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
    </label>
  );
}
