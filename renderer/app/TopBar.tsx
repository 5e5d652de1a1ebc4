import { Monitor, Moon, Search, Sun } from 'lucide-react';
import { Fragment, useMemo } from 'react';
import { HOME_LIBRARY, type RunSummary } from '../../shared/api/contract.ts';
import { useLibrary } from '../data/DataProvider.tsx';
import { useLibraries } from '../data/otherLibraries.ts';
import { type Place, pathOfPlace } from '../data/place.ts';
import { distinctNames } from '../data/runNames.ts';
import { usePlace } from '../data/usePlace.ts';
import { useRequest } from '../data/useRequest.ts';
import { useRunOf } from '../data/useRunOf.ts';
import { THEMES, type Theme, useInterface } from '../state/interface.ts';
import { queryLeftAt } from '../state/placeMemory.ts';
import { Chip, IconButton } from '../ui/Controls.tsx';
import { Link } from '../ui/Link.tsx';
import { KeyOf } from './Keys.tsx';
import { CompareChip, FollowChip, IndexChip, JobChip } from './TopBarChips.tsx';

interface Crumb {
  readonly label: string;
  readonly place: Place;
}

export function crumbsOf(place: Place, runName: string | undefined, hasSteps = true): readonly Crumb[] {
  if (place.view === 'issues') return [{ label: 'Ingest issues', place }];
  if (place.view === 'settings') return [{ label: 'Settings', place }];
  if (place.view === 'mapping') return [{ label: 'Map a file’s fields', place }];
  if (place.view === 'formats') return [{ label: 'Formats', place }];
  if (place.view === 'search') return [{ label: 'Search', place }];
  if (place.view === 'labels') return [{ label: 'Labels', place }];
  if (place.view === 'compare') return [{ label: 'Compare', place }];
  if (!('runKey' in place)) return [];
  const { runKey } = place;
  const crumbs: Crumb[] = [{ label: runName ?? runKey, place: { view: 'run', runKey } }];
  if (place.view === 'problems') crumbs.push({ label: 'problems', place });
  if (place.view === 'roc') crumbs.push({ label: 'RoC', place });
  if (place.view === 'tokens') crumbs.push({ label: 'tokens', place });
  if (!('step' in place)) return crumbs;
  const { step } = place;
  if (hasSteps) crumbs.push({ label: `step ${step}`, place: { view: 'step', runKey, step } });
  if (place.view === 'stepRoc') crumbs.push({ label: 'RoC', place });
  if (place.view === 'schedule') crumbs.push({ label: 'schedule', place });
  if (place.view === 'stepTokens') crumbs.push({ label: 'tokens', place });
  if (!('groupKey' in place)) return crumbs;
  crumbs.push({ label: place.groupKey, place: { view: 'group', runKey, step, groupKey: place.groupKey } });
  if (place.view === 'groupTokens') crumbs.push({ label: 'tokens', place });
  if (place.view === 'problem') crumbs.push({ label: 'problem', place });
  if (place.view === 'groupTree') crumbs.push({ label: 'fork tree', place });
  if (!('ordinal' in place)) return crumbs;
  crumbs.push({ label: `#${place.ordinal}`, place: { ...place, view: 'rollout' } });
  if (place.view === 'rolloutTokens') crumbs.push({ label: 'tokens', place });
  if (place.view === 'alike') crumbs.push({ label: 'alike', place });
  return crumbs;
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}

/** Up the path, to each list as it was left. */
function leftAt(place: Place): string {
  const path = pathOfPlace(place);
  return path + queryLeftAt(path);
}

/** Which library one is in, where it is not the one Turnwise was started with. */
function LibraryCrumb({ isLast }: { readonly isLast: boolean }) {
  const library = useLibrary();
  const row = useLibraries()?.find(({ id }) => id === library);
  if (library === HOME_LIBRARY) return null;
  return (
    <>
      <Link href="/" className="library-crumb" title={row?.path ?? library}>
        {row?.name ?? library}
      </Link>
      {!isLast && <i>/</i>}
    </>
  );
}

/** The name of a run, with what tells it from others of this library that have the same. */
function useNameApart(run: RunSummary | undefined): string | undefined {
  const runs = useRequest('run.list', {}).data;
  return useMemo(() => {
    const at = runs?.findIndex(({ runKey }) => runKey === run?.runKey) ?? -1;
    return runs === undefined || at < 0 ? run?.name : distinctNames(runs, { isKindSaid: true })[at];
  }, [runs, run]);
}

const THEME_ICON = { system: Monitor, light: Sun, dark: Moon } as const;

export function TopBar() {
  const place = usePlace();
  const theme = useInterface((state) => state.theme);
  const setTheme = useInterface((state) => state.setTheme);
  const showDialog = useInterface((state) => state.showDialog);
  const run = useRunOf(place);
  const crumbs = crumbsOf(place, useNameApart(run), run?.hasSteps);
  const ThemeIcon = THEME_ICON[theme];
  return (
    <header className="top">
      <title>{[...crumbs.map((crumb) => crumb.label).reverse(), 'Turnwise'].join(' · ')}</title>
      <Link href="/" className="top-name">
        Turnwise
      </Link>
      <nav className="crumbs" aria-label="Place">
        <LibraryCrumb isLast={crumbs.length === 0} />
        {crumbs.map((crumb, i) => (
          <Fragment key={crumb.place.view}>
            {i > 0 && <i>/</i>}
            {i === crumbs.length - 1 ? (
              <em aria-current="page" title={crumb.label}>
                {crumb.label}
              </em>
            ) : (
              <Link href={leftAt(crumb.place)} title={crumb.label}>
                {crumb.label}
              </Link>
            )}
          </Fragment>
        ))}
      </nav>
      {run?.isSynthetic && <Chip title="Generated, not sampled by a model">synthetic</Chip>}
      {run?.kind === 'eval' && <Chip>evaluation</Chip>}
      <div className="top-right">
        <CompareChip />
        <FollowChip />
        <JobChip />
        <IndexChip />
        <button type="button" className="top-search" onClick={() => showDialog({ kind: 'palette' })}>
          <Search size={13} /> Go to, or run a command <KeyOf command="palette.show" />
        </button>
        <IconButton label={`Theme: ${theme}`} onClick={() => setTheme(nextTheme(theme))}>
          <ThemeIcon size={16} strokeWidth={1.7} />
        </IconButton>
      </div>
    </header>
  );
}
