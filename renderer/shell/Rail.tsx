import {
  ChartColumn,
  ChartLine,
  CircleAlert,
  Columns2,
  Database,
  FolderOpen,
  Grid3x3,
  Keyboard,
  LayoutList,
  Library,
  ListChecks,
  type LucideIcon,
  MessagesSquare,
  PanelLeftClose,
  PanelLeftOpen,
  Search,
  Settings,
  Table2,
  Tags,
} from 'lucide-react';
import { type ReactNode, useId, useSyncExternalStore } from 'react';
import { labelsPath } from '../data/labelsLink.ts';
import { useIsRocLogged } from '../data/rocChoice.ts';
import { pathOfRoute, type Route, rocRoute, routeTo, tokensRoute } from '../data/route.ts';
import { useRequest } from '../data/useRequest.ts';
import { presentHref } from '../data/useRoute.ts';
import { useRunOf } from '../data/useRunOf.ts';
import { useUnreadFiles } from '../data/useUnreadFiles.ts';
import { useInterface } from '../state/interface.ts';
import { queryLeftAt } from '../state/routeMemory.ts';
import { Hint } from '../ui/Hint.tsx';
import { Link } from '../ui/Link.tsx';
import { plainLogText } from '../ui/LogText.tsx';
import { counted } from '../ui/numbers.ts';
import { compareTarget } from './compareSet.ts';
import { useCommands } from './keys/commands.ts';
import type { CommandId } from './keys/keymap.ts';
import { keyed, keyWord } from './keys/keysInForce.ts';
import { useIngestActions } from './useIngestActions.ts';
import { useRunRoute } from './useRunRoute.ts';
import './rail.css';

const ICON = { size: 17, strokeWidth: 1.7, 'aria-hidden': true } as const;

/**
 * In narrower windows the names are below the icons, unless the user chose otherwise. At this width the page is about
 * as wide as it is at 1280 px.
 */
const WIDE = '(min-width: 1360px)';

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(WIDE);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

function useIsNamed(): boolean {
  const chosen = useInterface((state) => state.isRailNamed);
  const isWide = useSyncExternalStore(subscribe, () => window.matchMedia(WIDE).matches);
  return chosen ?? isWide;
}

interface ItemProps {
  readonly name: string;
  readonly icon: LucideIcon;
  /** A sentence about the page, shown in the tooltip. */
  readonly about: string;
  /** The command that opens the same page. Its key is shown. */
  readonly command?: CommandId;
  readonly href: string | undefined;
  readonly isHere?: boolean;
  /** The reason why there is no `href`. */
  readonly whyOff?: string;
  readonly children?: ReactNode;
}

function Item({ name, icon: Icon, about, command, href, isHere, whyOff = '', children }: ItemProps) {
  const whyId = useId();
  const inside = (
    <>
      <Icon {...ICON} />
      <span className="rail-name">{name}</span>
      {children}
    </>
  );
  if (href === undefined) {
    return (
      <>
        <Hint side="right" text={`${about}. ${whyOff}`}>
          <button
            type="button"
            aria-disabled
            aria-describedby={whyId}
            onClick={() => useInterface.getState().setNotice(whyOff)}
          >
            {inside}
          </button>
        </Hint>
        <span hidden id={whyId}>
          {whyOff}
        </span>
      </>
    );
  }
  return (
    <Hint side="right" text={command === undefined ? about : keyed(about, command)}>
      <Link href={href} aria-current={isHere ? 'page' : undefined}>
        {inside}
      </Link>
    </Hint>
  );
}

const TOKEN_VIEWS: ReadonlySet<Route['view']> = new Set([
  'tokens',
  'stepTokens',
  'groupTokens',
  'rolloutTokens',
]);

const hrefOf = (route: Route | undefined) => (route === undefined ? undefined : pathOfRoute(route));

/** The page in its last state. For the current page, its present URL. */
const leftAt = (path: string, isHere: boolean) => (isHere ? presentHref() : path + queryLeftAt(path));

/** A badge has room for three characters: 999, 2k, 45k. The page has the number in full. */
const shortCount = (n: number): string => (n < 1_000 ? String(n) : `${Math.floor(n / 1_000)}k`);

/** The badge counts what is missing. Caveats are named only here, since they can be one per record. */
function issuesText(lost: number, caveats: number): string {
  const missing = `${counted(lost, 'record or file', 'records and files')} not in the library or not read to the end`;
  return caveats === 0
    ? missing
    : `${missing}, ${counted(caveats, 'record or file', 'records and files')} with a caveat`;
}

