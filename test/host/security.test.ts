/**
 * The rules of electron/main/security.ts, each against the smallest stand-in that can break it. The same
 * rules in a running page: test/e2e/security.test.ts; the loopback host's: loopback.test.ts.
 */
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundleHandler } from '../../electron/main/bundleProtocol.ts';
import { serveIpc } from '../../electron/main/ipc.ts';
import {
  externalUrl,
  guardContents,
  isOurFrame,
  isOurUrl,
  restrictPermissions,
  SCHEME_PRIVILEGES,
  secureApp,
  stayOffline,
  webPreferences,
} from '../../electron/main/security.ts';
import { createShellActions } from '../../electron/main/shellActions.ts';
import { CONTENT_SECURITY_POLICY } from '../../shared/api/bundle.ts';
import { createFakeHost } from '../support/shells/fakeHost.ts';

const OURS = ['app://bundle/', 'app://bundle/run/x?sort=a#b', 'app://bundle'];
const THEIRS = [
  'app://bundle.attacker.example/',
  'app://attacker/bundle',
  'app://user@bundle/',
  'app://bundle:1/',
  'app:bundle',
  'https://bundle/',
  'http://bundle.app.localhost/',
  'file:///etc/passwd',
  'data:text/html,x',
  'javascript:1',
  'blob:app://bundle/1',
  'about:blank',
  '',
];

describe('our own pages', () => {
  test.each(OURS)('%s does', (url) => expect(isOurUrl(url)).toBe(true));
  test.each(THEIRS)('%s does not', (url) => expect(isOurUrl(url)).toBe(false));

  test('accepts only the top frame of our page', () => {
    const top = { url: 'app://bundle/', parent: null };
    type Parent = Electron.WebFrameMain;
    expect(isOurFrame(top)).toBe(true);
    expect(isOurFrame(null)).toBe(false);
    expect(isOurFrame({ url: 'app://bundle/', parent: top as Parent })).toBe(false);
    expect(isOurFrame({ url: 'https://attacker.example/', parent: null })).toBe(false);
  });
});

