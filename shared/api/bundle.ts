/**
 * Rules for the two servers of the renderer's bundle: `app://` in Electron, HTTP on loopback in the headless
 * host. They map a path to a file and set its headers. Pure, so one test covers both.
 */

/**
 * Allows `'unsafe-inline'` for styles only: Monaco writes style elements (monaco-editor#271). Scripts load
 * from our own bundle only.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  wasm: 'application/wasm',
  txt: 'text/plain; charset=utf-8',
};

export interface BundleFile {
  /** Path below the bundle's root. No segment is empty, `.` or `..`. */
  readonly segments: readonly string[];
  readonly contentType: string;
  readonly cacheControl: string;
}

/** Vite puts a content hash into every file name in `assets/`, so those files never change. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

const INDEX: BundleFile = {
  segments: ['index.html'],
  contentType: 'text/html; charset=utf-8',
  cacheControl: REVALIDATE,
};

/**
 * The file for a URL's pathname, or undefined if the path leaves the bundle. Segments are checked after
 * decoding: `/..%2f..%2fetc` keeps its dots in `URL.pathname` and becomes `/../../etc` only here. A path
 * without the extension of a bundled file is a route of the application and gets the index page. Run names
 * may contain dots.
 */
export function bundleFile(pathname: string): BundleFile | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(pathname);
  } catch {
    return undefined; // malformed percent-encoding
  }
  if (!decoded.startsWith('/')) return undefined;
  const segments = decoded.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..')) return undefined;
  const name = segments.at(-1) ?? '';
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  if (!name.includes('.') || !Object.hasOwn(CONTENT_TYPES, extension)) return INDEX;
  // Windows treats a backslash as a separator, and NUL ends a path in C.
  if (/[\\\0]/.test(decoded)) return undefined;
  return {
    segments,
    contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
    cacheControl: segments[0] === 'assets' ? IMMUTABLE : REVALIDATE,
  };
}
