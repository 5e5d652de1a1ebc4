/**
 * The contract over Electron's IPC. Two channels:
 *
 *   turnwise:request  page → main   {kind: request | cancel | grant}; requests are answered
 *   turnwise:event    main → page   events of the host
 *
 * Only the preload sends `grant`, for a file that the user dropped. The page's bridge cannot send it.
 */
import type { IpcMain, IpcMainEvent, IpcMainInvokeEvent, WebContents } from 'electron';
import type { HostEvent } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { DESKTOP_MESSAGE } from '../../shared/api/transport.ts';
import { type Connection, openConnection } from '../host/connection.ts';
import type { LibraryManager } from '../host/host.ts';
import { printProblem } from '../host/printProblem.ts';
import { isOurFrame } from './security.ts';

const REQUEST_CHANNEL = 'turnwise:request';
const EVENT_CHANNEL = 'turnwise:event';

const REFUSED: Result<unknown> = {
  ok: false,
  failure: { code: 'refused', message: 'the request is not from the Turnwise page' },
};
const MALFORMED: Result<unknown> = {
  ok: false,
  failure: { code: 'bad_request', message: 'the message does not match the contract' },
};

interface Page {
  connection: Connection;
  /** A drop sends a grant and then an ingest request. The request waits for earlier grants. */
  grants: Promise<void>;
}

export interface IpcOptions {
  readonly ipcMain: Pick<IpcMain, 'handle' | 'on'>;
  readonly host: Pick<LibraryManager, 'dispatch' | 'grant'>;
  /** Called with a path that the user has chosen. */
  onGrant(path: string): void;
}

export function serveIpc({ ipcMain, host, onGrant }: IpcOptions): void {
  const pages = new Map<number, Page>();

  function pageOf(contents: WebContents): Page {
    const known = pages.get(contents.id);
    if (known !== undefined) return known;
    const page: Page = { connection: openConnection(host), grants: Promise.resolve() };
    pages.set(contents.id, page);
    // A reloaded page numbers its requests from 1 again and does not need old responses.
    contents.on('did-navigate', () => {
      page.connection.cancelAll();
      page.connection = openConnection(host);
    });
    contents.once('destroyed', () => {
      page.connection.cancelAll();
      pages.delete(contents.id);
    });
    return page;
  }

  async function grant(path: string): Promise<void> {
    try {
      await host.grant(path);
      onGrant(path);
    } catch (error) {
      // The file was deleted after the drop. The request that names it reports that.
      printProblem(`${path} cannot be opened: ${String(error)}`);
    }
  }

  ipcMain.handle(REQUEST_CHANNEL, async (event: IpcMainInvokeEvent, message: unknown) => {
    if (!isOurFrame(event.senderFrame)) return REFUSED;
    const { data: request } = DESKTOP_MESSAGE.safeParse(message);
    if (request?.kind !== 'request') return MALFORMED;
    const page = pageOf(event.sender);
    await page.grants;
    return page.connection.request(request);
  });

  ipcMain.on(REQUEST_CHANNEL, (event: IpcMainEvent, message: unknown) => {
    if (!isOurFrame(event.senderFrame)) return;
    const { data: sent } = DESKTOP_MESSAGE.safeParse(message);
    const page = pageOf(event.sender);
    // A cancellation waits for grants like its request, so that it cannot overtake it.
    if (sent?.kind === 'cancel') void page.grants.then(() => page.connection.cancel(sent.id));
    else if (sent?.kind === 'grant') page.grants = page.grants.then(() => grant(sent.path));
  });
}

export function sendEvent(contents: Pick<WebContents, 'send' | 'isDestroyed'>, event: HostEvent): void {
  if (!contents.isDestroyed()) contents.send(EVENT_CHANNEL, event);
}