describe('the window', () => {
  test('sets isolation explicitly and nothing that weakens it', () => {
    const preferences = webPreferences('/preload.cjs');
    expect(preferences).toMatchObject({
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      contextIsolation: true,
      sandbox: true,
      webviewTag: false,
    });
    for (const never of [
      'webSecurity',
      'allowRunningInsecureContent',
      'experimentalFeatures',
      'enableBlinkFeatures',
    ]) {
      expect(preferences).not.toHaveProperty(never);
    }
  });

  test('its scheme is a plain secure origin', () => {
    expect(SCHEME_PRIVILEGES.privileges).toEqual({ standard: true, secure: true, supportFetchAPI: true });
  });

  test('may navigate within the bundle only, and opens no window', () => {
    const contents = new EventEmitter();
    let openHandler: ((details: { url: string }) => { action: string }) | undefined;
    const setWindowOpenHandler = (handler: typeof openHandler): void => {
      openHandler = handler;
    };
    const setWebRTCIPHandlingPolicy = vi.fn();
    guardContents(
      Object.assign(contents, {
        setWindowOpenHandler,
        setWebRTCIPHandlingPolicy,
      }) as unknown as Electron.WebContents,
    );
    expect(setWebRTCIPHandlingPolicy).toHaveBeenCalledWith('disable_non_proxied_udp');
    const isPrevented = (event: string, url: string): boolean => {
      const preventDefault = vi.fn();
      contents.emit(event, { url, preventDefault });
      return preventDefault.mock.calls.length > 0;
    };
    for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      expect(isPrevented(event, 'https://attacker.example/')).toBe(true);
      expect(isPrevented(event, 'app://bundle/run/x')).toBe(false);
    }
    expect(isPrevented('will-attach-webview', '')).toBe(true);
    expect(openHandler?.({ url: 'https://attacker.example/' })).toEqual({ action: 'deny' });
    expect(openHandler?.({ url: 'app://bundle/' })).toEqual({ action: 'deny' });
  });

  test('every contents is guarded, and the sandbox is on before ready', () => {
    const hasSwitch = vi.fn(() => false);
    const app = Object.assign(new EventEmitter(), { enableSandbox: vi.fn(), commandLine: { hasSwitch } });
    secureApp(app as unknown as Electron.App);
    expect(app.enableSandbox).toHaveBeenCalledOnce();
    const setWindowOpenHandler = vi.fn();
    const setWebRTCIPHandlingPolicy = vi.fn();
    const contents = Object.assign(new EventEmitter(), { setWindowOpenHandler, setWebRTCIPHandlingPolicy });
    app.emit('web-contents-created', {}, contents);
    expect(setWindowOpenHandler).toHaveBeenCalledOnce();
  });

  test('reaches no network', async () => {
    let guard:
      | ((details: { url: string }, callback: (answer: { cancel: boolean }) => void) => void)
      | undefined;
    const setProxy = vi.fn(async () => undefined);
    const onBeforeRequest = (listener: typeof guard): void => {
      guard = listener;
    };
    const webRequest = { onBeforeRequest };
    await stayOffline({ setProxy, webRequest } as unknown as Electron.Session);
    const isCancelled = (url: string): boolean => {
      let isCancelled = false;
      guard?.({ url }, ({ cancel }) => {
        isCancelled = cancel;
      });
      return isCancelled;
    };
    for (const url of [
      'https://attacker.example/',
      'http://127.0.0.1/',
      'ws://localhost/',
      'file:///etc/passwd',
    ])
      expect(isCancelled(url)).toBe(true);
    for (const url of ['app://bundle/', 'blob:app://bundle/1', 'data:image/png,', 'devtools://devtools/x'])
      expect(isCancelled(url)).toBe(false);
    // Peer connections over TCP go through the proxy.
    expect(setProxy).toHaveBeenCalledWith({ proxyRules: '127.0.0.1:9', proxyBypassRules: '<-loopback>' });
  });

  test('the sandbox is not forced on a user who started without it', () => {
    const commandLine = { hasSwitch: (name: string) => name === 'no-sandbox' };
    const app = Object.assign(new EventEmitter(), { enableSandbox: vi.fn(), commandLine });
    secureApp(app as unknown as Electron.App);
    expect(app.enableSandbox).not.toHaveBeenCalled();
  });

  test('gets no permission but copying, and that for our page only', () => {
    const handlers: Record<string, (...args: unknown[]) => unknown> = {};
    const take =
      (name: string) =>
      (handler: (...args: unknown[]) => unknown): void => {
        handlers[name] = handler;
      };
    restrictPermissions({
      setPermissionRequestHandler: take('request'),
      setPermissionCheckHandler: take('check'),
      setDevicePermissionHandler: take('device'),
    } as unknown as Electron.Session);
    const isGranted = (permission: string, url: string): unknown => {
      const answer = vi.fn();
      handlers.request?.(undefined, permission, answer, { requestingUrl: url });
      expect(answer.mock.calls).toEqual([[handlers.check?.(undefined, permission, url)]]);
      return answer.mock.calls[0]?.[0];
    };
    expect(isGranted('clipboard-sanitized-write', 'app://bundle/')).toBe(true);
    expect(isGranted('clipboard-sanitized-write', 'https://attacker.example/')).toBe(false);
    for (const permission of ['media', 'geolocation', 'clipboard-read', 'unknown'])
      expect(isGranted(permission, 'app://bundle/')).toBe(false);
    expect(handlers.device?.({})).toBe(false);
  });
});

