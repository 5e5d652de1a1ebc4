/** The desktop actions of the host: file dialogs and external links. */
import type { BrowserWindow, Dialog, Shell } from 'electron';
import { LIBRARY_EXTENSIONS } from '../../shared/api/libraryRows.ts';
import type { ShellActions } from '../host/host.ts';
import { externalUrl } from './security.ts';

export interface ShellActionOptions {
  readonly dialog: Pick<Dialog, 'showOpenDialog' | 'showSaveDialog' | 'showMessageBox'>;
  readonly shell: Pick<Shell, 'openExternal'>;
  window(): BrowserWindow | undefined;
  /** Grants a path that the user has chosen. */
  grant(path: string): Promise<void>;
  /** @returns id of the library that the user has opened in the dialog */
  openWarehouse(): Promise<string | undefined>;
}

const LIBRARIES = [{ name: 'Turnwise library', extensions: [...LIBRARY_EXTENSIONS] }];

const OPEN_DIALOGS: Readonly<Record<'files' | 'directory' | 'library', Electron.OpenDialogOptions>> = {
  files: { title: 'Open log files', properties: ['openFile', 'multiSelections'] },
  directory: { title: 'Open a folder of logs', properties: ['openDirectory', 'multiSelections'] },
  library: { title: 'Open a library', properties: ['openFile'], filters: LIBRARIES },
};

export function createShellActions(options: ShellActionOptions): ShellActions {
  const { dialog, shell, window, grant } = options;
  return {
    async openDialog(kind) {
      const parent = window();
      const ofKind = OPEN_DIALOGS[kind];
      const { canceled, filePaths } = await (parent === undefined
        ? dialog.showOpenDialog(ofKind)
        : dialog.showOpenDialog(parent, ofKind));
      if (canceled) return { paths: [] };
      for (const path of filePaths) await grant(path);
      return { paths: filePaths };
    },

    async saveDialog(name) {
      const parent = window();
      const ofLibrary: Electron.SaveDialogOptions = {
        title: 'A new library',
        defaultPath: name,
        filters: LIBRARIES,
      };
      const { canceled, filePath } = await (parent === undefined
        ? dialog.showSaveDialog(ofLibrary)
        : dialog.showSaveDialog(parent, ofLibrary));
      return canceled || filePath === '' ? {} : { path: filePath };
    },

    async openWarehouse() {
      const library = await options.openWarehouse();
      return library === undefined ? {} : { library };
    },

    async openLink(url) {
      const href = externalUrl(url);
      const parent = window();
      if (href === undefined || parent === undefined) return { opened: false };
      const { response } = await dialog.showMessageBox(parent, {
        type: 'question',
        message: 'Open this link in your browser?',
        // Shows the whole URL, because the text of a link in a rollout may differ from it.
        detail: href,
        buttons: ['Cancel', 'Open'],
        defaultId: 0,
        cancelId: 0,
        noLink: true,
      });
      if (response !== 1) return { opened: false };
      await shell.openExternal(href);
      return { opened: true };
    },
  };
}
