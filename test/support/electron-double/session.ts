/**
 * Permissions as Electron decides them, told to Chromium beforehand: CDP has no question
 * to answer at request time. Without a handler everything is granted, as in Electron; the
 * tests' control relies on that.
 */
import type { Session } from 'electron';
import type { Cdp } from './cdp.ts';

/** Chromium's name for `Browser.setPermission` → Electron's for the handlers. */
const PERMISSIONS = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  microphone: 'media',
  camera: 'media',
  midi: 'midi',
  'clipboard-read': 'clipboard-read',
} as const;

type RequestHandler = Parameters<Session['setPermissionRequestHandler']>[0];
type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];

let requestHandler: RequestHandler = null;
let checkHandler: CheckHandler = null;

export const defaultSession = {
  setPermissionRequestHandler(handler: RequestHandler): void {
    requestHandler = handler;
  },
  setPermissionCheckHandler(handler: CheckHandler): void {
    checkHandler = handler;
  },
  setDevicePermissionHandler(): void {
    // No page can be given a device here; the call must only be possible.
  },
} satisfies Pick<
  Session,
  'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
>;

function isGranted(permission: string): boolean {
  let isAllowed = true;
  // The handlers of an application under test get what they use: the name, and the way to answer.
  const ask = requestHandler as unknown as
    | ((c: unknown, p: string, cb: (granted: boolean) => void) => void)
    | null;
  ask?.(undefined, permission, (granted) => {
    isAllowed = granted;
  });
  const check = checkHandler as unknown as ((c: unknown, p: string) => boolean) | null;
  return isAllowed && (check === null || check(undefined, permission));
}

/** On the browser's own session, which stays attached: on detach these settings are dropped and everything is denied. */
export async function applyPermissions(cdp: Cdp): Promise<void> {
  for (const [name, permission] of Object.entries(PERMISSIONS)) {
    const setting = isGranted(permission) ? 'granted' : 'denied';
    await cdp.send('Browser.setPermission', { permission: { name }, setting });
  }
}