describe('links', () => {
  test('https links open as written', () => {
    expect(externalUrl('https://example.com/a b')).toBe('https://example.com/a%20b');
    expect(externalUrl('https://exämple.com/')).toBe('https://xn--exmple-cua.com/');
  });
  test.each([
    'http://example.com/',
    'javascript:1',
    'file:///etc/passwd',
    'https://user:pass@example.com/',
    'smb://x/y',
    'nonsense',
    '',
  ])('%s is not opened', (url) => expect(externalUrl(url)).toBeUndefined());

  test('open after a dialog that shows the whole URL, or not at all', async () => {
    const openExternal = vi.fn(async () => undefined);
    const showMessageBox = vi.fn(async (_window: unknown, _options: unknown) => ({
      response: 0,
      checkboxChecked: false,
    }));
    const actions = createShellActions({
      dialog: { showMessageBox, showOpenDialog: vi.fn() } as unknown as Electron.Dialog,
      shell: { openExternal },
      window: () => ({}) as Electron.BrowserWindow,
      grant: async () => undefined,
      openWarehouse: async () => undefined,
    });
    expect(await actions.openLink('https://example.com/long?query=1')).toEqual({ opened: false });
    expect(showMessageBox.mock.calls[0]?.[1]).toMatchObject({
      detail: 'https://example.com/long?query=1',
      defaultId: 0,
    });
    expect(openExternal).not.toHaveBeenCalled();
    showMessageBox.mockResolvedValueOnce({ response: 1, checkboxChecked: false });
    expect(await actions.openLink('https://example.com/')).toEqual({ opened: true });
    expect(openExternal).toHaveBeenCalledWith('https://example.com/');
    expect(await actions.openLink('file:///etc/passwd')).toEqual({ opened: false });
    expect(showMessageBox).toHaveBeenCalledTimes(2);
  });

  test('paths from a dialog are granted; dismissing grants nothing', async () => {
    const granted: string[] = [];
    const showOpenDialog = vi.fn(async () => ({ canceled: false, filePaths: ['/logs/a'] }));
    const actions = createShellActions({
      dialog: { showOpenDialog } as unknown as Electron.Dialog,
      shell: { openExternal: vi.fn() },
      window: () => undefined,
      grant: async (path) => void granted.push(path),
      openWarehouse: async () => undefined,
    });
    expect(await actions.openDialog('files')).toEqual({ paths: ['/logs/a'] });
    showOpenDialog.mockResolvedValueOnce({ canceled: true, filePaths: ['/logs/b'] });
    expect(await actions.openDialog('directory')).toEqual({ paths: [] });
    expect(granted).toEqual(['/logs/a']);
  });
});

