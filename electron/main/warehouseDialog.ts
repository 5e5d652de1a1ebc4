/** The window of *Open warehouse…*, with a session of its own and without a preload script. */
import { BrowserWindow, type Session } from 'electron';
import { APP_URL, restrictPermissions, SCHEME, stayOffline, webPreferences } from './security.ts';
import { FORM_PATH, type FormServices, warehouseForm } from './warehouseForm.ts';

export interface DialogOptions extends Pick<FormServices, 'fields' | 'canKeep' | 'open'> {
  readonly session: Session;
  readonly parent: BrowserWindow | undefined;
}

let shown: BrowserWindow | undefined;

/** @returns id of the library that was opened; undefined: the user cancelled, or the dialog is there already */
export async function showWarehouseDialog(options: DialogOptions): Promise<string | undefined> {
  if (shown !== undefined) {
    shown.focus();
    return undefined;
  }
  const { session, parent } = options;
  const window = new BrowserWindow({
    width: 520,
    height: 620,
    ...(parent === undefined ? {} : { parent, modal: true }),
    title: 'Open a warehouse',
    minimizable: false,
    maximizable: false,
    fullscreenable: false,
    webPreferences: { ...webPreferences(), session },
  });
  shown = window;
  window.removeMenu();
  // Systems differ in whether a child ends with its parent.
  parent?.once('closed', () => {
    if (!window.isDestroyed()) window.destroy();
  });
  let library: string | undefined;
  const load = (): void => {
    // Rejects when the window is closed meanwhile.
    void window.loadURL(new URL(FORM_PATH, APP_URL).href).catch(() => undefined);
  };
  const form = warehouseForm({
    ...options,
    onOpened: (opened) => {
      library = opened;
      window.destroy();
    },
    onFailed: load,
    onCancelled: () => window.destroy(),
  });
  window.webContents.on('before-input-event', (_event, { type, key }) => {
    if (type === 'keyDown' && key === 'Escape') window.destroy();
  });
  const closed = new Promise<void>((resolve) => {
    window.once('closed', () => resolve());
  });
  restrictPermissions(session);
  session.protocol.handle(SCHEME, (request) => form.handle(request));
  await stayOffline(session);
  if (!window.isDestroyed()) load();
  await closed;
  form.close();
  session.protocol.unhandle(SCHEME);
  shown = undefined;
  return library;
}