export function Rail({ route }: { readonly route: Route }) {
  const ofRun = useRunRoute(route);
  const run = useRunOf(ofRun);
  const { total = 0, refused = 0 } = useRequest('issue.list', { limit: 1 }).data ?? {};
  const lost = refused + (useUnreadFiles()?.files.length ?? 0);
  const compareSet = useInterface((state) => state.compareSet);
  const comparison = compareTarget(compareSet, queryLeftAt('/compare'));
  /** It may be of another run. */
  const isOldComparison = route.view !== 'compare' && compareSet.length === 0 && comparison !== undefined;
  const isNamed = useIsNamed();
  const { showDialog, setRailNamed } = useInterface.getState();
  const flip = () => setRailNamed(!isNamed);
  useCommands({ 'rail.flip': flip });

  const { chooseLogs } = useIngestActions();

  const { view } = route;
  // Elsewhere it is simulated, on request: from a group, or with the command.
  const hasRoc = useIsRocLogged(run);
  const isRoc = view === 'roc' || view === 'stepRoc';
  const runKey = 'runKey' in ofRun ? ofRun.runKey : undefined;
  // The entries of the open run, or of the last visited one.
  const ofWhich = run === undefined || 'runKey' in route ? 'the run' : run.name;
  const noRun = 'Open a run first.';
  return (
    <nav className={isNamed ? 'rail is-named' : 'rail'} aria-label="Views">
      <Item
        name="Library"
        icon={Library}
        about="All runs of this library"
        command="place.library"
        href="/"
        isHere={view === 'library'}
      />
      <Hint side="right" text={keyed('Read logs into this library', 'ingest.openFiles')}>
        <button type="button" onClick={chooseLogs}>
          <FolderOpen {...ICON} />
          <span className="rail-name">Open logs…</span>
        </button>
      </Hint>
      <Item
        name="Search"
        icon={Search}
        about="Search the texts of all rollouts"
        command="place.search"
        href={leftAt('/search', view === 'search')}
        isHere={view === 'search'}
      />
      <Item
        name="SQL"
        icon={Database}
        about="Query the library in SQL"
        command="place.sql"
        href={leftAt('/sql', view === 'sql')}
        isHere={view === 'sql'}
      />
      <span className="rail-rule" />
      {run !== undefined && isNamed && (
        <Link
          className="rail-run"
          href={pathOfRoute({ view: 'run', runKey: run.runKey })}
          title={plainLogText(run.name)}
        >
          {plainLogText(run.name)}
        </Link>
      )}
      <Item
        name="Run"
        icon={ChartLine}
        about={`Charts and steps of ${ofWhich}`}
        href={hrefOf(routeTo('run', ofRun))}
        isHere={view === 'run'}
        whyOff={noRun}
      />
      <Item
        name="Step"
        icon={Table2}
        about="Groups and rollouts of the step"
        href={hrefOf(run?.hasSteps === false ? undefined : routeTo('step', ofRun))}
        isHere={view === 'step'}
        whyOff={run?.hasSteps === false ? 'This log has no training steps.' : 'Open a step first.'}
      />
      <Item
        name="Group"
        icon={LayoutList}
        about="Rollouts of the same prompt"
        href={hrefOf(routeTo('group', ofRun))}
        isHere={view === 'group'}
        whyOff="Open a group first."
      />
      <Item
        name="Problems"
        icon={Grid3x3}
        about={`Problems of ${ofWhich} by step`}
        command="place.problems"
        href={hrefOf(runKey === undefined ? undefined : { view: 'problems', runKey })}
        isHere={view === 'problems' || view === 'problem'}
        whyOff={noRun}
      />
      {(hasRoc || isRoc) && (
        <Item
          name="RoC"
          icon={ListChecks}
          about="Resample-on-Correct of the run or step"
          command="place.roc"
          href={hrefOf(rocRoute(ofRun, run?.hasSteps))}
          isHere={isRoc}
          whyOff={noRun}
        />
      )}
      <Item
        name="Tokens"
        icon={ChartColumn}
        about="Token statistics of the run, step, group or rollout"
        command="place.tokens"
        href={hrefOf(tokensRoute(ofRun, run?.hasSteps))}
        isHere={TOKEN_VIEWS.has(view)}
        whyOff={noRun}
      />
      <Item
        name="Replay"
        icon={MessagesSquare}
        about="The rollout, turn by turn"
        href={hrefOf(routeTo('rollout', ofRun))}
        isHere={view === 'rollout'}
        whyOff="Open a rollout first."
      />
      <Item
        name={isOldComparison ? 'Compared' : 'Compare'}
        icon={Columns2}
        about={isOldComparison ? 'The comparison that was open last' : 'Two to four rollouts side by side'}
        command="compare.open"
        href={view === 'compare' ? presentHref() : comparison}
        isHere={view === 'compare'}
        whyOff={`No rollouts chosen: ${keyWord('compare.add')} on a rollout adds it.`}
      />
      <Item
        name="Labels"
        icon={Tags}
        about="Labels, notes and failure packs"
        command="place.labels"
        href={
          view !== 'labels' && 'runKey' in route
            ? labelsPath({ runKey: route.runKey })
            : leftAt('/labels', view === 'labels')
        }
        isHere={view === 'labels'}
      />
      <div className="rail-end">
        <Item
          name="Issues"
          icon={CircleAlert}
          about={issuesText(lost, total - refused)}
          command="place.issues"
          href="/issues"
          isHere={view === 'issues'}
        >
          {lost > 0 && <span className="rail-badge">{shortCount(lost)}</span>}
        </Item>
        <Hint side="right" text={keyed('Keys that work here', 'keys.show')}>
          <button type="button" onClick={() => showDialog({ kind: 'keys' })}>
            <Keyboard {...ICON} />
            <span className="rail-name">Keys</span>
          </button>
        </Hint>
        <Item
          name="Settings"
          icon={Settings}
          about="Settings and about Turnwise"
          command="place.settings"
          href="/settings"
          isHere={view === 'settings'}
        />
        <Hint side="right" text={isNamed ? 'Show names below the icons' : 'Show names beside the icons'}>
          <button type="button" aria-label={isNamed ? 'Collapse sidebar' : 'Expand sidebar'} onClick={flip}>
            {isNamed ? <PanelLeftClose {...ICON} /> : <PanelLeftOpen {...ICON} />}
            <span className="rail-name">{isNamed ? 'Collapse' : 'Expand'}</span>
          </button>
        </Hint>
      </div>
    </nav>
  );
}
