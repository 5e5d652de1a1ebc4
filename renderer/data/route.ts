/**
 * Every page of Turnwise and its path. The URL is the selection: a view reads from it what to show.
 *
 * Paths are parsed here rather than by the router's patterns because keys are free text: a problem id may contain `/`,
 * `%` or `#`, and must survive the round trip. Paths are within a library, which `libraryLink.ts` handles.
 */

/** Variable parts of paths. */
interface Fields {
  readonly runKey: string;
  readonly step: number;
  readonly groupKey: string;
  readonly ordinal: number;
}
type FieldName = keyof Fields;

/** Known fields: those of any route, or some of them. */
interface Known extends Partial<Fields> {
  readonly view?: string;
}

interface Page {
  /** Parts that begin with `:` are fields. */
  readonly path: string;
  /** Name in the breadcrumb. Absent: the value of its own field. */
  readonly name?: string;
  /** The page that Escape leads to, if it is not the page with the longest prefix of this path. */
  readonly up?: string;
}

const RUN = '/run/:runKey';
const STEP = `${RUN}/step/:step`;
const GROUP = `${STEP}/group/:groupKey`;
const ROLLOUT = `${GROUP}/rollout/:ordinal`;

const PAGES = {
  library: { path: '/', name: 'Library' },
  issues: { path: '/issues', name: 'Issues' },
  settings: { path: '/settings', name: 'Settings' },
  /** Saved mappings, or the mapping of the file in the query. */
  mapping: { path: '/mapping', name: 'Mappings' },
  formats: { path: '/formats', name: 'Formats' },
  glossary: { path: '/glossary', name: 'Glossary' },
  /** The query names the lanes: `compareLink.ts`. */
  compare: { path: '/compare', name: 'Compare' },
  /** The query holds the search: `searchLink.ts`. */
  search: { path: '/search', name: 'Search' },
  /** The query holds the statement. */
  sql: { path: '/sql', name: 'SQL' },
  /** The query names the run. */
  warehouse: { path: '/warehouse', name: 'Warehouse' },
  /** The query names the run and the tab: `labelsLink.ts`. */
  labels: { path: '/labels', name: 'Labels' },
  run: { path: RUN },
  /** Problems of a run by step. */
  problems: { path: `${RUN}/problems`, name: 'problems' },
  /** Resample-on-Correct in a run. */
  roc: { path: `${RUN}/roc`, name: 'RoC' },
  /** Token statistics of a run. */
  tokens: { path: `${RUN}/tokens`, name: 'tokens' },
  step: { path: STEP },
  stepRoc: { path: `${STEP}/roc`, name: 'RoC' },
  /** When and where the rollouts of a step ran. */
  schedule: { path: `${STEP}/schedule`, name: 'schedule' },
  stepTokens: { path: `${STEP}/tokens`, name: 'tokens' },
  group: { path: GROUP },
  /** The problem of a group over steps and runs. */
  problem: { path: `${GROUP}/problem`, name: 'problem', up: 'problems' },
  /** The fork tree of a group's rollouts. */
  groupTree: { path: `${GROUP}/tree`, name: 'fork tree' },
  groupTokens: { path: `${GROUP}/tokens`, name: 'tokens' },
  rollout: { path: ROLLOUT },
  /** Similar rollouts of the same problem. */
  alike: { path: `${ROLLOUT}/alike`, name: 'similar' },
  rolloutTokens: { path: `${ROLLOUT}/tokens`, name: 'tokens' },
} as const satisfies Readonly<Record<string, Page>>;

export type View = keyof typeof PAGES;

type FieldsOf<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? FieldsOf<First> & FieldsOf<Rest>
  : Path extends `:${infer Field extends FieldName}`
    ? Pick<Fields, Field>
    : unknown;

type RouteTo<V extends View> = {
  [One in V]: { readonly view: One } & FieldsOf<(typeof PAGES)[One]['path']>;
}[V];

export type Route = RouteTo<View> | { readonly view: 'nowhere'; readonly path: string };
export type RolloutRoute = RouteTo<'rollout'>;

const VIEWS = Object.keys(PAGES) as readonly View[];
const PATTERNS = new Map(VIEWS.map((view) => [view, partsOf(PAGES[view].path)]));

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

function pageOf(view: View): Page {
  return PAGES[view];
}

function fieldOf(part: string): FieldName | undefined {
  return part.startsWith(':') ? (part.slice(1) as FieldName) : undefined;
}

/** Paths that a browser or the server would take for a parent directory or for a file of the application. */
const MISREAD =
  /(?:^|[\\/])\.{1,2}(?:[\\/]|$)|\.(?:html|m?js|css|json|map|svg|png|ico|woff2?|ttf|wasm|txt)$/i;

/** Escapes a key that would be misread: prefixes `~` and replaces each dot by `~d`. */
function encoded(key: string): string {
  if (!key.startsWith('~') && !MISREAD.test(key)) return encodeURIComponent(key);
  return `~${encodeURIComponent(key.replaceAll('~', '~t').replaceAll('.', '~d'))}`;
}

