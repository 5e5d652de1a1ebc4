import { useMemo } from 'react';
import { navigate, usePathname, useSearch } from 'wouter/use-browser-location';
import { resolvedHref, splitLibrary } from './libraryLink.ts';
import { parseRoute, pathOfRoute, type Route } from './route.ts';

export function useRoute(): Route {
  const path = usePathname();
  return useMemo(() => parseRoute(splitLibrary(path).path), [path]);
}

export function goTo(route: Route, search = ''): void {
  navigateTo(pathOfRoute(route) + search);
}

/** Navigates to a path of Turnwise, within the current library unless the path names another. */
export function navigateTo(href: string): void {
  navigate(resolvedHref(splitLibrary(window.location.pathname).library, href));
}

/** The current path within the library, as the trail of visited pages has it. */
export function presentPath(): string {
  return pathOfRoute(parseRoute(splitLibrary(window.location.pathname).path));
}

/** The current path and query, within the library. */
export function presentHref(): string {
  return splitLibrary(window.location.pathname).path + window.location.search;
}

type SetQuery = (changes: Readonly<Record<string, string | undefined>>) => void;

/** The query of the URL: sort, filter, tab, turn. A change replaces the history entry, so Back leaves the view. */
export function useUrlQuery(): readonly [URLSearchParams, SetQuery] {
  const search = useSearch();
  const query = useMemo(() => new URLSearchParams(search), [search]);
  return [query, setUrlQuery];
}

/** Replaces the whole query without a new history entry. */
export function replaceSearch(search: string): void {
  const url = window.location.pathname + search;
  if (url !== window.location.pathname + window.location.search) navigate(url, { replace: true });
}

function setUrlQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const next = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const search = next.toString();
  const url = window.location.pathname + (search === '' ? '' : `?${search}`);
  if (url !== window.location.pathname + window.location.search) navigate(url, { replace: true });
}
