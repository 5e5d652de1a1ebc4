/**
 * The URL is the selection. Paths are parsed here rather than by the router's patterns because
 * keys are free text: a problem id may hold `/`, `%` or `#`, and must survive the round trip. Paths here are within a
 * library: `libraryLink.ts` says which one.
 */
export type Route =
  | { readonly view: 'library' }
  | { readonly view: 'run'; readonly runKey: string }
  | { readonly view: 'step'; readonly runKey: string; readonly step: number }
  | { readonly view: 'group'; readonly runKey: string; readonly step: number; readonly groupKey: string }
  | {
      readonly view: 'rollout';
      readonly runKey: string;
      readonly step: number;
      readonly groupKey: string;
      readonly ordinal: number;
    }
  /** Resample-on-Correct over a whole run, and over one step. */
  | { readonly view: 'roc'; readonly runKey: string }
  | { readonly view: 'stepRoc'; readonly runKey: string; readonly step: number }
  /** When and where the rollouts of a step ran. */
  | { readonly view: 'schedule'; readonly runKey: string; readonly step: number }
  /** Statistics of tokens over a whole run, one step, one group, one rollout. */
  | { readonly view: 'tokens'; readonly runKey: string }
  | { readonly view: 'stepTokens'; readonly runKey: string; readonly step: number }
  | {
      readonly view: 'groupTokens';
      readonly runKey: string;
      readonly step: number;
      readonly groupKey: string;
    }
  | {
      readonly view: 'rolloutTokens';
      readonly runKey: string;
      readonly step: number;
      readonly groupKey: string;
      readonly ordinal: number;
    }
  /** The problems of a run by the steps at which they were tried. */
  | { readonly view: 'problems'; readonly runKey: string }
  /** How the problem of a group fared over steps and runs. */
  | {
      readonly view: 'problem';
      readonly runKey: string;
      readonly step: number;
      readonly groupKey: string;
    }
  /** Where the rollouts of a group part. */
  | {
      readonly view: 'groupTree';
      readonly runKey: string;
      readonly step: number;
      readonly groupKey: string;
    }
  /** Rollouts of the same problem that are most like this one. */
  | {
      readonly view: 'alike';
      readonly runKey: string;
      readonly step: number;
      readonly groupKey: string;
      readonly ordinal: number;
    }
  | { readonly view: 'issues' }
  /** Its file is in the query: a path is free text of any length. */
  | { readonly view: 'mapping' }
  | { readonly view: 'formats' }
  | { readonly view: 'glossary' }
  /** Its lanes are in the query: `compareLink.ts`. */
  | { readonly view: 'compare' }
  /** What is looked for is in the query: `searchLink.ts`. */
  | { readonly view: 'search' }
  /** The statement is in the query. */
  | { readonly view: 'sql' }
  /** Labels and notes; of which run, and which part of the page, is in the query: `labelsLink.ts`. */
  | { readonly view: 'labels' }
  | { readonly view: 'settings' }
  | { readonly view: 'nowhere'; readonly path: string };

const NATURAL = /^\d+$/;

const PAGES = [
  'issues',
  'settings',
  'mapping',
  'formats',
  'glossary',
  'compare',
  'search',
  'sql',
  'labels',
] as const;

function isPage(head: string): head is (typeof PAGES)[number] {
  return PAGES.some((page) => page === head);
}

/** Where a browser or the server would take a key for a way up, or for a file of the application. */
const MISREAD =
  /(?:^|[\\/])\.{1,2}(?:[\\/]|$)|\.(?:html|m?js|css|json|map|svg|png|ico|woff2?|ttf|wasm|txt)$/i;

/** Dots that would be misread are written `~d`, behind a `~` that says so. */
function partOf(key: string): string {
  if (!key.startsWith('~') && !MISREAD.test(key)) return encodeURIComponent(key);
  return `~${encodeURIComponent(key.replaceAll('~', '~t').replaceAll('.', '~d'))}`;
}

function decoded(part: string): string | undefined {
  try {
    const key = decodeURIComponent(part);
    return key.startsWith('~') ? key.slice(1).replaceAll('~d', '.').replaceAll('~t', '~') : key;
  } catch {
    // A stray % typed by hand: the route does not exist, and the view says so.
    return undefined;
  }
}

