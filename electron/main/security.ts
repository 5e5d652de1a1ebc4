/**
 * The applicable rules of Electron's security checklist. Rollouts are hostile input. Assume that the page
 * can be scripted; it must still not reach files, processes or the network.
 *
 * Functions take the Electron objects as parameters, so that tests can pass others.
 */
import type { App, Session, WebContents, WebFrameMain, WebPreferences } from 'electron';

/** Scheme and host of the only page. */
export const SCHEME = 'app';
export const APP_HOST = 'bundle';
export const APP_URL = `${SCHEME}://${APP_HOST}/`;

/** Privileges of a web origin, and no more: no `bypassCSP`, no `corsEnabled`. */
export const SCHEME_PRIVILEGES = {
  scheme: SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true },
} as const;

/** Most values are defaults, written out because defaults may change. */
export function webPreferences(preload?: string): WebPreferences {
  return {
    ...(preload === undefined ? {} : { preload }),
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    contextIsolation: true,
    sandbox: true,
    webviewTag: false,
    // The spell checker would download dictionaries.
    spellcheck: false,
  };
}

/** Parsed, never `startsWith`: `app://bundle.attacker.example` starts like ours. */
export function isOurUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  // Node returns the origin "null" for an unknown scheme, so scheme and host are compared.
  const { protocol, host, username, password } = new URL(url);
  return protocol === `${SCHEME}:` && host === APP_HOST && username === '' && password === '';
}

/** Electron passes null for a frame that has navigated or was closed. */
export function isOurFrame(frame: Pick<WebFrameMain, 'url' | 'parent'> | null): boolean {
  return frame !== null && frame.parent === null && isOurUrl(frame.url);
}

/** Permission to write plain and sanitized text to the clipboard. Reading is a separate permission. */
const COPY = 'clipboard-sanitized-write';

/** Denies all permissions except copying from our page. Electron's defaults approve them. */
export function restrictPermissions(
  session: Pick<
    Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
  >,
): void {
  session.setPermissionRequestHandler((_contents, permission, callback, { requestingUrl }) =>
    callback(permission === COPY && isOurUrl(requestingUrl)),
  );
  session.setPermissionCheckHandler(
    (_contents, permission, requestingOrigin) => permission === COPY && isOurUrl(requestingOrigin),
  );
  session.setDevicePermissionHandler(() => false);
}

/** Sends all requests to port 9, where nothing listens. The page needs no network: bundle and host are local. */
const NO_PROXY = { proxyRules: '127.0.0.1:9', proxyBypassRules: '<-loopback>' } as const;
const LOCAL_SCHEMES: readonly string[] = ['devtools:', 'blob:', 'data:'];

/** Blocks network access of every page, including ways that the content security policy does not cover. */
export async function stayOffline(session: Pick<Session, 'setProxy' | 'webRequest'>): Promise<void> {
  session.webRequest.onBeforeRequest(({ url }, callback) => {
    const isLocal = isOurUrl(url) || (URL.canParse(url) && LOCAL_SCHEMES.includes(new URL(url).protocol));
    callback({ cancel: !isLocal });
  });
  await session.setProxy(NO_PROXY);
}

/** Restricts the page to navigation within the bundle. */
export function guardContents(
  contents: Pick<WebContents, 'on' | 'setWindowOpenHandler' | 'setWebRTCIPHandlingPolicy'>,
): void {
  const stayHome = (details: { readonly url: string; preventDefault(): void }): void => {
    if (!isOurUrl(details.url)) details.preventDefault();
  };
  contents.on('will-navigate', stayHome);
  contents.on('will-redirect', stayHome);
  contents.on('will-frame-navigate', stayHome);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  // Restrict peer connections to a proxy. `stayOffline` sets one that does not exist.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}

/** Call once, before `ready`. Also guards contents that our code did not create, such as dev tools. */
export function secureApp(app: Pick<App, 'commandLine' | 'enableSandbox' | 'on'>): void {
  // `enableSandbox` would remove the user's switch, after Chromium has started its first processes without a sandbox.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => guardContents(contents));
}

/** The normalized URL to open externally; undefined unless it is https without credentials. */
export function externalUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  const isPlain = parsed.username === '' && parsed.password === '';
  return parsed.protocol === 'https:' && isPlain ? parsed.href : undefined;
}
