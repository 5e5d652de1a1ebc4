import type { ReactNode } from 'react';
import { useUrlQuery } from '../data/useRoute.ts';
import { Hint } from '../ui/Hint.tsx';

/** Explains a number to a first-time reader. */
export interface NumberMeaning {
  /** A sentence. */
  readonly meaning: string;
  /** Includes the unit: `34 rollouts in 5 groups`. */
  readonly count: string;
  /** The decisions or logged values that it is computed from. */
  readonly source: string;
}

interface NumberLinkProps {
  readonly tally: { readonly key: string };
  readonly about: NumberMeaning;
  /** Accessible name, if the number is drawn instead of written. */
  readonly label?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A number that toggles the list of the groups behind it. */
export function NumberLink({ tally, about, label, className = 'number-link', children }: NumberLinkProps) {
  const [query, setQuery] = useUrlQuery();
  const isOpen = query.get('of') === tally.key;
  const text = (
    <>
      {about.meaning}
      <span className="hint-facts">{about.count}</span>
      <span className="hint-facts">from {about.source}</span>
      <span className="hint-facts">{isOpen ? 'Hides the groups' : 'Shows the groups'}</span>
    </>
  );
  return (
    <Hint text={text} side="top">
      <button
        type="button"
        className={className}
        aria-label={label}
        aria-pressed={isOpen}
        onClick={() => setQuery({ of: isOpen ? undefined : tally.key })}
      >
        {children}
      </button>
    </Hint>
  );
}
