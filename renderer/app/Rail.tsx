import {
  ChartColumn,
  ChartLine,
  CircleAlert,
  Columns2,
  Database,
  Funnel,
  Grid3x3,
  Keyboard,
  LayoutList,
  Library,
  MessagesSquare,
  Search,
  Settings,
  Table2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { type Place, pathOfPlace, tokensPlaceOf } from '../data/place.ts';
import { presentHref } from '../data/usePlace.ts';
import { useRequest } from '../data/useRequest.ts';
import { useRunOf } from '../data/useRunOf.ts';
import { useInterface } from '../state/interface.ts';
import { queryLeftAt } from '../state/placeMemory.ts';
import { Link } from '../ui/Link.tsx';
import { compact } from '../ui/numbers.ts';
import { compareTarget } from './compareSet.ts';

const TOKEN_VIEWS: ReadonlySet<Place['view']> = new Set([
  'tokens',
  'stepTokens',
  'groupTokens',
  'rolloutTokens',
]);

const ICON = { size: 17, strokeWidth: 1.7 } as const;

/** The path down to here: levels above the present one are links, levels below are not reachable yet. */
function levelPlace(
  place: Place,
  view: 'run' | 'step' | 'group' | 'rollout',
  hasSteps = true,
): Place | undefined {
  if (!('runKey' in place)) return undefined;
  const { runKey } = place;
  if (view === 'run') return { view, runKey };
  if (!('step' in place)) return undefined;
  const { step } = place;
  if (view === 'step') return hasSteps ? { view, runKey, step } : undefined;
  if (!('groupKey' in place)) return undefined;
  const { groupKey } = place;
  if (view === 'group') return { view, runKey, step, groupKey };
  return 'ordinal' in place ? { ...place, view } : undefined;
}

function RailLink(props: {
  readonly to: Place | undefined;
  readonly isHere: boolean;
  readonly label: string;
  /** Why it leads nowhere, where something is chosen. */
  readonly whyOff?: string | undefined;
  readonly children: ReactNode;
}) {
  if (props.to === undefined) {
    return (
      <span className="is-off" title={`${props.label}: ${props.whyOff ?? 'nothing chosen yet'}`}>
        {props.children}
      </span>
    );
  }
  return (
    <Link
      href={pathOfPlace(props.to)}
      aria-label={props.label}
      title={props.label}
      aria-current={props.isHere ? 'page' : undefined}
    >
      {props.children}
    </Link>
  );
}

/** Of the step where one is chosen, else of the run. */
export function rocPlace(place: Place, hasSteps = true): Place | undefined {
  if (!('runKey' in place)) return undefined;
  const { runKey } = place;
  return 'step' in place && hasSteps
    ? { view: 'stepRoc', runKey, step: place.step }
    : { view: 'roc', runKey };
}

/** Of what is open: a rollout, a group, a step, a run. Without steps a run has no level between its groups and itself. */
export function tokensPlace(place: Place, hasSteps = true): Place | undefined {
  if (!('runKey' in place)) return undefined;
  return 'groupKey' in place || hasSteps ? tokensPlaceOf(place) : tokensPlaceOf({ runKey: place.runKey });
}

/** What was gathered with `c`, else the comparison as it was left. */
function CompareLink({ isHere }: { readonly isHere: boolean }) {
  const set = useInterface((state) => state.compareSet);
  const href = compareTarget(set, queryLeftAt('/compare'));
  const icon = <Columns2 {...ICON} />;
  if (href === undefined && !isHere)
    return (
      <span className="is-off" title="Compare: no rollouts chosen yet (c adds one)">
        {icon}
      </span>
    );
  return (
    <Link
      href={isHere ? presentHref() : (href ?? '/compare')}
      aria-label="Compare"
      title="Compare (x)"
      aria-current={isHere ? 'page' : undefined}
    >
      {icon}
    </Link>
  );
}

/** The statement as it was left. */
function SqlLink({ isHere }: { readonly isHere: boolean }) {
  return (
    <Link
      href={isHere ? presentHref() : `/sql${queryLeftAt('/sql')}`}
      aria-label="SQL"
      title="Ask the library in SQL (g q)"
      aria-current={isHere ? 'page' : undefined}
    >
      <Database {...ICON} />
    </Link>
  );
}

/** The search as it was left. */
function SearchLink({ isHere }: { readonly isHere: boolean }) {
  return (
    <Link
      href={isHere ? presentHref() : `/search${queryLeftAt('/search')}`}
      aria-label="Search"
      title="Search the texts of all rollouts (g /)"
      aria-current={isHere ? 'page' : undefined}
    >
      <Search {...ICON} />
    </Link>
  );
}

export function Rail({ place }: { readonly place: Place }) {
  const isRoc = place.view === 'roc' || place.view === 'stepRoc';
  const showDialog = useInterface((state) => state.showDialog);
  const run = useRunOf(place);
  const issues = useRequest('issue.list', { limit: 1 }).data?.total ?? 0;
  return (
    <nav className="rail" aria-label="Views">
      <RailLink to={{ view: 'library' }} isHere={place.view === 'library'} label="Library">
        <Library {...ICON} />
      </RailLink>
      <SearchLink isHere={place.view === 'search'} />
      <SqlLink isHere={place.view === 'sql'} />
      <span className="rail-rule" />
      <RailLink to={levelPlace(place, 'run')} isHere={place.view === 'run'} label="Run: steps">
        <ChartLine {...ICON} />
      </RailLink>
      <RailLink
        to={levelPlace(place, 'step', run?.hasSteps)}
        isHere={place.view === 'step'}
        label="Step: groups and rollouts"
        whyOff={run?.hasSteps === false ? 'this log knows no training step' : undefined}
      >
        <Table2 {...ICON} />
      </RailLink>
      <RailLink
        to={levelPlace(place, 'group')}
        isHere={place.view === 'group'}
        label="Group: sibling rollouts"
      >
        <LayoutList {...ICON} />
      </RailLink>
      <RailLink
        to={'runKey' in place ? { view: 'problems', runKey: place.runKey } : undefined}
        isHere={place.view === 'problems' || place.view === 'problem'}
        label="Problems of this run by step (g p)"
      >
        <Grid3x3 {...ICON} />
      </RailLink>
      <RailLink
        to={rocPlace(place, run?.hasSteps)}
        isHere={isRoc}
        label="Resample-on-Correct of this run or step"
      >
        <Funnel {...ICON} />
      </RailLink>
      <RailLink
        to={tokensPlace(place, run?.hasSteps)}
        isHere={TOKEN_VIEWS.has(place.view)}
        label="Statistics of the tokens of this run, step, group or rollout"
      >
        <ChartColumn {...ICON} />
      </RailLink>
      <RailLink to={levelPlace(place, 'rollout')} isHere={place.view === 'rollout'} label="Replay">
        <MessagesSquare {...ICON} />
      </RailLink>
      <CompareLink isHere={place.view === 'compare'} />
      <div className="rail-end">
        <RailLink to={{ view: 'issues' }} isHere={place.view === 'issues'} label={`Ingest issues: ${issues}`}>
          <CircleAlert {...ICON} />
          {issues > 0 && <span className="rail-badge">{compact(issues)}</span>}
        </RailLink>
        <button type="button" aria-label="Keys" title="Keys (?)" onClick={() => showDialog('keys')}>
          <Keyboard {...ICON} />
        </button>
        <RailLink to={{ view: 'settings' }} isHere={place.view === 'settings'} label="Settings and about">
          <Settings {...ICON} />
        </RailLink>
      </div>
    </nav>
  );
}
