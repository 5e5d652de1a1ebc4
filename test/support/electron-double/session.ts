/**
 * Permissions as Electron decides them, set in Chromium beforehand, because CDP cannot answer at request
 * time. Without a handler everything is granted, as in Electron; the tests' control relies on that.
 */
import { EventEmitter } from 'node:events';
import type { DownloadItem, SaveDialogOptions, Session } from 'electron';
import type { Cdp } from './cdp.ts';
import { toElectron } from './contents.ts';

/** Chromium's name for `Browser.setPermission` → Electron's for the handlers. */
const PERMISSIONS = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  microphone: 'media',
  camera: 'media',
  midi: 'midi',
  'clipboard-read': 'clipboard-read',
  'clipboard-write': 'clipboard-sanitized-write',
} as const;

type RequestHandler = Parameters<Session['setPermissionRequestHandler']>[0];
type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];

let requestHandler: RequestHandler = null;
let checkHandler: CheckHandler = null;

/**
 * Not in Electron: the result of a download. Nobody can choose a file, so none is written.
 * @public the declaration of the double's `session` names it
 */
export interface NotedDownload {
  readonly url: string;
  readonly isRefused: boolean;
  readonly options?: SaveDialogOptions;
}

type DownloadListener = (event: { preventDefault(): void }, item: DownloadItem) => void;
const downloading = new EventEmitter();

const downloads: NotedDownload[] = [];

const implemented = {
  setPermissionRequestHandler(handler: RequestHandler): void {
    requestHandler = handler;
  },
  setPermissionCheckHandler(handler: CheckHandler): void {
    checkHandler = handler;
  },
  setDevicePermissionHandler(): void {
    // No page gets a device here; the call must only exist.
  },
  async setProxy(): Promise<void> {
    // Empty, because the double answers every request itself and records those to the outside.
  },
} satisfies Pick<
  Session,
  'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler' | 'setProxy'
>;

/** The session of a partition. The application denies its pages the same rights, which tests check in the default session. */
export const isolatedSession: typeof implemented = {
  setPermissionRequestHandler: () => undefined,
  setPermissionCheckHandler: () => undefined,
  setDevicePermissionHandler: () => undefined,
  setProxy: async () => undefined,
};

export const defaultSession = Object.assign(implemented, {
  webRequest: {
    onBeforeRequest(): void {
      // As above.
    },
  },
  downloads,
  on(event: 'will-download', listener: DownloadListener): void {
    if (event !== 'will-download') throw new Error(`the double of Electron has no session event ${event}`);
    downloading.on(event, listener);
  },
});

function isGranted(permission: string): boolean {
  let isAllowed = true;
  // The handlers get only what they use: the name, our page, and a callback for the answer.
  const ask = requestHandler as unknown as
    | ((c: unknown, p: string, cb: (granted: boolean) => void, details: { requestingUrl: string }) => void)
    | null;
  const requestingUrl = 'app://bundle/';
  ask?.(
    undefined,
    permission,
    (granted) => {
      isAllowed = granted;
    },
    { requestingUrl },
  );
  const check = checkHandler as unknown as ((c: unknown, p: string, origin: string) => boolean) | null;
  return isAllowed && (check === null || check(undefined, permission, requestingUrl));
}

/**
 * Uses the browser's own session, which stays attached. Detaching drops these settings and denies everything.
 */
export async function applyPermissions(cdp: Cdp): Promise<void> {
  for (const [name, permission] of Object.entries(PERMISSIONS)) {
    const setting = isGranted(permission) ? 'granted' : 'denied';
    await cdp.send('Browser.setPermission', { permission: { name }, setting });
  }
}

interface DownloadWillBegin {
  readonly url: string;
  readonly suggestedFilename: string;
}

/** Chromium reports every download but saves none, because the application and the user decide. */
export async function followDownloads(cdp: Cdp): Promise<void> {
  cdp.on(({ method, params }) => {
    if (method !== 'Browser.downloadWillBegin') return;
    const { url: inChromium, suggestedFilename } = params as unknown as DownloadWillBegin;
    const url = inChromium.replace(
      /^(blob:)?(.*)$/s,
      (_all, blob = '', rest) => `${blob}${toElectron(rest)}`,
    );
    let isRefused = false;
    let options: SaveDialogOptions | undefined;
    const item = {
      getURL: () => url,
      getFilename: () => suggestedFilename,
      setSaveDialogOptions: (given: SaveDialogOptions) => {
        options = given;
      },
    } satisfies Pick<DownloadItem, 'getURL' | 'getFilename' | 'setSaveDialogOptions'>;
    const event = {
      preventDefault: () => {
        isRefused = true;
      },
    };
    downloading.emit('will-download', event, item);
    downloads.push({ url, isRefused, ...(options === undefined ? {} : { options }) });
  });
  await cdp.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: true });
}
