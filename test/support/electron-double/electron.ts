/**
 * The double's `import … from 'electron'` for an unmodified electron/main/main.ts: the parts it uses, checked
 * against Electron's own types. Everything else throws.
 */
import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Electron from 'electron';
import { type Browser, startBrowser } from './browser.ts';
import type { Cdp } from './cdp.ts';
import { DoubleContents, type IpcReceiver } from './contents.ts';
import { protocolOf } from './protocol.ts';
import { applyPermissions, defaultSession, followDownloads, isolatedSession } from './session.ts';

export { protocol } from './protocol.ts';

/** A missing API must throw rather than silently do nothing. */
function complete<T extends object>(name: string, implemented: T): T {
  return new Proxy(implemented, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (value !== undefined || typeof key === 'symbol' || key === 'then' || key in target) return value;
      throw new Error(`the double of Electron has no ${name}.${key}`);
    },
  });
}

// ── app ─────────────────────────────────────────────────────────────────────────────────────────

let tellRun: () => void = () => undefined;
/** Playwright holds back `ready` until it is connected, and then calls this global. */
const running = new Promise<void>((resolve) => {
  tellRun = resolve;
});
Object.assign(globalThis, { __playwright_run: () => tellRun() });

const browser: Promise<Browser> = startBrowser();
browser.catch((error: unknown) => {
  console.error('double: Chromium did not start:', error);
  process.exit(1);
});
const cdp: Promise<Cdp> = browser.then(async (started) => {
  await followDownloads(started.cdp);
  return started.cdp;
});
const ready = Promise.all([cdp, running]).then(() => undefined);

const paths = new Map<string, string>([
  ['userData', join(process.env.XDG_CONFIG_HOME ?? join(tmpdir(), 'turnwise-double'), 'turnwise')],
  ['downloads', join(tmpdir(), 'turnwise-double', 'Downloads')],
]);

class App extends EventEmitter {
  readonly isPackaged = false;
  /** Not in Electron: what the application reported to the system. */
  readonly recentDocuments: string[] = [];
  isSandboxEnabled = false;
  readonly commandLine = {
    hasSwitch: (name: string): boolean => process.argv.includes(`--${name}`),
  } satisfies Pick<Electron.CommandLine, 'hasSwitch'>;

  whenReady(): Promise<void> {
    return ready;
  }
  enableSandbox(): void {
    this.isSandboxEnabled = true;
  }
  requestSingleInstanceLock(): boolean {
    return true;
  }
  addRecentDocument(path: string): void {
    this.recentDocuments.push(path);
  }
  getVersion(): string {
    const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  }
  getPath(name: string): string {
    const path = paths.get(name);
    if (path === undefined) throw new Error(`the double of Electron has no path ${name}`);
    return path;
  }
  setPath(name: string, path: string): void {
    // Electron's documentation demands an existing directory.
    if (!existsSync(path)) throw new Error(`${path} does not exist`);
    paths.set(name, path);
  }
  /** Not in Electron: the arguments of the starts that follow this one. */
  readonly relaunches: string[][] = [];
  relaunch({ args = [] }: Electron.RelaunchOptions = {}): void {
    this.relaunches.push(args);
    const log = process.env.TURNWISE_DOUBLE_RELAUNCHES;
    if (log !== undefined) writeFileSync(log, JSON.stringify(this.relaunches));
  }
  quit(): void {
    for (const window of BrowserWindow.getAllWindows()) window.close();
    let isPrevented = false;
    this.emit('will-quit', {
      preventDefault: () => {
        isPrevented = true;
      },
    });
    if (!isPrevented) this.exit(0);
  }
  exit(code = 0): void {
    void browser.then((started) => started.close()).finally(() => process.exit(code));
  }
}
type AppPart = Pick<
  Electron.App,
  | 'isPackaged'
  | 'whenReady'
  | 'enableSandbox'
  | 'requestSingleInstanceLock'
  | 'addRecentDocument'
  | 'getVersion'
  | 'setPath'
  | 'quit'
  | 'relaunch'
  | 'exit'
>;
const theApp = new App();
theApp satisfies AppPart;
export const app = complete('app', theApp);

// ── ipcMain ─────────────────────────────────────────────────────────────────────────────────────

type Invoked = (event: object, ...args: unknown[]) => unknown;

class IpcMain extends EventEmitter implements IpcReceiver {
  private readonly handlers = new Map<string, Invoked>();

  handle(channel: string, handler: (event: Electron.IpcMainInvokeEvent, ...args: never[]) => unknown): void {
    if (this.handlers.has(channel)) throw new Error(`a second handler for ${channel}`);
    this.handlers.set(channel, handler as unknown as Invoked);
  }
  async invoke(event: object, channel: string, args: unknown[]): Promise<unknown> {
    const handler = this.handlers.get(channel);
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    return handler(event, ...args);
  }
  send(event: object, channel: string, args: unknown[]): void {
    this.emit(channel, event, ...args);
  }
}
const theIpcMain = new IpcMain();
export const ipcMain = complete('ipcMain', theIpcMain);

// ── windows ─────────────────────────────────────────────────────────────────────────────────────

const windows = new Set<BrowserWindow>();

