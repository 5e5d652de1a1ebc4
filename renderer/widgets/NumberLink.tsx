import type { ReactNode } from 'react';
import { useUrlQuery } from '../data/useRoute.ts';
import { Hint } from '../ui/Hint.tsx';
import { Link } from '../ui/Link.tsx';

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
  /** The list of the rollouts counted, where a filter selects them. Otherwise the number shows its groups. */
  readonly rolloutsHref?: string | undefined;
  readonly children: ReactNode;
}

/** A number that opens what it counts: the list of its rollouts, else the groups behind it. */
export function NumberLink({
  tally,
  about,
  label,
  className = 'number-link',
  rolloutsHref,
  children,
}: NumberLinkProps) {
  const [query, setQuery] = useUrlQuery();
  const isOpen = query.get('of') === tally.key;
  const action =
    rolloutsHref !== undefined ? 'Lists the rollouts' : isOpen ? 'Hides the groups' : 'Shows the groups';
  const text = (
    <>
      {about.meaning}
      <span className="hint-facts">{about.count}</span>
      <span className="hint-facts">from {about.source}</span>
      <span className="hint-facts">{action}</span>
    </>
  );
  return (
    <Hint text={text} side="top">
      {rolloutsHref === undefined ? (
        <button
          type="button"
          className={className}
          aria-label={label}
          aria-pressed={isOpen}
          onClick={() => setQuery({ of: isOpen ? undefined : tally.key })}
        >
          {children}
        </button>
      ) : (
        <Link className={className} aria-label={label} href={rolloutsHref}>
          {children}
        </Link>
      )}
    </Hint>
  );
}