function decoded(part: string): string | undefined {
  try {
    const key = decodeURIComponent(part);
    return key.startsWith('~') ? key.slice(1).replaceAll('~d', '.').replaceAll('~t', '~') : key;
  } catch {
    // The user typed an invalid `%`: there is no such page.
    return undefined;
  }
}

const NATURAL = /^\d+$/;

function readField(field: FieldName, part: string): string | number | undefined {
  if (field === 'runKey' || field === 'groupKey') return decoded(part);
  return NATURAL.test(part) ? Number(part) : undefined;
}

function matchOf(pattern: readonly string[], parts: readonly string[]): Partial<Fields> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const fields: Partial<Record<FieldName, string | number>> = {};
  for (const [at, word] of pattern.entries()) {
    const part = parts[at] ?? '';
    const field = fieldOf(word);
    if (field === undefined) {
      if (word !== part) return undefined;
      continue;
    }
    const value = readField(field, part);
    if (value === undefined) return undefined;
    fields[field] = value;
  }
  return fields as Partial<Fields>;
}

export function parseRoute(path: string): Route {
  const parts = partsOf(path);
  for (const [view, pattern] of PATTERNS) {
    const fields = matchOf(pattern, parts);
    if (fields !== undefined) return { view, ...fields } as Route;
  }
  return { view: 'nowhere', path };
}

export function pathOfRoute(route: Route): string {
  if (route.view === 'nowhere') return route.path;
  const fields: Known = route;
  const parts = (PATTERNS.get(route.view) ?? []).map((part) => {
    const field = fieldOf(part);
    return field === undefined ? part : encoded(String(fields[field]));
  });
  return `/${parts.join('/')}`;
}

/** The page of a view for the known fields. Undefined if one is missing. Ignores other fields. */
export function routeTo<V extends View>(view: V, fields: Known): RouteTo<V> | undefined {
  const own = partsOf(PAGES[view].path).flatMap((part) => fieldOf(part) ?? []);
  if (own.some((field) => fields[field] === undefined)) return undefined;
  return { view, ...Object.fromEntries(own.map((field) => [field, fields[field]])) } as RouteTo<V>;
}

/**
 * Pages from the library down to `route`, both included.
 *
 * @param hasSteps false: the run has no level between itself and its groups
 * @param limitedTo the run that a page of the library is limited to
 */
export function routesDownTo(route: Route, hasSteps = true, limitedTo?: string): readonly RouteTo<View>[] {
  if (route.view === 'nowhere') return [{ view: 'library' }];
  if (limitedTo !== undefined) return [{ view: 'library' }, { view: 'run', runKey: limitedTo }, route];
  const path = pageOf(route.view).path;
  return VIEWS.filter((view) => {
    const above = pageOf(view).path;
    const isAbove = view === 'library' || path === above || path.startsWith(`${above}/`);
    return isAbove && (view !== 'step' || hasSteps || route.view === 'step');
  }).flatMap((view) => routeTo(view, route) ?? []);
}

/** The parent page, for Escape. Undefined at the top. */
export function parentRoute(route: Route, hasSteps = true, limitedTo?: string): Route | undefined {
  if (route.view === 'library') return undefined;
  if (route.view === 'nowhere') return { view: 'library' };
  const { up } = pageOf(route.view);
  return up === undefined ? routesDownTo(route, hasSteps, limitedTo).at(-2) : routeTo(up as View, route);
}

/** Name in the breadcrumb. Undefined: the page is named by its run, step, group or rollout. */
export function pageName(view: View): string | undefined {
  return pageOf(view).name;
}

/** Token statistics of the deepest level among the fields. */
export function tokensRouteOf(where: Partial<Fields> & Pick<Fields, 'runKey'>): Route {
  return (
    routeTo('rolloutTokens', where) ??
    routeTo('groupTokens', where) ??
    routeTo('stepTokens', where) ?? { view: 'tokens', runKey: where.runKey }
  );
}

export const SCOPE_LEVELS = ['run', 'step', 'group', 'rollout'] as const;
export type ScopeLevel = (typeof SCOPE_LEVELS)[number];

/** Token statistics of the run, step, group or rollout of `where`. */
export function tokensRouteAt(where: Partial<Fields> & Pick<Fields, 'runKey'>, level: ScopeLevel): Route {
  const { runKey, step, groupKey } = where;
  if (level === 'rollout') return tokensRouteOf(where);
  if (level === 'run' || step === undefined) return tokensRouteOf({ runKey });
  return tokensRouteOf({ runKey, step, ...(level === 'step' || groupKey === undefined ? {} : { groupKey }) });
}

/** Token statistics of the page's rollout, group, step or run. */
export function tokensRoute(route: Route, hasSteps = true): Route | undefined {
  if (!('runKey' in route)) return undefined;
  return 'groupKey' in route || hasSteps ? tokensRouteOf(route) : tokensRouteOf({ runKey: route.runKey });
}

/** Resample-on-Correct for the page's step, else for its run. */
export function rocRoute(route: Route, hasSteps = true): Route | undefined {
  return (hasSteps ? routeTo('stepRoc', route) : undefined) ?? routeTo('roc', route);
}

/** The page that maps the fields of one file. */
export const mappingPath = (file: string): string => `/mapping?path=${encodeURIComponent(file)}`;
