/**
 * How each page was left, and the way that led to it. Everything is kept apart by library.
 *
 * The last query of each path (sort, filter, tab, what-if) is kept, so that going back up restores it. A link that
 * brings a query of its own is not changed.
 *
 * The trail lists the visited paths, each once: a path that is visited again moves to the end, so that going back by
 * Escape always ends. It is kept in the session storage of the window.
 */

/** Queries and list positions that are kept; the oldest are dropped. */
const MAX_KEPT = 200;
const MAX_TRAIL = 30;
const STORED = 'turnwise.trail';
const queries = new Map<string, string>();

interface Visited {
  readonly path: string;
  /** `?sort=-reward`, or nothing. */
  readonly search: string;
}

let trail: readonly Visited[] = stored();
let isTraversal = false;

// Back and Forward lead to a page that was visited before: later pages are not on the way to it.
globalThis.addEventListener?.('popstate', () => {
  isTraversal = true;
});

/** `?sort=-reward`, or nothing. */
export function queryLeftAt(path: string): string {
  return queries.get(keyIn(path)) ?? '';
}

export function rememberQuery(pathHere: string, search: string): void {
  const path = keyIn(pathHere);
  keepLatest(queries, path, search);
  const former = trail.findIndex((visited) => visited.path === path);
  const before = former >= 0 && isTraversal ? trail.slice(0, former) : trail;
  isTraversal = false;
  trail = [...before.filter((visited) => visited.path !== path), { path, search }].slice(-MAX_TRAIL);
  store();
}

/** Path and query of the page before `path` on the way to it; undefined if it was the first. */
export function cameFrom(path: string): string | undefined {
  const here = trail.flatMap(({ path: key, search }) => {
    const within = pathOfKey(key);
    return within === undefined ? [] : [{ path: within, search }];
  });
  const at = here.findIndex((visited) => visited.path === path);
  const from = at > 0 ? here[at - 1] : undefined;
  return from === undefined ? undefined : from.path + from.search;
}

/** One goes back: `path` is no longer on the way to anywhere. */
export function leaveTrail(path: string): void {
  trail = trail.filter((visited) => visited.path !== keyIn(path));
  store();
}

function stored(): readonly Visited[] {
  try {
    const found: unknown = JSON.parse(globalThis.sessionStorage?.getItem(STORED) ?? '[]');
    return Array.isArray(found) ? found.filter(isVisited) : [];
  } catch {
    // Storage that is denied or holds something else: the way begins here.
    return [];
  }
}

function isVisited(value: unknown): value is Visited {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    typeof value.path === 'string' &&
    value.path.startsWith('/') &&
    'search' in value &&
    typeof value.search === 'string'
  );
}

function store(): void {
  try {
    globalThis.sessionStorage?.setItem(STORED, JSON.stringify(trail));
  } catch {
    // Denied or full: a reload forgets the way, and nothing else.
  }
}

interface ListPosition {
  /** CSS pixels of the scroll container, scaled when the list is taller than the browser allows. */
  readonly scrollTop: number;
  readonly cursor: number;
}

const START: ListPosition = { scrollTop: 0, cursor: 0 };
const positions = new Map<string, ListPosition>();

export function listPosition(list: string): ListPosition {
  return positions.get(keyIn(list)) ?? START;
}

export function rememberListPosition(name: string, position: ListPosition): void {
  keepLatest(positions, keyIn(name), position);
}

/** A map in the order of writing, with at most MAX_KEPT entries. */
function keepLatest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size <= MAX_KEPT ? undefined : map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}

/**
 * The library that is looked at, for what is remembered by path: the same path is another page in another library.
 * Paths of the first library are their own keys.
 */
let prefix = '';

/** @param library undefined: the one Turnwise was started with */
export function enterLibrary(library: string | undefined): void {
  prefix = library === undefined ? '' : `/in/${encodeURIComponent(library)}`;
}

function keyIn(path: string): string {
  return prefix + path;
}

/** The path that `key` stands for; undefined where it is of another library. */
function pathOfKey(key: string): string | undefined {
  if (prefix === '') return key.startsWith('/in/') ? undefined : key;
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length) : undefined;
}
