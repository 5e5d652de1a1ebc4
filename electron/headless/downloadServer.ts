/**
 * Sends exports to pages: POST only, with the token. The request contains the id that the export returned, never a
 * path.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PAGE_HEADERS } from '../../shared/api/bundle.ts';
import { DOWNLOAD_PATH } from '../../shared/api/download.ts';
import type { Download } from '../host/downloads.ts';
import type { LibraryManager } from '../host/host.ts';
import { printProblem } from '../host/printProblem.ts';
import { mayPost, REFUSAL } from './access.ts';
import type { RequestListener } from './bundleServer.ts';

/** If a page reads nothing for this long, the connection is closed. */
const IDLE_MS = 60_000;

export function isDownload({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && url.replace(/\?.*$/s, '') === DOWNLOAD_PATH;
}

export function serveDownloads(
  host: Pick<LibraryManager, 'download'>,
  token: string,
  onToken: (connection: Duplex) => void,
): RequestListener {
  function answer(response: ServerResponse, status: number, contentType: string, text: string): void {
    response.writeHead(status, {
      ...PAGE_HEADERS,
      'Content-Type': contentType,
      'Cache-Control': 'no-store',
      // The rest of the request is not read.
      Connection: 'close',
    });
    response.end(text);
  }

  async function send(response: ServerResponse, download: Download): Promise<void> {
    try {
      response.writeHead(200, {
        ...PAGE_HEADERS,
        'Content-Type': download.contentType,
        'Content-Length': download.bytes,
        'Content-Disposition': contentDisposition(download.name),
        'Cache-Control': 'no-store',
      });
      await pipeline(download.content, response);
    } finally {
      download.remove();
    }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const taken = await host.download(query.get('id') ?? '', query.get('library') ?? undefined);
    if (!taken.ok) return answer(response, 404, 'application/json; charset=utf-8', JSON.stringify(taken));
    request.setTimeout(IDLE_MS, () => request.destroy());
    await send(response, taken.value);
  }

  return (request, response) => {
    if (!mayPost(request.headers, token)) return answer(response, 403, 'text/plain; charset=utf-8', REFUSAL);
    onToken(request.socket);
    respond(request, response).catch((error: unknown) => {
      // The page detects that the file is shorter than announced.
      response.destroy();
      if (!isAborted(error)) printProblem(`a download failed: ${String(error)}`);
    });
  };
}

/** The name has no quotes or control characters. Browsers that do not read UTF-8 get dashes. */
function contentDisposition(name: string): string {
  const plain = name.replaceAll(/[^\w .()+=,@~-]/g, '-');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Whether the page has closed the connection. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
