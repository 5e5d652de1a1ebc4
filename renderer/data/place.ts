/**
 * The URL is the selection. Paths are parsed here rather than by the router's patterns because
 * keys are free text: a problem id may hold `/`, `%` or `#`, and must survive the round trip.
 */
export type Place =
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
  | { readonly view: 'issues' }
  | { readonly view: 'settings' }
  | { readonly view: 'nowhere'; readonly path: string };

const NATURAL = /^\d+$/;

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray % typed by hand: the place does not exist, which the view says.
    return undefined;
  }
}

export function parsePlace(path: string): Place {
  const nowhere: Place = { view: 'nowhere', path };
  const parts = path.split('/').filter((part) => part !== '');
  const [head, rawRun, stepWord, rawStep, groupWord, rawGroup, rolloutWord, rawOrdinal] = parts;
  if (head === undefined) return { view: 'library' };
  if (parts.length === 1 && head === 'issues') return { view: 'issues' };
  if (parts.length === 1 && head === 'settings') return { view: 'settings' };
  if (head !== 'run' || rawRun === undefined) return nowhere;

  const runKey = decoded(rawRun);
  if (runKey === undefined) return nowhere;
  if (parts.length === 2) return { view: 'run', runKey };
  if (stepWord !== 'step' || rawStep === undefined || !NATURAL.test(rawStep)) return nowhere;

  const step = Number(rawStep);
  if (parts.length === 4) return { view: 'step', runKey, step };
  const groupKey = rawGroup === undefined ? undefined : decoded(rawGroup);
  if (groupWord !== 'group' || groupKey === undefined) return nowhere;

  if (parts.length === 6) return { view: 'group', runKey, step, groupKey };
  if (rolloutWord !== 'rollout' || rawOrdinal === undefined || !NATURAL.test(rawOrdinal)) return nowhere;
  return parts.length === 8
    ? { view: 'rollout', runKey, step, groupKey, ordinal: Number(rawOrdinal) }
    : nowhere;
}

export function pathOfPlace(place: Place): string {
  switch (place.view) {
    case 'library':
      return '/';
    case 'issues':
    case 'settings':
      return `/${place.view}`;
    case 'run':
      return `/run/${encodeURIComponent(place.runKey)}`;
    case 'step':
      return `${pathOfPlace({ view: 'run', runKey: place.runKey })}/step/${place.step}`;
    case 'group':
      return `${pathOfPlace({ ...place, view: 'step' })}/group/${encodeURIComponent(place.groupKey)}`;
    case 'rollout':
      return `${pathOfPlace({ ...place, view: 'group' })}/rollout/${place.ordinal}`;
    case 'nowhere':
      return place.path;
  }
}

/** One level up, for Escape; undefined at the top. */
export function parentPlace(place: Place): Place | undefined {
  switch (place.view) {
    case 'rollout':
      return { view: 'group', runKey: place.runKey, step: place.step, groupKey: place.groupKey };
    case 'group':
      return { view: 'step', runKey: place.runKey, step: place.step };
    case 'step':
      return { view: 'run', runKey: place.runKey };
    case 'library':
      return undefined;
    default:
      return { view: 'library' };
  }
}
