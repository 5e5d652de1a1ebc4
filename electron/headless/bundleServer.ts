/**
 * Serves the renderer's bundle: only files, only GET and HEAD. It is the only part of the loopback host
 * that answers without the token.
 */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { bundleFile, PAGE_HEADERS } from '../../shared/api/bundle.ts';
import { printProblem } from '../host/printProblem.ts';
import { mayRead, REFUSAL } from './access.ts';

const compress = promisify(gzip);
/** Below this the gzip header costs more than compression saves. */
const WORTH_COMPRESSING_BYTES = 1024;
/** A fixed text. It must not repeat any part of the requested address. */
const REFUSED_ADDRESS = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Turnwise</title></head>
<body><h1>This is no address of Turnwise</h1>
<p>It leads out of the application by “..”, so it is refused. Nothing was read.</p>
<p><a href="/">To the library</a></p></body></html>
`;
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|wasm)|image\/svg)/;

/**
 * Also blocks peer connections (WebRTC), which `connect-src` does not cover. Chromium enforces it and ends a page that
 * tries. Firefox and Safari ignore it. The desktop uses `stayOffline` in electron/main/security.ts instead.
 */
const HEADERS = { ...PAGE_HEADERS, 'Connection-Allowlist': '(response-origin)' };

interface Body {
  readonly plain: Buffer;
  readonly zipped?: Buffer;
}

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR' || code === 'ENAMETOOLONG';
}

export function serveBundle(directory: string): RequestListener {
  const root = resolve(directory);
  /** Hashed assets do not change while the server runs. They are compressed for clients over `ssh -L`. */
  const immutable = new Map<string, Promise<Body>>();

  async function read(path: string, contentType: string): Promise<Body> {
    const plain = await readFile(path);
    if (plain.byteLength < WORTH_COMPRESSING_BYTES || !COMPRESSIBLE.test(contentType)) return { plain };
    // The build writes compressed files beside the originals.
    const zipped = await readFile(`${path}.gz`).catch(() => compress(plain));
    return { plain, zipped };
  }

  function readImmutable(path: string, contentType: string): Promise<Body> {
    let body = immutable.get(path);
    if (body === undefined) {
      body = read(path, contentType);
      immutable.set(path, body);
      body.catch(() => immutable.delete(path));
    }
    return body;
  }

  function answer(
    response: ServerResponse,
    status: number,
    text: string,
    contentType = 'text/plain; charset=utf-8',
  ): void {
    response.writeHead(status, {
      ...HEADERS,
      'Content-Type': contentType,
      'Cache-Control': 'no-store',
      // The rest of the request is not read.
      Connection: 'close',
    });
    response.end(text);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isGet = request.method === 'GET' || request.method === 'HEAD';
    const target = request.url ?? '';
    // Absolute-form targets (`GET http://elsewhere/`) are for proxies.
    if (!isGet || hasBody(request) || !target.startsWith('/') || !mayRead(request.headers)) {
      return answer(response, 403, REFUSAL);
    }
    // `new URL` would resolve dot segments before they can be refused.
    const file = bundleFile(target.replace(/[?#].*$/s, ''));
    // A browser gets a page with an explanation and a link back.
    if (file === undefined && /\btext\/html\b/.test(String(request.headers.accept ?? '')))
      return answer(response, 403, REFUSED_ADDRESS, 'text/html; charset=utf-8');
    if (file === undefined) return answer(response, 403, REFUSAL);
    const path = resolve(root, ...file.segments);
    if (!path.startsWith(root + sep)) return answer(response, 403, REFUSAL);

    const isImmutable = file.cacheControl.includes('immutable');
    let body: Body;
    try {
      body = await (isImmutable ? readImmutable(path, file.contentType) : read(path, file.contentType));
    } catch (error) {
      if (!isMissing(error)) throw error;
      return answer(response, 404, 'There is no such file.\n');
    }
    const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const sent = acceptsGzip && body.zipped !== undefined ? body.zipped : body.plain;
    response.writeHead(200, {
      ...HEADERS,
      'Content-Type': file.contentType,
      'Content-Length': sent.byteLength,
      'Cache-Control': file.cacheControl,
      Vary: 'Accept-Encoding',
      ...(sent === body.zipped ? { 'Content-Encoding': 'gzip' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : sent);
  }

  return (request, response) => {
    serve(request, response).catch((error: unknown) => {
      printProblem(`${request.method} ${request.url}: ${String(error)}`);
      if (response.headersSent) response.destroy();
      else answer(response, 500, 'The file could not be read.\n');
    });
  };
}