describe('app://', () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise-app-'));
  const handler = bundleHandler(join(directory, 'renderer'));
  beforeAll(() => {
    mkdirSync(join(directory, 'renderer', 'assets'), { recursive: true });
    writeFileSync(join(directory, 'renderer', 'index.html'), 'the page');
    writeFileSync(join(directory, 'renderer', 'assets', 'a.js'), 'code');
    writeFileSync(join(directory, 'secret.txt'), 'secret');
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  const get = (url: string, method = 'GET'): Promise<Response> => handler({ url, method } as Request);

  test('serves the bundle under the policy', async () => {
    const response = await get('app://bundle/run/a.b/step/1');
    expect(await response.text()).toBe('the page');
    expect(response.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY);
    expect((await get('app://bundle/assets/a.js')).headers.get('content-type')).toMatch(/^text\/javascript/);
    expect((await get('app://bundle/assets/none.js')).status).toBe(404);
  });

  test.each([
    'app://bundle/..%2fsecret.txt',
    'app://bundle/..%2f..%2fsecret.txt',
    'app://bundle/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    'app://bundle/..%5csecret.txt',
    'app://bundle/%00.js',
    'app://elsewhere/',
  ])('refuses %s', async (url) => {
    const response = await get(url);
    expect(response.status).toBe(403);
    expect(await response.text()).toBe('');
  });

  test('only reading is granted', async () => {
    expect((await get('app://bundle/', 'POST')).status).toBe(403);
  });
});

describe('IPC', () => {
  function serve(grant?: (path: string) => Promise<void>) {
    const host = { ...createFakeHost(), ...(grant === undefined ? {} : { grant }) };
    const handlers: ((event: unknown, message: unknown) => Promise<unknown>)[] = [];
    const emitter = new EventEmitter();
    const ipcMain = Object.assign(emitter, {
      handle: (_channel: string, handler: (typeof handlers)[number]) => void handlers.push(handler),
    });
    const recent: string[] = [];
    serveIpc({ ipcMain: ipcMain as unknown as Electron.IpcMain, host, onGrant: (path) => recent.push(path) });
    const sender = Object.assign(new EventEmitter(), { id: 1 });
    const senderFrame = { url: 'app://bundle/', parent: null };
    const ours = { sender, senderFrame };
    return {
      host,
      recent,
      sender,
      ours,
      invoke: (event: unknown, message: unknown) => handlers[0]?.(event, message),
      send: (event: unknown, message: unknown) => emitter.emit('turnwise:request', event, message),
    };
  }
  const echo = { kind: 'request', id: 1, method: 'echo', params: { a: new Float32Array([1]) } };

  test('answers our page', async () => {
    const { invoke, ours } = serve();
    expect(await invoke(ours, echo)).toEqual({ ok: true, value: echo.params });
  });

  test.each<[string, unknown]>([
    ['a frame that is gone', null],
    ['a subframe', { url: 'app://bundle/', parent: { url: 'app://bundle/' } }],
    ['a foreign page', { url: 'https://attacker.example/', parent: null }],
    ['a page whose name begins like ours', { url: 'app://bundle.attacker.example/', parent: null }],
  ])('refuses %s', async (_name, senderFrame) => {
    const { invoke, send, ours, host } = serve();
    const event = { ...ours, senderFrame };
    expect(await invoke(event, echo)).toMatchObject({ ok: false, failure: { code: 'refused' } });
    send(event, { kind: 'grant', path: '/etc' });
    await Promise.resolve();
    expect(host.received).toEqual([]);
    expect(host.granted).toEqual([]);
  });

  test.each([
    undefined,
    null,
    'text',
    {},
    { kind: 'grant', path: '/etc' },
    { kind: 'request', id: '1', method: 'echo' },
    { kind: 'request', id: 1, method: 7 },
  ])('answers %j with a failure', async (message) => {
    const { invoke, ours, host } = serve();
    expect(await invoke(ours, message)).toMatchObject({ ok: false, failure: { code: 'bad_request' } });
    expect(host.received).toEqual([]);
    expect(host.granted).toEqual([]);
  });

  test('a request waits for the grants sent before it', async () => {
    const order: string[] = [];
    const { invoke, send, ours, recent, host } = serve(async (path) => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`granted ${path}`);
    });
    send(ours, { kind: 'grant', path: '/logs/a' });
    send(ours, { kind: 'grant', path: '/logs/b' });
    await invoke(ours, echo);
    expect(order).toEqual(['granted /logs/a', 'granted /logs/b']);
    expect(recent).toEqual(['/logs/a', '/logs/b']);
    expect(host.received).toEqual(['echo']);
  });

  test('cancel, reload and close abort pending requests', async () => {
    const { invoke, send, ours, sender, host } = serve();
    const hang = (id: number): unknown => invoke(ours, { kind: 'request', id, method: 'hang', params: {} });
    const first = hang(1);
    await expect.poll(() => host.received).toHaveLength(1);
    send(ours, { kind: 'cancel', id: 1 });
    expect(await first).toMatchObject({ failure: { code: 'cancelled' } });
    const second = hang(1);
    await expect.poll(() => host.received).toHaveLength(2);
    sender.emit('did-navigate');
    expect(await second).toMatchObject({ failure: { code: 'cancelled' } });
    const third = hang(1);
    await expect.poll(() => host.received).toHaveLength(3);
    sender.emit('destroyed');
    expect(await third).toMatchObject({ failure: { code: 'cancelled' } });
  });

  test('a pending id is not reused', async () => {
    const { invoke, send, ours } = serve();
    const first = invoke(ours, { kind: 'request', id: 1, method: 'hang', params: {} });
    expect(await invoke(ours, echo)).toMatchObject({ failure: { code: 'bad_request' } });
    await vi.waitFor(() => send(ours, { kind: 'cancel', id: 1 }));
    await first;
  });
});

describe('packaging', () => {
  const builder = readFileSync(new URL('../../electron/main/builder.yml', import.meta.url), 'utf8');
  test.each([
    'runAsNode: false',
    'enableNodeOptionsEnvironmentVariable: false',
    'enableNodeCliInspectArguments: false',
    'enableEmbeddedAsarIntegrityValidation: true',
    'onlyLoadAppFromAsar: true',
    'grantFileProtocolExtraPrivileges: false',
  ])('has the fuse %s', (fuse) => expect(builder).toContain(fuse));
  test('does not ask for the key ring of the system', () =>
    expect(builder).not.toContain('enableCookieEncryption'));
});
