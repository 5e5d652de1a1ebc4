/**
 * Electron's main process: lifecycle and wiring only.
 *
 *   argv, second instance, open-file, drop, dialog ──► grant + ingest on the host
 *   host (worker threads; SQLite is never used here) ◄──► ipc ◄──► preload ◄──► page
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  app,
  type BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  protocol,
  safeStorage,
  session,
  shell,
  utilityProcess,
} from 'electron';
import { failureOf, type Result } from '../../shared/api/errors.ts';
import type { LibraryManager } from '../host/host.ts';
import { createLibraryManager } from '../host/libraryManager.ts';
import { libraryOfWarehouse, namedLibrary } from '../host/libraryPath.ts';
import { libraryPage, type Opened, openAtStart, openPaths } from '../host/openPaths.ts';
import { printProblem } from '../host/printProblem.ts';
import { namedWarehouse } from '../warehouse/namedWarehouse.ts';
import { bundleHandler, bundlePaths } from './bundleProtocol.ts';
import { childProcesses } from './childProcesses.ts';
import { saveDownloads } from './downloads.ts';
import { sendEvent, serveIpc } from './ipc.ts';
import { bringToFront, createMainWindow, loadMainWindow } from './mainWindow.ts';
import { menuTemplate } from './menu.ts';
import { SavedWarehouses, warehouseNamed } from './savedWarehouses.ts';
import { restrictPermissions, SCHEME, SCHEME_PRIVILEGES, secureApp, stayOffline } from './security.ts';
import { createShellActions } from './shellActions.ts';
import { argumentsForPaths, startArguments } from './startArguments.ts';
import { showWarehouseDialog } from './warehouseDialog.ts';
import type { EnteredWarehouse } from './warehouseForm.ts';

/** Quitting must end even if a thread hangs. */
const CLOSE_WITHIN_MS = 15_000;

const paths = bundlePaths(import.meta.url);
/** Unpackaged, the first argument is the application's directory. */
const firstArgument = app.isPackaged ? 1 : 2;
const start = startArguments(process.argv.slice(firstArgument), process.cwd());

const { libraryPath, warehouse } = namedLibrary(start.library);
if (warehouse !== undefined) process.env['TURNWISE_WAREHOUSE'] = warehouse;
/** The user's, whichever library is open. */
const savedWarehousesPath = join(app.getPath('userData'), 'warehouses.json');

if (start.library !== undefined) {
  // The single-instance lock and the window state belong to a library, not to the user.
  const name = createHash('sha256').update(libraryPath).digest('hex').slice(0, 16);
  const userData = join(app.getPath('userData'), 'libraries', name);
  mkdirSync(userData, { recursive: true });
  app.setPath('userData', userData);
}

secureApp(app);
protocol.registerSchemesAsPrivileged([SCHEME_PRIVILEGES]);

/** Opens paths from the system or a second instance, and shows the window. Collects them until the host exists. */
const early: string[] = [];
let openHere = (paths: readonly string[]): void => void early.push(...paths);
app.on('open-file', (event, path) => {
  event.preventDefault();
  openHere([path]);
});

app.on('second-instance', (_event, _argv, _directory, data) => {
  openHere((data as { paths?: readonly string[] } | null)?.paths ?? []);
});

if (app.requestSingleInstanceLock({ paths: start.paths })) {
  app
    .whenReady()
    .then(run)
    .catch((error: unknown) => {
      tellStarter();
      dialog.showErrorBox('Turnwise could not start', error instanceof Error ? error.message : String(error));
      app.exit(1);
    });
} else {
  // The instance that holds the lock opens our paths.
  app.quit();
}

/** Tells `npm start` that Electron works. From now on, no failure makes it fall back to a browser. */
function tellStarter(): void {
  if (process.connected) process.send?.('up');
}