export class BrowserWindow extends EventEmitter {
  readonly webContents: DoubleContents;
  private readonly options: Electron.BrowserWindowConstructorOptions;
  private isShown: boolean;
  private isLarge = false;
  private isSmall = false;

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    this.options = options;
    this.isShown = options.show ?? true;
    const permitted = cdp.then(async (connected) => {
      await applyPermissions(connected);
      return connected;
    });
    this.webContents = new DoubleContents(
      permitted,
      options.webPreferences ?? {},
      this.getNormalBounds(),
      theIpcMain,
    );
    windows.add(this);
    this.webContents.once('ready-to-show', () => this.emit('ready-to-show'));
    this.webContents.once('destroyed', () => {
      windows.delete(this);
      this.emit('closed');
      if (windows.size === 0) theApp.emit('window-all-closed');
    });
    theApp.emit('web-contents-created', {}, this.webContents);
  }

  static getAllWindows(): BrowserWindow[] {
    return [...windows];
  }
  static fromWebContents(contents: DoubleContents): BrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.webContents === contents) ?? null;
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url);
  }
  close(): void {
    let isPrevented = false;
    this.emit('close', {
      preventDefault: () => {
        isPrevented = true;
      },
    });
    if (!isPrevented) this.webContents.close();
  }
  destroy(): void {
    this.webContents.close();
  }
  isDestroyed(): boolean {
    return this.webContents.isDestroyed();
  }
  show(): void {
    this.isShown = true;
  }
  isVisible(): boolean {
    return this.isShown;
  }
  focus(): void {
    this.emit('focus');
  }
  removeMenu(): void {
    // There is no menu bar.
  }
  maximize(): void {
    this.isLarge = true;
    this.isShown = true;
  }
  isMaximized(): boolean {
    return this.isLarge;
  }
  minimize(): void {
    this.isSmall = true;
  }
  isMinimized(): boolean {
    return this.isSmall;
  }
  restore(): void {
    this.isSmall = false;
  }
  getNormalBounds(): Electron.Rectangle {
    const { x = 0, y = 0, width = 800, height = 600 } = this.options;
    return { x, y, width, height };
  }
}

export const webContents = complete('webContents', {
  /** Playwright closes pages through this. */
  fromDevToolsTargetId: (targetId: string): DoubleContents | undefined =>
    BrowserWindow.getAllWindows().find((window) => window.webContents.devToolsTargetId === targetId)
      ?.webContents,
});

// ── the rest ────────────────────────────────────────────────────────────────────────────────────

export const session = complete('session', {
  defaultSession: complete('defaultSession', defaultSession),
  /** Chromium's storage is shared, but nothing of a partition is answered by another one's handlers. */
  fromPartition: (name: string) =>
    complete(`partition ${name}`, {
      ...isolatedSession,
      webRequest: defaultSession.webRequest,
      protocol: protocolOf(name),
    }),
});

/** A system without a keychain. */
export const safeStorage = complete('safeStorage', {
  isAsyncEncryptionAvailable: async () => false,
  getSelectedStorageBackend: () => 'basic_text',
} satisfies Pick<Electron.SafeStorage, 'isAsyncEncryptionAvailable' | 'getSelectedStorageBackend'>);

export const screen = complete('screen', {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } } as Electron.Display],
} satisfies Pick<Electron.Screen, 'getAllDisplays'>);

/** Dialogs are dismissed unless a test replaces them. */
export const dialog = complete('dialog', {
  showOpenDialog: async (): Promise<Electron.OpenDialogReturnValue> => ({ canceled: true, filePaths: [] }),
  showSaveDialog: async (): Promise<Electron.SaveDialogReturnValue> => ({ canceled: true, filePath: '' }),
  showMessageBox: async (): Promise<Electron.MessageBoxReturnValue> => ({
    response: 0,
    checkboxChecked: false,
  }),
  showErrorBox(title: string, content: string): void {
    console.error(`${title}: ${content}`);
  },
} satisfies Pick<Electron.Dialog, 'showOpenDialog' | 'showSaveDialog' | 'showMessageBox' | 'showErrorBox'>);

export const shell = complete('shell', {
  openExternal: async (url: string): Promise<void> => console.error(`double: openExternal ${url}`),
} satisfies Pick<Electron.Shell, 'openExternal'>);

/** A Node process with the port that Electron gives to its own. */
class UtilityProcess extends EventEmitter {
  pid: number | undefined;
  private readonly child: ReturnType<typeof fork>;

  constructor(entry: string) {
    super();
    this.child = fork(entry, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--import', new URL('utilityPort.ts', import.meta.url).href],
    });
    this.child.on('spawn', () => {
      this.pid = this.child.pid;
      this.emit('spawn');
    });
    this.child.on('message', (message) => this.emit('message', message));
    this.child.on('exit', (code) => {
      this.pid = undefined;
      this.emit('exit', code);
    });
  }
  postMessage(message: unknown): void {
    if (this.child.connected) this.child.send(message as object);
  }
  kill(): boolean {
    return this.child.kill();
  }
}

export const utilityProcess = complete('utilityProcess', {
  fork: (entry: string): Electron.UtilityProcess =>
    new UtilityProcess(entry) as unknown as Electron.UtilityProcess,
} satisfies Pick<typeof Electron.utilityProcess, 'fork'>);

interface DoubleMenu {
  readonly template: readonly Electron.MenuItemConstructorOptions[];
  getMenuItemById(id: string): { click(): void } | null;
}
let applicationMenu: DoubleMenu | null = null;

function itemsOf(
  template: readonly Electron.MenuItemConstructorOptions[],
): Electron.MenuItemConstructorOptions[] {
  return template.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? itemsOf(item.submenu) : [])]);
}

export const Menu = complete('Menu', {
  buildFromTemplate: (template: Electron.MenuItemConstructorOptions[]): DoubleMenu => ({
    template,
    getMenuItemById(id) {
      const click = itemsOf(template).find((item) => item.id === id)?.click as (() => void) | undefined;
      return click === undefined ? null : { click: () => click() };
    },
  }),
  setApplicationMenu(menu: DoubleMenu | null): void {
    applicationMenu = menu;
  },
  getApplicationMenu: (): DoubleMenu | null => applicationMenu,
});
