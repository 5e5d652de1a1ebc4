import { Monitor, Moon, Search, Sun } from 'lucide-react';
import { Fragment, useMemo } from 'react';
import { HOME_LIBRARY, type RunSummary } from '../../shared/api/contract.ts';
import { isHashedId, problemName } from '../../shared/domain/question.ts';
import { RUN_KIND_NAMES } from '../../shared/domain/words.ts';
import { useLibrary } from '../data/DataProvider.tsx';
import { useLibraries } from '../data/otherLibraries.ts';
import { pageName, pathOfRoute, type Route, routesDownTo } from '../data/route.ts';
import { distinctNames } from '../data/runNames.ts';
import { useOpenedPage } from '../data/usePage.ts';
import { useRequest } from '../data/useRequest.ts';
import { useRoute } from '../data/useRoute.ts';
import { useLimitOf, useRunOf } from '../data/useRunOf.ts';
import { THEMES, type Theme, useInterface } from '../state/interface.ts';
import { queryLeftAt } from '../state/routeMemory.ts';
import { Chip, IconButton } from '../ui/Controls.tsx';
import { Link } from '../ui/Link.tsx';
import { plainLogText } from '../ui/LogText.tsx';
import { shownPieces } from '../ui/visibleText.ts';
import { KeyOf } from './keys/Keys.tsx';
import { CompareChip, FollowChip, IndexChip, JobChip, MaskChip, VerificationChip } from './TopBarChips.tsx';
import { TourOffer } from './Tour.tsx';

interface Crumb {
  readonly label: string;
  readonly route: Route;
}

interface Names {
  /** Undefined: the library that Turnwise was started with. */
  readonly library?: string | undefined;
  readonly run: string | undefined;
  /** Only of a group whose key is a hash. */
  readonly group?: string | undefined;
}

/** UTF-16 units. */
const LONGEST_GROUP_NAME = 48;

/** The pages from the library down to `route`. */
export function crumbsOf(route: Route, names: Names, hasSteps = true, limitedTo?: string): readonly Crumb[] {
  return routesDownTo(route, hasSteps, limitedTo).map((page) => ({
    label: labelOf(page, names),
    route: page,
  }));
}

/** A title has no elements, so a bidirectional control of a name would reorder all of it. */
export function windowTitle(crumbs: readonly Crumb[]): string {
  const labels = crumbs.slice(1).map(({ label }) => label);
  const title = [...labels.reverse(), 'Turnwise'].join(' · ');
  return shownPieces(title)
    .map(({ text }) => text)
    .join('');
}

/** Short labels and numbers stay whole. */
const shrinking = ({ label, route }: Crumb) =>
  label.length <= 10 || route.view === 'step' || route.view === 'rollout'
    ? { flexShrink: 0 }
    : { minWidth: '7ch' };

function labelOf(page: Route, names: Names): string {
  switch (page.view) {
    case 'library':
      return names.library ?? 'Library';
    case 'run':
      return plainLogText(names.run ?? page.runKey);
    case 'step':
      return `step ${page.step}`;
    case 'group':
      return isHashedId(page.groupKey)
        ? (names.group ?? `group ${page.groupKey.slice(0, 6)}`)
        : plainLogText(page.groupKey);
    case 'rollout':
      return `#${page.ordinal}`;
    case 'nowhere':
      return page.path;
    default:
      return pageName(page.view) ?? page.view;
  }
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}

/** A page above the current one, in its last state. */
function leftAt(route: Route): string {
  const path = pathOfRoute(route);
  return path + queryLeftAt(path);
}

/** The name of a library that is not the one Turnwise was started with. */
function useOtherLibrary(): string | undefined {
  const library = useLibrary();
  const row = useLibraries()?.find(({ id }) => id === library);
  return library === HOME_LIBRARY ? undefined : (row?.name ?? library);
}

/** The name of a run, with a suffix if other runs of this library have the same name. */
function useNameApart(run: RunSummary | undefined): string | undefined {
  const runs = useRequest('run.list', {}).data;
  return useMemo(() => {
    const at = runs?.findIndex(({ runKey }) => runKey === run?.runKey) ?? -1;
    return runs === undefined || at < 0 ? run?.name : distinctNames(runs, { isKindSaid: true })[at];
  }, [runs, run]);
}

/** The first words of the prompt, if the key of the group is a hash, which says nothing to a reader. */
function useGroupName(route: Route): string | undefined {
  const isHashed = 'groupKey' in route && route.groupKey !== undefined && isHashedId(route.groupKey);
  const groupId = useOpenedPage(isHashed ? route : undefined)?.groupId;
  const group = useRequest('group.rows', groupId === undefined ? undefined : { groupIds: [groupId] })
    .data?.[0];
  if (group === undefined || group.promptPreview === '') return undefined;
  return problemName({ problemId: group.groupKey, question: group.promptPreview }, LONGEST_GROUP_NAME);
}

const THEME_ICON = { system: Monitor, light: Sun, dark: Moon } as const;

export function TopBar() {
  const route = useRoute();
  const theme = useInterface((state) => state.theme);
  const setTheme = useInterface((state) => state.setTheme);
  const showDialog = useInterface((state) => state.showDialog);
  const limit = useLimitOf(route);
  const run = useRunOf(limit === undefined ? route : { view: 'run', runKey: limit });
  const names = { library: useOtherLibrary(), run: useNameApart(run), group: useGroupName(route) };
  const crumbs = crumbsOf(route, names, run?.hasSteps, limit);
  const ThemeIcon = THEME_ICON[theme];
  return (
    <header className="top">
      <title>{windowTitle(crumbs)}</title>
      <Link href="/" className="top-name">
        Turnwise
      </Link>
      <nav className="crumbs" aria-label="Breadcrumb">
        {crumbs.map((crumb, i) => (
          <Fragment key={crumb.route.view}>
            {i > 0 && <i>/</i>}
            {i === crumbs.length - 1 ? (
              <em aria-current="page" title={plainLogText(crumb.label)} style={shrinking(crumb)}>
                {plainLogText(crumb.label)}
              </em>
            ) : (
              <Link href={leftAt(crumb.route)} title={plainLogText(crumb.label)} style={shrinking(crumb)}>
                {plainLogText(crumb.label)}
              </Link>
            )}
          </Fragment>
        ))}
      </nav>
      {run?.isSynthetic && <Chip title="Generated, not sampled by a model">synthetic</Chip>}
      {run !== undefined && run.kind !== 'train' && <Chip>{RUN_KIND_NAMES[run.kind]}</Chip>}
      <TourOffer />
      <div className="top-right">
        <MaskChip />
        <CompareChip />
        <FollowChip />
        <JobChip />
        <VerificationChip />
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
