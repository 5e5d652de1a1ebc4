/** The open libraries with their actions, and those that were opened before. */
import { Database, Ellipsis, FolderOpen } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { LibraryRow } from '../../../shared/api/contract.ts';
import { useLibrary } from '../../data/DataProvider.tsx';
import { hrefInLibrary } from '../../data/libraryLink.ts';
import { useLibraries } from '../../data/otherLibraries.ts';
import { useLibraryActions } from '../../shell/useLibraryActions.ts';
import { useInterface } from '../../state/interface.ts';
import { Button } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { bytes, counted } from '../../ui/numbers.ts';

export function OpenLibraries() {
  const libraries = useLibraries();
  const { chooseAndOpen, openWarehouse, open, canOpenDialog } = useLibraryActions();
  const here = useLibrary();
  if (libraries === undefined) return null;
  const present = libraries.find(({ id }) => id === here);
  return (
    <section className="open-libraries" aria-label="Libraries">
      <ul className="open-libraries-list">
        {libraries.map((library) => (
          <Entry key={library.id} library={library} />
        ))}
      </ul>
      <Button
        disabled={open.isPending}
        title="Open another library to compare its runs with these"
        onClick={() => void chooseAndOpen()}
      >
        <FolderOpen size={14} /> {open.isPending ? 'Opening…' : 'Open library…'}
      </Button>
      {canOpenDialog && (
        <Button
          title="Open a ClickHouse database with the runs of a team"
          onClick={() => void openWarehouse()}
        >
          <Database size={14} /> Open warehouse…
        </Button>
      )}
      <span className="open-libraries-path path-tail mono dim" title={present?.path}>
        <bdi>{present?.path}</bdi>
      </span>
    </section>
  );
}

function Entry({ library }: { readonly library: LibraryRow }) {
  const here = useLibrary();
  const { open, close, forget, compact } = useLibraryActions();
  const showDialog = useInterface((state) => state.showDialog);
  const { id, name, path, isOpen, isGone = false, isHome } = library;
  const isHere = id === here;
  const className = `open-libraries-entry${isHere ? ' is-here' : ''}${isOpen ? '' : ' is-closed'}`;
  const facts = factsOf(library);
  return (
    <li className={className} title={path}>
      <span className="open-libraries-name">
        {isOpen ? (
          <Link href={hrefInLibrary(id, '/')} aria-current={isHere ? 'page' : undefined}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi>{name}</bdi>
        )}
        <small>{compact.isPending ? 'compacting…' : facts}</small>
        {open.error !== null && <small className="is-wrong">✕ {open.error.message}</small>}
      </span>
      {isOpen ? (
        <DropdownMenu.Root>
          <DropdownMenu.Trigger asChild>
            <button type="button" className="row-menu" aria-label={`Actions for the library ${name}`}>
              <Ellipsis size={16} />
            </button>
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content
              className="menu"
              align="start"
              sideOffset={4}
              aria-label={`Library ${name}`}
            >
              <DropdownMenu.Label className="menu-label open-libraries-full-path">{path}</DropdownMenu.Label>
              {/* Opens after the menu has returned the focus, which would otherwise leave the dialog. */}
              <DropdownMenu.Item
                onSelect={() => setTimeout(() => showDialog({ kind: 'librarySizes', library: id }))}
              >
                Disk space…
              </DropdownMenu.Item>
              <DropdownMenu.Item disabled={compact.isPending} onSelect={() => compact.mutate(library)}>
                {compact.isPending ? 'Compacting…' : 'Compact'}
              </DropdownMenu.Item>
              <DropdownMenu.Separator />
              <DropdownMenu.Item disabled={isHome} onSelect={() => close.mutate(library)}>
                {isHome ? 'Cannot be closed: Turnwise was started with it' : 'Close'}
              </DropdownMenu.Item>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      ) : (
        <span className="open-libraries-buttons">
          {!isGone && (
            <Button disabled={open.isPending} onClick={() => open.mutate({ id })}>
              {open.isPending ? 'Opening…' : 'Open again'}
            </Button>
          )}
          <Button
            aria-label={`Forget the library ${name}`}
            title="Removes it from the list. The file is kept"
            onClick={() => forget.mutate(library)}
          >
            Forget
          </Button>
        </span>
      )}
    </li>
  );
}

function factsOf({ isOpen, isGone, sizeBytes, runs, rollouts }: LibraryRow): string {
  if (isGone === true) return 'the file is gone';
  const size = sizeBytes === undefined ? [] : [`${bytes(sizeBytes)} on the disk`];
  if (!isOpen) return ['closed', ...size].join(' · ');
  const known =
    runs === undefined || rollouts === undefined ? [] : [counted(runs, 'run'), counted(rollouts, 'rollout')];
  return [...known, ...size].join(' · ');
}
