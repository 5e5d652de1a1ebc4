/**
 * Which library a URL is about. Places of the library Turnwise was started with stand at the root; those of every other
 * one below `/in/ID`, so that the rest of a path says the same in all of them. A link that names no library leads to
 * the one where one is.
 */
import { HOME_LIBRARY } from '../../shared/api/contract.ts';
import { parseRoute } from './route.ts';

export interface LibraryPath {
  readonly library: string;
  /** Within the library: `/run/…`. */
  readonly path: string;
}

const BELOW = /^\/in\/([^/]+)(\/.*)?$/;

export function splitLibrary(pathname: string): LibraryPath {
  const [, rawId, path = '/'] = BELOW.exec(pathname) ?? [];
  const library = rawId === undefined ? undefined : decoded(rawId);
  return library === undefined ? { library: HOME_LIBRARY, path: pathname } : { library, path };
}

/** @param path within the library, with its query. @returns what stands in the address bar */
export function pathInLibrary(library: string, path: string): string {
  if (library === HOME_LIBRARY) return path;
  const prefix = `/in/${encodeURIComponent(library)}`;
  return path === '/' ? prefix : prefix + (path.startsWith('/?') ? path.slice(1) : path);
}

/** `href` as it is meant where one is: within `library`, unless it names another one itself. */
export function resolvedHref(library: string, href: string): string {
  if (!href.startsWith('/')) return href;
  const [, pathname = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
  if (!BELOW.test(pathname)) return pathInLibrary(library, href);
  const named = splitLibrary(pathname);
  return pathInLibrary(named.library, named.path + rest);
}

/** A link to a route of any library, also of another one than the present. */
export function hrefInLibrary(library: string, path: string): string {
  return library === HOME_LIBRARY ? `/in/${HOME_LIBRARY}${path}` : pathInLibrary(library, path);
}

/** A link for other people: on the desktop the path alone, because its URLs open nowhere else. */
export function copiedLink({ origin, pathname, search }: Location | URL, isDesktop: boolean): string {
  return (isDesktop ? '' : origin) + pathname + search;
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?=\/)/;

/**
 * Reads a copied link, also one that another Turnwise copied. A library that is not among `libraries` is taken
 * to be the present one: its id is the name of a file elsewhere.
 *
 * @returns a path for `navigateTo`; undefined if the text is no link
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
    // Typed by hand: it names nothing.
    return undefined;
  }
}
