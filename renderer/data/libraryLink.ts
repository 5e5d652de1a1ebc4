/**
 * The library in a URL. Pages of the library that Turnwise was started with are at the root, those of other libraries
 * below `/in/ID`. The rest of the path is the same. A link without a library refers to the current one.
 */
import { HOME_LIBRARY } from '../../shared/api/contract.ts';
import { parseRoute } from './route.ts';

export interface LibraryPath {
  readonly library: string;
  /** Path within the library: `/run/…`. */
  readonly path: string;
}

const BELOW = /^\/in\/([^/]+)(\/.*)?$/;

export function splitLibrary(pathname: string): LibraryPath {
  const [, rawId, path = '/'] = BELOW.exec(pathname) ?? [];
  const library = rawId === undefined ? undefined : decoded(rawId);
  return library === undefined ? { library: HOME_LIBRARY, path: pathname } : { library, path };
}

/**
 * @param path within the library, with its query
 * @returns the path for the address bar
 */
export function pathInLibrary(library: string, path: string): string {
  if (library === HOME_LIBRARY) return path;
  const prefix = `/in/${encodeURIComponent(library)}`;
  return path === '/' ? prefix : prefix + (path.startsWith('/?') ? path.slice(1) : path);
}

/** Resolves `href` within `library`, unless it names another one. */
export function resolvedHref(library: string, href: string): string {
  if (!href.startsWith('/')) return href;
  const [, pathname = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
  if (!BELOW.test(pathname)) return pathInLibrary(library, href);
  const named = splitLibrary(pathname);
  return pathInLibrary(named.library, named.path + rest);
}

/** A link to a route of any library, which may not be the current one. */
export function hrefInLibrary(library: string, path: string): string {
  return library === HOME_LIBRARY ? `/in/${HOME_LIBRARY}${path}` : pathInLibrary(library, path);
}

/** A link to share. On the desktop only the path, because its URLs cannot be opened elsewhere. */
export function copiedLink({ origin, pathname, search }: Location | URL, isDesktop: boolean): string {
  return (isDesktop ? '' : origin) + pathname + search;
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?=\/)/;

/**
 * Parses a copied link, which may come from another installation. A library that is not among `libraries` is taken to
 * be the current one, since its id is the name of a file on another machine.
 *
 * @returns a path for `navigateTo`; undefined if the text is not a link
 */
export function pastedLink(text: string, libraries: readonly string[]): string | undefined {
  const given = text.trim().replace(LOOPBACK, '');
  if (!given.startsWith('/') || given.startsWith('//') || given === '/') return undefined;
  const [, pathname = '', search = ''] = /^([^?#]*)(\?[^#]*)?/.exec(given) ?? [];
  const { library, path } = splitLibrary(pathname);
  if (parseRoute(path).view === 'nowhere') return undefined;
  return libraries.includes(library) && library !== HOME_LIBRARY
    ? pathInLibrary(library, path + search)
    : path + search;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // Malformed, since the user edited the URL: ignore it.
    return undefined;
  }
}
