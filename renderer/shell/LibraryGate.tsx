/** Handles links into a library that is not open: says so, and offers to open the library if it is remembered. */
import type { ReactNode } from 'react';
import { HOME_LIBRARY, type LibraryRow } from '../../shared/api/contract.ts';
import { hrefInLibrary } from '../data/libraryLink.ts';
import { useLibraries } from '../data/otherLibraries.ts';
import { presentHref } from '../data/useRoute.ts';
import { Button } from '../ui/Controls.tsx';
import { Link } from '../ui/Link.tsx';
import { plainLogText } from '../ui/LogText.tsx';
import { EmptyState, WaitingState } from '../ui/States.tsx';
import { useLibraryActions } from './useLibraryActions.ts';

interface LibraryGateProps {
  readonly library: string;
  readonly children: ReactNode;
}

export function LibraryGate({ library, children }: LibraryGateProps) {
  const libraries = useLibraries();
  if (library === HOME_LIBRARY) return children;
  if (libraries === undefined) return <WaitingState title="Looking for the library…" />;
  const row = libraries.find(({ id }) => id === library);
  return row?.isOpen === true ? children : <NotOpen library={library} row={row} />;
}

function NotOpen({ library, row }: { readonly library: string; readonly row: LibraryRow | undefined }) {
  const { open, chooseAndOpen } = useLibraryActions();
  const home = (
    <Link className="is-link" href={hrefInLibrary(HOME_LIBRARY, '/')}>
      Go to the library Turnwise was started with
    </Link>
  );
  if (row === undefined) {
    return (
      <EmptyState title={`No library ${plainLogText(library)} is open`}>
        <p>
          This link opens {plainLogText(presentHref())} in that library. Open the library’s file, then follow
          the link again.
        </p>
        <p>
          <Button isPrimary onClick={() => void chooseAndOpen()}>
            Open a library…
          </Button>
        </p>
        <p>{home}</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={`The library ${row.name} is closed`}>
      <p className="state-facts">{row.path}</p>
      {row.isGone === true ? (
        <p>Its file is no longer there.</p>
      ) : (
        <p>
          <Button isPrimary disabled={open.isPending} onClick={() => open.mutate({ id: row.id })}>
            {open.isPending ? 'Opening…' : 'Open it again'}
          </Button>
        </p>
      )}
      {open.error !== null && (
        <p className="is-wrong" role="alert">
          ✕ {open.error.message}
        </p>
      )}
      <p>{home}</p>
    </EmptyState>
  );
}