export function parseRoute(path: string): Route {
  const nowhere: Route = { view: 'nowhere', path };
  const parts = path.split('/').filter((part) => part !== '');
  const [head, rawRun, stepWord, rawStep, groupWord, rawGroup, rolloutWord, rawOrdinal, lastWord] = parts;
  if (head === undefined) return { view: 'library' };
  if (parts.length === 1 && isPage(head)) return { view: head };
  if (head !== 'run' || rawRun === undefined) return nowhere;

  const runKey = decoded(rawRun);
  if (runKey === undefined) return nowhere;
  if (parts.length === 2) return { view: 'run', runKey };
  if (parts.length === 3 && stepWord === 'roc') return { view: 'roc', runKey };
  if (parts.length === 3 && stepWord === 'problems') return { view: 'problems', runKey };
  if (parts.length === 3 && stepWord === 'tokens') return { view: 'tokens', runKey };
  if (stepWord !== 'step' || rawStep === undefined || !NATURAL.test(rawStep)) return nowhere;

  const step = Number(rawStep);
  if (parts.length === 4) return { view: 'step', runKey, step };
  if (parts.length === 5 && groupWord === 'roc') return { view: 'stepRoc', runKey, step };
  if (parts.length === 5 && groupWord === 'schedule') return { view: 'schedule', runKey, step };
  if (parts.length === 5 && groupWord === 'tokens') return { view: 'stepTokens', runKey, step };
  const groupKey = rawGroup === undefined ? undefined : decoded(rawGroup);
  if (groupWord !== 'group' || groupKey === undefined) return nowhere;

  if (parts.length === 6) return { view: 'group', runKey, step, groupKey };
  if (parts.length === 7 && rolloutWord === 'tokens') return { view: 'groupTokens', runKey, step, groupKey };
  if (parts.length === 7 && rolloutWord === 'problem') return { view: 'problem', runKey, step, groupKey };
  if (parts.length === 7 && rolloutWord === 'tree') return { view: 'groupTree', runKey, step, groupKey };
  if (rolloutWord !== 'rollout' || rawOrdinal === undefined || !NATURAL.test(rawOrdinal)) return nowhere;
  const rollout = { runKey, step, groupKey, ordinal: Number(rawOrdinal) };
  if (parts.length === 8) return { view: 'rollout', ...rollout };
  if (parts.length !== 9) return nowhere;
  if (lastWord === 'alike') return { view: 'alike', ...rollout };
  return lastWord === 'tokens' ? { view: 'rolloutTokens', ...rollout } : nowhere;
}

/** Statistics of the tokens of what the fields name, down to a rollout. */
export function tokensRouteOf(where: {
  readonly runKey: string;
  readonly step?: number;
  readonly groupKey?: string;
  readonly ordinal?: number;
}): Route {
  const { runKey, step, groupKey, ordinal } = where;
  if (step === undefined) return { view: 'tokens', runKey };
  if (groupKey === undefined) return { view: 'stepTokens', runKey, step };
  return ordinal === undefined
    ? { view: 'groupTokens', runKey, step, groupKey }
    : { view: 'rolloutTokens', runKey, step, groupKey, ordinal };
}

export function pathOfRoute(route: Route): string {
  switch (route.view) {
    case 'library':
      return '/';
    case 'issues':
    case 'settings':
    case 'mapping':
    case 'formats':
    case 'glossary':
    case 'compare':
    case 'search':
    case 'sql':
    case 'labels':
      return `/${route.view}`;
    case 'run':
      return `/run/${partOf(route.runKey)}`;
    case 'step':
      return `${pathOfRoute({ view: 'run', runKey: route.runKey })}/step/${route.step}`;
    case 'roc':
      return `${pathOfRoute({ view: 'run', runKey: route.runKey })}/roc`;
    case 'stepRoc':
      return `${pathOfRoute({ ...route, view: 'step' })}/roc`;
    case 'schedule':
      return `${pathOfRoute({ ...route, view: 'step' })}/schedule`;
    case 'tokens':
      return `${pathOfRoute({ view: 'run', runKey: route.runKey })}/tokens`;
    case 'stepTokens':
      return `${pathOfRoute({ ...route, view: 'step' })}/tokens`;
    case 'groupTokens':
      return `${pathOfRoute({ ...route, view: 'group' })}/tokens`;
    case 'rolloutTokens':
      return `${pathOfRoute({ ...route, view: 'rollout' })}/tokens`;
    case 'problems':
      return `${pathOfRoute({ view: 'run', runKey: route.runKey })}/problems`;
    case 'problem':
      return `${pathOfRoute({ ...route, view: 'group' })}/problem`;
    case 'groupTree':
      return `${pathOfRoute({ ...route, view: 'group' })}/tree`;
    case 'alike':
      return `${pathOfRoute({ ...route, view: 'rollout' })}/alike`;
    case 'group':
      return `${pathOfRoute({ ...route, view: 'step' })}/group/${partOf(route.groupKey)}`;
    case 'rollout':
      return `${pathOfRoute({ ...route, view: 'group' })}/rollout/${route.ordinal}`;
    case 'nowhere':
      return route.path;
  }
}

export type RolloutRoute = Extract<Route, { view: 'rollout' }>;

/** Where the fields of one file are mapped. */
export const mappingPath = (file: string): string => `/mapping?path=${encodeURIComponent(file)}`;

/**
 * One level up, for Escape; undefined at the top. A run without steps has no level between its groups
 * and itself.
 */
export function parentRoute(route: Route, hasSteps = true): Route | undefined {
  switch (route.view) {
    case 'rollout':
      return { view: 'group', runKey: route.runKey, step: route.step, groupKey: route.groupKey };
    case 'group':
      return hasSteps
        ? { view: 'step', runKey: route.runKey, step: route.step }
        : { view: 'run', runKey: route.runKey };
    case 'step':
    case 'roc':
    case 'tokens':
    case 'problems':
      return { view: 'run', runKey: route.runKey };
    case 'problem':
      return { view: 'problems', runKey: route.runKey };
    case 'stepRoc':
    case 'stepTokens':
    case 'schedule':
      return hasSteps
        ? { view: 'step', runKey: route.runKey, step: route.step }
        : { view: 'run', runKey: route.runKey };
    case 'groupTokens':
    case 'groupTree': {
      const { runKey, step, groupKey } = route;
      return { view: 'group', runKey, step, groupKey };
    }
    case 'rolloutTokens':
    case 'alike': {
      const { runKey, step, groupKey, ordinal } = route;
      return { view: 'rollout', runKey, step, groupKey, ordinal };
    }
    case 'library':
      return undefined;
    default:
      return { view: 'library' };
  }
}
