import type { ReactNode } from 'react';
import { useUrlQuery } from '../data/useRoute.ts';

interface NumberLinkProps {
  readonly tally: { readonly key: string };
  readonly title?: string;
  /** Where it is drawn rather than written. */
  readonly label?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A number that opens the groups behind it, below; once more closes them. */
export function NumberLink({ tally, title, label, className = 'number-link', children }: NumberLinkProps) {
  const [query, setQuery] = useUrlQuery();
  const isOpen = query.get('of') === tally.key;
  return (
    <button
      type="button"
      className={className}
      aria-label={label}
      aria-pressed={isOpen}
      title={title}
      onClick={() => setQuery({ of: isOpen ? undefined : tally.key })}
    >
      {children}
    </button>
  );
}
