/** Actions on whole libraries, used by the library page, the dialogs and the palette. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { HOME_LIBRARY, isLibraryName, type LibraryRow } from '../../shared/api/contract.ts';
import { useClient, useConnection, useLibrary } from '../data/DataProvider.tsx';
import { ApiError } from '../data/failures.ts';
import { hrefInLibrary } from '../data/libraryLink.ts';
import { useLibraries } from '../data/otherLibraries.ts';
import { useRequest } from '../data/useRequest.ts';
import { navigateTo } from '../data/useRoute.ts';
import { useInterface } from '../state/interface.ts';
import { bytes } from '../ui/numbers.ts';
import type { Handlers } from './keys/commands.ts';

const LIBRARIES_KEY = ['library.list', {}] as const;

export function useLibraryActions() {
  const client = useClient();
  const { clientOf } = useConnection();
  const here = useLibrary();
  const queryClient = useQueryClient();
  const canOpenDialog = useRequest('host.info', {}).data?.shell === 'desktop';
  const { setNotice } = useInterface.getState();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: LIBRARIES_KEY });
  const say = (what: string) => (error: Error) => setNotice(`${what}: ${error.message}`);

  const open = useMutation({
    mutationFn: (which: { readonly path: string } | { readonly id: string }) =>
      client.request('library.open', which),
    // If a link into this library opened it, stay at the link.
    onSuccess: ({ id }) => id !== here && navigateTo(hrefInLibrary(id, '/')),
    onSettled,
  });
  const close = useMutation({
    mutationFn: async (library: Pick<LibraryRow, 'id' | 'name'>) => {
      // Leave the library first, since its pages would fail once it is closed.
      if (library.id === here) navigateTo(hrefInLibrary(HOME_LIBRARY, '/'));
      return client.request('library.close', { id: library.id });
    },
    onSuccess: (_closed, { name }) => setNotice(`${name} closed. Its file is kept and can be opened again.`),
    onError: say('Not closed'),
    onSettled,
  });
  const forget = useMutation({
    mutationFn: (library: Pick<LibraryRow, 'id' | 'name'>) =>
      client.request('library.forget', { id: library.id }),
    onSuccess: (_done, { name }) => setNotice(`${name} removed from the list. Its file is kept.`),
    onError: say('Not removed from the list'),
    onSettled,
  });
  const compact = useMutation({
    mutationFn: (library: Pick<LibraryRow, 'id' | 'name'>) =>
      clientOf(library.id).request('library.compact', {}),
    onSuccess: ({ before, after }, { name }) =>
      setNotice(
        before - after > 0
          ? `${name} compacted: ${bytes(before)} → ${bytes(after)}`
          : `${name} is already compact: ${bytes(after)}`,
      ),
    onError: say('Not compacted'),
    onSettled,
  });
  /** Uses the system's dialog if there is one, else the page's own. */
  const chooseAndOpen = async () => {
    if (!canOpenDialog) {
      useInterface.getState().showDialog({ kind: 'openLibrary' });
      return;
    }
    const { paths } = await client.request('shell.openDialog', { kind: 'library' });
    const [path] = paths;
    if (path !== undefined) open.mutate({ path }, { onError: say('Not opened') });
  };
  /** The user enters address and account in a dialog of the shell, where no page can. */
  const openWarehouse = async () => {
    try {
      const { library } = await client.request('shell.openWarehouse', {});
      if (library === undefined) return;
      // Its library may have been open without it, or with another account.
      await queryClient.invalidateQueries();
      navigateTo(hrefInLibrary(library, '/warehouse'));
    } catch (error) {
      setNotice(`Not opened: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  /** @returns the paths that are not Turnwise libraries; a trainer's own database may be a log */
  const openLibraries = async (paths: readonly string[]): Promise<readonly string[]> => {
    const others: string[] = [];
    for (const path of paths) {
      if (!isLibraryName(path)) {
        others.push(path);
        continue;
      }
      try {
        await open.mutateAsync({ path });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'refused') others.push(path);
        else setNotice(`Not opened: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return others;
  };
  return { open, close, forget, compact, chooseAndOpen, openWarehouse, openLibraries, canOpenDialog };
}

/** Commands for the current library. */
export function useLibraryCommands(): Handlers {
  const here = useLibrary();
  const row = useLibraries()?.find(({ id }) => id === here);
  const { close, compact, chooseAndOpen, openWarehouse, canOpenDialog } = useLibraryActions();
  const { showDialog } = useInterface.getState();
  return {
    'library.open': () => void chooseAndOpen(),
    'warehouse.open': canOpenDialog ? () => void openWarehouse() : undefined,
    'library.close': row?.isOpen === true && !row.isHome ? () => close.mutate(row) : undefined,
    'library.sizes':
      row?.isOpen === true ? () => showDialog({ kind: 'librarySizes', library: here }) : undefined,
    'library.compact': row?.isOpen === true && !compact.isPending ? () => compact.mutate(row) : undefined,
  };
}
