/**
 * The rules of Electron's security checklist as they apply here. Rollouts are hostile
 * input: assume that the page can be scripted, and that it must still reach neither
 * files nor processes nor the network.
 *
 * Everything takes the Electron objects it acts on, so that tests can hand in others.
 */
import type { App, Session, WebContents, WebFrameMain, WebPreferences } from 'electron';

/** Scheme and host of the one page there is. */
export const SCHEME = 'app';
export const APP_HOST = 'bundle';
export const APP_URL = `${SCHEME}://${APP_HOST}/`;

/** Privileges of a web origin, and no more: no `bypassCSP`, no `corsEnabled`. */
export const SCHEME_PRIVILEGES = {
  scheme: SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true },
} as const;

/** Written out although most are defaults: a default is a decision somebody else may change. */
export function webPreferences(preload: string): WebPreferences {
  return {
    preload,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    contextIsolation: true,
    sandbox: true,
    webviewTag: false,
    // The spell checker downloads dictionaries; nothing here talks to the network.
    spellcheck: false,
  };
}

/** Parsed, never `startsWith`: `app://bundle.attacker.example` starts like ours. */
export function isOurUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  // Node calls the origin of a scheme it does not know "null", so its two halves are compared.
  const { protocol, host, username, password } = new URL(url);
  return protocol === `${SCHEME}:` && host === APP_HOST && username === '' && password === '';
}

/** Electron gives null for a frame that has navigated or is gone by the time the message is handled. */
export function isOurFrame(frame: Pick<WebFrameMain, 'url' | 'parent'> | null): boolean {
  return frame !== null && frame.parent === null && isOurUrl(frame.url);
}

/** The defaults approve. */
export function denyPermissions(
  session: Pick<
    Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
  >,
): void {
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}

/** What the page may do to its window: move within the bundle, and nothing else. */
export function guardContents(contents: Pick<WebContents, 'on' | 'setWindowOpenHandler'>): void {
  const stayHome = (details: { readonly url: string; preventDefault(): void }): void => {
    if (!isOurUrl(details.url)) details.preventDefault();
  };
  contents.on('will-navigate', stayHome);
  contents.on('will-redirect', stayHome);
  contents.on('will-frame-navigate', stayHome);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** Before `ready`, once. Contents that no code of ours created (dev tools, for one) are guarded as well. */
export function secureApp(app: Pick<App, 'enableSandbox' | 'on'>): void {
  app.enableSandbox();
  app.on('web-contents-created', (_event, contents) => guardContents(contents));
}

/** The URL to open outside, as it will be opened, or undefined: https only, no credentials in it. */
export function externalUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  const isPlain = parsed.username === '' && parsed.password === '';
  return parsed.protocol === 'https:' && isPlain ? parsed.href : undefined;
}
