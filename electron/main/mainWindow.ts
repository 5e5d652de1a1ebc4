/** The main window: its position, its page, and recovery when the page crashes. */
import { BrowserWindow, dialog, screen } from 'electron';
import { APP_URL, webPreferences } from './security.ts';
import { DEFAULT_SIZE, MINIMUM_SIZE, readWindowState, writeWindowState } from './windowState.ts';

export interface MainWindowOptions {
  readonly preload: string;
  readonly statePath: string;
}

/** The caller loads the page. Closing the window before that is not an error. */
export function createMainWindow({ preload, statePath }: MainWindowOptions): BrowserWindow {
  const workAreas = screen.getAllDisplays().map((display) => display.workArea);
  const { bounds, isMaximized } = readWindowState(statePath, workAreas);
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...bounds,
    minWidth: MINIMUM_SIZE.width,
    minHeight: MINIMUM_SIZE.height,
    title: 'Turnwise',
    show: false, // until the first paint
    webPreferences: webPreferences(preload),
  });
  window.once('ready-to-show', () => {
    // Maximizing shows the window, so it waits for the first paint too.
    if (isMaximized) window.maximize();
    window.show();
  });
  window.on('close', () =>
    writeWindowState(statePath, { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() }),
  );
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return;
    const message = `The view stopped working (${reason}). Your library is not affected.`;
    void dialog
      .showMessageBox(window, {
        type: 'error',
        message,
        buttons: ['Reload', 'Close'],
        defaultId: 0,
        cancelId: 1,
      })
      .then(({ response }) => {
        if (window.isDestroyed()) return;
        if (response === 0) window.webContents.reload();
        else window.close();
      });
  });
  return window;
}

/**
 * Resolves when the page is loaded or the window is closed.
 *
 * @param page path in the application
 */
export async function loadMainWindow(window: BrowserWindow, page = '/'): Promise<void> {
  try {
    await window.loadURL(new URL(page, APP_URL).href);
    if (!window.isDestroyed() && !window.isVisible()) window.show();
  } catch (error) {
    // The window was closed, or another page was requested meanwhile.
    if (window.isDestroyed() || (error as { code?: string }).code === 'ERR_ABORTED') return;
    dialog.showErrorBox('Turnwise could not load its window', String(error));
    window.destroy();
  }
}

export function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