async function run(): Promise<void> {
  let window: BrowserWindow | undefined;
  let isClosing = false;
  /** Paths from a second start while this instance is closing. */
  let openNext: readonly string[] | undefined;
  mkdirSync(dirname(libraryPath), { recursive: true, mode: 0o700 });

  const saved = new SavedWarehouses(savedWarehousesPath, safeStorage);
  if (warehouse !== undefined && process.env['TURNWISE_WAREHOUSE_USER'] !== undefined) {
    const named = namedWarehouse(process.env);
    if (named !== undefined) saved.prefer(libraryPath, named);
  }
  const openWarehouse = async (given: EnteredWarehouse, signal: AbortSignal) => {
    try {
      const entered = await saved.withKeptPassword(given);
      const named = warehouseNamed(entered);
      const opened = await host.openWarehouse(libraryOfWarehouse(entered.address), named, signal);
      if (opened.ok) await saved.add(entered);
      return opened;
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      return { ok: false, failure } as const;
    }
  };
  const actions = createShellActions({
    dialog,
    shell,
    window: () => window,
    grant: (path) => grant(path),
    openWarehouse: async () =>
      showWarehouseDialog({
        fields: saved.fields,
        canKeep: await saved.canKeep(),
        open: openWarehouse,
        session: session.fromPartition('warehouse'),
        parent: window,
      }),
  });
  const host: LibraryManager = await createLibraryManager({
    isForPages: true,
    libraryPath,
    shell: 'desktop',
    version: app.getVersion(),
    actions,
    startProcess: childProcesses(utilityProcess),
    warehouses: saved,
    ...(paths.demo === undefined ? {} : { demoPath: paths.demo }),
  });

  async function grant(path: string): Promise<void> {
    await host.grant(path);
    app.addRecentDocument(path);
  }

  /** @returns the page to show: that of a library if one is among the paths */
  async function openAll(
    open: (host: LibraryManager, paths: readonly string[]) => Promise<Result<Opened>>,
    given: readonly string[],
  ): Promise<string | undefined> {
    const result = await open(host, given);
    if (!result.ok) {
      printProblem(result.failure.message);
      return undefined;
    }
    for (const path of given) app.addRecentDocument(path);
    return result.value.library === undefined ? undefined : libraryPage(result.value.library);
  }

  /** @param page a path in the application; default: the current page */
  const showWindow = async (page?: string): Promise<void> => {
    if (isClosing) return;
    if (window !== undefined) {
      bringToFront(window);
      if (page !== undefined) await loadMainWindow(window, page);
      return;
    }
    const opened = createMainWindow({
      preload: paths.preload,
      statePath: join(app.getPath('userData'), 'window.json'),
    });
    window = opened;
    opened.once('closed', () => {
      window = undefined;
    });
    await loadMainWindow(opened, page);
  };

  restrictPermissions(session.defaultSession);
  await stayOffline(session.defaultSession);
  saveDownloads(session.defaultSession, () => app.getPath('downloads'));
  protocol.handle(SCHEME, bundleHandler(paths.renderer));
  serveIpc({ ipcMain, host, onGrant: (path) => app.addRecentDocument(path) });
  host.subscribe((event) => {
    if (window !== undefined) sendEvent(window.webContents, event);
  });
  const run = async (command: string): Promise<void> => {
    if (window === undefined) await showWindow();
    if (window !== undefined) sendEvent(window.webContents, { event: 'shell.command', payload: { command } });
  };
  const template = menuTemplate({
    isMac: process.platform === 'darwin',
    hasDevTools: !app.isPackaged,
    run: (command) => void run(command),
  });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));

  openHere = (given) => {
    if (isClosing) {
      openNext = [...(openNext ?? []), ...given];
      return;
    }
    void showWindow();
    if (given.length > 0)
      void openAll(openPaths, given).then((page) => (page === undefined ? undefined : showWindow(page)));
  };
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('activate', () => void showWindow());
  // Chromium ends the process on the second signal. Ctrl-C in a terminal may arrive twice.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit());
  // Exit only after the writer's transaction has ended. An earlier exit would lose ingested data.
  app.on('will-quit', (event) => {
    event.preventDefault();
    if (isClosing) return;
    isClosing = true;
    void closeWithin(CLOSE_WITHIN_MS, host).then((isClosed) => {
      if (openNext !== undefined)
        app.relaunch({ args: argumentsForPaths(process.argv.slice(1), firstArgument - 1, openNext) });
      // A regular exit would wait for a thread inside SQLite. Killing the process does not damage the library.
      if (isClosed) app.exit(0);
      else process.kill(process.pid, 'SIGKILL');
    });
  });

  const given = [...start.paths, ...early.splice(0)];
  // The demo belongs into a library without runs, and a warehouse has its own.
  await showWindow(
    warehouse !== undefined && given.length === 0 ? '/warehouse' : await openAll(openAtStart, given),
  );
  tellStarter();
}

/** @returns false if the host is still closing after `milliseconds` */
async function closeWithin(milliseconds: number, host: LibraryManager): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const closed = host.close().then(
    () => true,
    (error: unknown) => {
      printProblem(`the library was not closed properly: ${String(error)}`);
      return true;
    },
  );
  const isClosed = await Promise.race([closed, tooLong]);
  clearTimeout(timer);
  return isClosed;
}
