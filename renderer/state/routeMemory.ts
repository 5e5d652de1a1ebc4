/**
 * The last state of each page, and the trail of visited pages, kept separately for each library.
 *
 * The last query of each path (sort, filter, tab, what-if) is kept and restored when the user goes up. A link with its
 * own query is not changed.
 *
 * The trail lists the visited paths without duplicates: a path that is visited again moves to the end, so that going
 * back by Escape always terminates. It and the last page of a run are kept in the window's session storage.
 */

/** Limit of saved queries and list positions. The oldest are dropped. */
const MAX_KEPT = 200;
const MAX_TRAIL = 30;
const STORED = 'turnwise.trail';
const STORED_RUN = 'turnwise.run';
const OF_RUN = '/run/';
const queries = new Map<string, string>();
/** Counts visits and movements in lists, to tell which came later. */
let clock = 0;
const visitedAt = new Map<string, number>();

interface Visited {
  readonly path: string;
  /** `?sort=-reward`, or empty. */
  readonly search: string;
}

let trail: readonly Visited[] = stored();
/** The last page of a run, by `keyIn`. At most one per library. */
let lastRun: readonly string[] = storedRuns();
let isTraversal = false;

// Back and Forward return to a visited page, so later pages are removed from the trail.
globalThis.addEventListener?.('popstate', () => {
  isTraversal = true;
});

/** `?sort=-reward`, or empty. */
export function queryLeftAt(path: string): string {
  return queries.get(keyIn(path)) ?? '';
}

export function rememberQuery(pathHere: string, search: string): void {
  const path = keyIn(pathHere);
  keepLatest(queries, path, search);
  keepLatest(visitedAt, path, ++clock);
  const former = trail.findIndex((visited) => visited.path === path);
  const before = former >= 0 && isTraversal ? trail.slice(0, former) : trail;
  isTraversal = false;
  trail = [...before.filter((visited) => visited.path !== path), { path, search }].slice(-MAX_TRAIL);
  if (pathHere.startsWith(OF_RUN)) lastRun = [...lastRun.filter((key) => pathOfKey(key) === undefined), path];
  store();
}

/** Path of the last visited page of a run. Undefined: no run was visited in this window. */
export function lastRunPath(): string | undefined {
  return lastRun.flatMap((key) => pathOfKey(key) ?? []).at(-1);
}

/** Path and query of the page before `path` in the trail. Undefined if it was the first. */
export function cameFrom(path: string): string | undefined {
  const here = trail.flatMap(({ path: key, search }) => {
    const within = pathOfKey(key);
    return within === undefined ? [] : [{ path: within, search }];
  });
  const at = here.findIndex((visited) => visited.path === path);
  const from = at > 0 ? here[at - 1] : undefined;
  return from === undefined ? undefined : from.path + from.search;
}

/**
 * Path of the last visited page below `path`: the row that a list selects when it is shown again, whatever was opened
 * in between. Undefined if the user has moved in the list since.
 */
export function leftBelow(path: string, list: string): string | undefined {
  const left = trail
    .flatMap(({ path: key }) => pathOfKey(key) ?? [])
    .findLast((at) => at.startsWith(`${path}/`));
  const moved = positions.get(keyIn(list))?.at ?? 0;
  return left !== undefined && (visitedAt.get(keyIn(left)) ?? 0) >= moved ? left : undefined;
}

/** Removes `path` from the trail when the user goes back. */
export function leaveTrail(path: string): void {
  trail = trail.filter((visited) => visited.path !== keyIn(path));
  store();
}

function stored(): readonly Visited[] {
  return storedList(STORED).filter(isVisited);
}

function storedRuns(): readonly string[] {
  return storedList(STORED_RUN).filter((key) => typeof key === 'string');
}

function storedList(name: string): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(globalThis.sessionStorage?.getItem(name) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    // Storage is denied or has other content: start with an empty list.
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
    globalThis.sessionStorage?.setItem(STORED_RUN, JSON.stringify(lastRun));
  } catch {
    // Storage is denied or full: the trail and the last run are lost on reload.
  }
}

interface ListPosition {
  /** CSS pixels of the scroll container, scaled if the list is taller than the browser allows. */
  readonly scrollTop: number;
  readonly cursor: number;
}

const START: ListPosition = { scrollTop: 0, cursor: 0 };
const positions = new Map<string, ListPosition & { readonly at: number }>();

export function listPosition(list: string): ListPosition {
  return positions.get(keyIn(list)) ?? START;
}

export function rememberListPosition(name: string, position: ListPosition): void {
  keepLatest(positions, keyIn(name), { ...position, at: ++clock });
}

/** Sets an entry of a map that keeps the latest MAX_KEPT entries. */
function keepLatest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size <= MAX_KEPT ? undefined : map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}

/**
 * Prefix of keys for the current library, since the same path is another page in another library. Empty for the
 * library that Turnwise was started with.
 */
let prefix = '';

/** @param library undefined: the one Turnwise was started with */
export function enterLibrary(library: string | undefined): void {
  prefix = library === undefined ? '' : `/in/${encodeURIComponent(library)}`;
}

function keyIn(path: string): string {
  return prefix + path;
}

/** The path that `key` belongs to. Undefined if it belongs to another library. */
function pathOfKey(key: string): string | undefined {
  if (prefix === '') return key.startsWith('/in/') ? undefined : key;
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length) : undefined;
}
