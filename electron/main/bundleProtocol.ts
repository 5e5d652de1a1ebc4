/** Serves `app://bundle/…` with the same files and headers as the loopback server. */
import { readFile } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile, PAGE_HEADERS } from '../../shared/api/bundle.ts';
import { APP_HOST, SCHEME } from './security.ts';

function answer(
  status: number,
  body: Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, { status, headers: { ...PAGE_HEADERS, ...headers } });
}

/** The handler for `protocol.handle`. Electron reads asar archives through the same `readFile`. */
export function bundleHandler(directory: string): (request: Request) => Promise<Response> {
  const root = resolve(directory);
  return async (request) => {
    const url = new URL(request.url);
    const isGet = request.method === 'GET' || request.method === 'HEAD';
    if (url.protocol !== `${SCHEME}:` || url.host !== APP_HOST || !isGet) return answer(403, null);
    const file = bundleFile(url.pathname);
    if (file === undefined) return answer(403, null);
    const path = resolve(root, ...file.segments);
    if (!path.startsWith(root + sep)) return answer(403, null);
    try {
      const bytes = new Uint8Array(await readFile(path));
      return answer(200, bytes, { 'Content-Type': file.contentType, 'Cache-Control': file.cacheControl });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return answer(404, null);
      throw error;
    }
  };
}

export interface BundlePaths {
  readonly renderer: string;
  readonly preload: string;
  /** Absent when running from the sources. The host then finds the demo itself. */
  readonly demo?: string;
}

/**
 * Paths relative to main: `electron/main/main.ts` in the sources, `dist/electron/main.js` when built, the
 * same inside `app.asar` when packaged.
 */
export function bundlePaths(mainUrl: string): BundlePaths {
  const isSource = mainUrl.endsWith('.ts');
  const dist = new URL(isSource ? '../../dist/' : '../', mainUrl);
  const renderer = fileURLToPath(new URL('renderer', dist));
  const preload = fileURLToPath(new URL('electron/preload.cjs', dist));
  if (isSource) return { renderer, preload };
  // Worker threads cannot read archives, so the packaged demo run is outside the archive.
  const demo = new URL('../fixtures/demo/demo.jsonl', dist).href.replace('/app.asar/', '/app.asar.unpacked/');
  return { renderer, preload, demo: fileURLToPath(demo) };
}
