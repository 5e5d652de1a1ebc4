/**
 * Receives files that a page sends: POST only, with the token. The host stores them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { PAGE_HEADERS } from '../../shared/api/bundle.ts';
import type { Result } from '../../shared/api/errors.ts';
import { MAX_UPLOAD_BYTES, UPLOAD_PATH, type UploadedFile } from '../../shared/api/upload.ts';
import type { LibraryManager } from '../host/host.ts';
import { mayPost, REFUSAL } from './access.ts';
import type { RequestListener } from './bundleServer.ts';

/** If a page sends nothing for this long, the upload is ended. */
const IDLE_MS = 60_000;

export function isUpload({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && url.replace(/\?.*$/s, '') === UPLOAD_PATH;
}

export function serveUploads(
  host: Pick<LibraryManager, 'upload'>,
  token: string,
  onToken: (connection: Duplex) => void,
): RequestListener {
  function answer(response: ServerResponse, status: number, contentType: string, text: string): void {
    response.writeHead(status, {
      ...PAGE_HEADERS,
      'Content-Type': contentType,
      'Cache-Control': 'no-store',
      ...(status === 200 ? {} : { Connection: 'close' }),
    });
    response.end(text);
  }

  function answerResult(response: ServerResponse, status: number, result: Result<UploadedFile>): void {
    answer(response, status, 'application/json; charset=utf-8', JSON.stringify(result));
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const name = query.get('name') ?? '';
    if (Number(request.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES) {
      const message = `${name} is larger than ${MAX_UPLOAD_BYTES} bytes. Open it by its path.`;
      return answerResult(response, 413, { ok: false, failure: { code: 'refused', message } });
    }
    request.setTimeout(IDLE_MS, () => request.destroy());
    const folder = query.get('folder') ?? undefined;
    // Keep the connection open after a failure, so that the page receives the reason.
    const content: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
    const result = await host.upload({ name, folder, content }, query.get('library') ?? undefined);
    // A browser reads the response only after it has sent the whole body.
    if (!result.ok) await finished(request.resume()).catch(() => undefined);
    answerResult(response, result.ok ? 200 : 409, result);
  }

  return (request, response) => {
    if (!mayPost(request.headers, token)) return answer(response, 403, 'text/plain; charset=utf-8', REFUSAL);
    onToken(request.socket);
    void receive(request, response);
  };
}
