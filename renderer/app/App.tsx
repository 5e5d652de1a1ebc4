/** The window: breadcrumb at the top, rail at the left, and one view, which the URL determines. */
import { Tooltip } from 'radix-ui';
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { HOME_LIBRARY, type IngestProgress } from '../../shared/api/contract.ts';
import { useConnection, useConnectionStatus, useLibrary } from '../data/DataProvider.tsx';
import { resolvedHref } from '../data/libraryLink.ts';
import { pathOfRoute, type Route } from '../data/route.ts';
import { useRequest } from '../data/useRequest.ts';
import { goTo, useRoute, useUrlQuery } from '../data/useRoute.ts';
import { DropTarget } from '../shell/DropTarget.tsx';
import { CopyRolloutText } from '../shell/dialogs/CopyRolloutText.tsx';
import { ExportPack } from '../shell/dialogs/ExportPack.tsx';
import { ExportRun } from '../shell/dialogs/ExportRun.tsx';
import { ImportPack } from '../shell/dialogs/ImportPack.tsx';
import { LibrarySizes } from '../shell/dialogs/LibrarySizes.tsx';
import { MoveRun } from '../shell/dialogs/MoveRun.tsx';
import { OpenLibrary } from '../shell/dialogs/OpenLibrary.tsx';
import { OpenLogs } from '../shell/dialogs/OpenLogs.tsx';
import { RemoveRun } from '../shell/dialogs/RemoveRun.tsx';
import { KeyHelp } from '../shell/keys/KeyHelp.tsx';
import { KeyListener } from '../shell/keys/KeyListener.tsx';
import { keepFocus } from '../shell/keys/keepFocus.ts';
import { useBoundCommands } from '../shell/keys/keysInForce.ts';
import { LibraryGate } from '../shell/LibraryGate.tsx';
import { Palette } from '../shell/Palette.tsx';
import { Rail } from '../shell/Rail.tsx';
import { TopBar } from '../shell/TopBar.tsx';
import { DEMO_RUN, Tour } from '../shell/Tour.tsx';
import { openedRoute } from '../shell/useIngestActions.ts';
import { useShellCommands } from '../shell/useShellCommands.ts';
import { ViewBoundary } from '../shell/ViewBoundary.tsx';
import { useInterface } from '../state/interface.ts';
import { enterLibrary, rememberQuery } from '../state/routeMemory.ts';
import { Button } from '../ui/Controls.tsx';
import { HrefContext } from '../ui/Link.tsx';
import { counted } from '../ui/numbers.ts';
import { EmptyState } from '../ui/States.tsx';
import { ContinuationDialog } from '../widgets/continuation/ContinuationDialog.tsx';
import { ResumeDialog } from '../widgets/continuation/ResumeDialog.tsx';
import { ValueDialog } from '../widgets/continuation/ValueDialog.tsx';
import { FromWarehouse, PartHereNote } from '../widgets/FromWarehouse.tsx';
import { RouteView, usePrefetchViews } from './RouteView.tsx';
import './app.css';

/** Remembers the page's state, so that Escape and the breadcrumb restore it. */
function useRouteMemory(route: Route): void {
  const path = pathOfRoute(route);
  const [query] = useUrlQuery();
  const search = query.size === 0 ? '' : `?${query}`;
  useEffect(() => rememberQuery(path, search), [path, search]);
}

/**
 * A click on a row opens its page. The second click of a double click would land on that page, and select a text or
 * press a button there, so it is ignored.
 */
function useSingleClicks(): void {
  useEffect(() => {
    let first: { readonly target: Node; readonly path: string } | undefined;
    const look = (event: MouseEvent) => {
      const { pathname } = window.location;
      if (event.detail < 2)
        first = event.target instanceof Node ? { target: event.target, path: pathname } : undefined;
      else if (first !== undefined && !first.target.isConnected && first.path !== pathname) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    const onClick = (event: MouseEvent) => event.detail >= 2 && look(event);
    document.addEventListener('mousedown', look, true);
    document.addEventListener('click', onClick, true);
    return () => {
      document.removeEventListener('mousedown', look, true);
      document.removeEventListener('click', onClick, true);
    };
  }, []);
}

function NoToken() {
  return (
    <EmptyState title="Open the address that npm start printed">
      <p>It ends in an access token. Whoever has it can read these logs, so every start makes a new one.</p>
    </EmptyState>
  );
}

/** Tells links and saved state which library is current. */
function useLibraryMemory(library: string): void {
  // During rendering rather than in an effect, since views read the saved state in their first render.
  enterLibrary(library === HOME_LIBRARY ? undefined : library);
  useLayoutEffect(() => {
    const { library: former, compareSet, enterLibrary: enter, setNotice } = useInterface.getState();
    enter(library);
    if (former !== library && compareSet.length > 0) {
      const what = counted(compareSet.length, 'rollout');
      setNotice(`${what} stay in the comparison of their own library: a comparison is within one library`);
    }
  }, [library]);
}

export function App() {
  const library = useLibrary();
  useLibraryMemory(library);
  const resolve = useCallback((href: string) => resolvedHref(library, href), [library]);
  return (
    <HrefContext value={resolve}>
      <Tooltip.Provider delayDuration={500} disableHoverableContent>
        <Window library={library} />
      </Tooltip.Provider>
    </HrefContext>
  );
}

function Window({ library }: { readonly library: string }) {
  const route = useRoute();
  const isFocused = useInterface((state) => state.isFocused) && route.view === 'rollout';
  const status = useConnectionStatus();
  useRouteMemory(route);
  useSingleClicks();
  useShellCommands();
  useEffect(keepFocus, []);
  useStartRun();
  // Tooltips and sentences contain keys, so everything renders again when a key is rebound.
  useBoundCommands();
  usePrefetchViews();
  return (
    <div className={isFocused ? 'app is-focused' : 'app'}>
      <TopBar />
      {!isFocused && <Rail route={route} />}
      <main className="app-view" tabIndex={-1}>
        <ConnectionBanner />
        <LibraryWarnings />
        {status !== 'no-token' && <PartHereNote route={route} />}
        <div className="app-content">
          <ViewBoundary key={route.view} route={route}>
            {status === 'no-token' ? (
              <NoToken />
            ) : (
              <LibraryGate library={library}>
                <FromWarehouse route={route}>
                  <RouteView route={route} />
                </FromWarehouse>
              </LibraryGate>
            )}
          </ViewBoundary>
        </div>
        <Tour />
      </main>
      <KeyListener />
      <DropTarget />
      <Palette />
      <KeyHelp />
      <RemoveRun />
      <ExportRun />
      <ExportPack />
      <ImportPack />
      <CopyRolloutText />
      <ContinuationDialog />
      <ResumeDialog />
      <ValueDialog />
      <MoveRun />
      <OpenLibrary />
      <OpenLogs />
      <LibrarySizes />
      <Notice />
    </div>
  );
}

function ConnectionBanner() {
  const connection = useConnection();
  const status = useConnectionStatus();
  if (status === 'open' || status === 'connecting') return null;

  if (status === 'no-token' || status === 'refused') {
    return (
      <div className="banner" role="alert">
        <span>
          <b>{status === 'refused' ? 'The host refused this page.' : 'This page has no access token.'}</b>{' '}
          Every start of Turnwise makes a new one: open the full URL that{' '}
          <span className="mono">npm start</span> printed, with its <span className="mono">#token=…</span>.
        </span>
      </div>
    );
  }
  return (
    <div className="banner" role="alert">
      <span>
        <b>{status === 'lost' ? 'The Turnwise host is gone.' : 'The Turnwise host does not answer.'}</b> What
        you see may be out of date. Trying again; if it was stopped, start it with{' '}
        <span className="mono">npm start</span> and open the URL it prints.
      </span>
      {connection.retryNow !== undefined && <Button onClick={connection.retryNow}>Connect now</Button>}
    </div>
  );
}

/** Warnings about damage, a library that cannot be written, or opened paths that cannot be saved. */
function LibraryWarnings() {
  const warnings = useRequest('host.info', {}).data?.warnings ?? [];
  return warnings.map(({ message, command }) => (
    <div key={message} className="banner" role="alert">
      <span>
        {message} {command !== undefined && <code className="mono">{command}</code>}
      </span>
    </div>
  ));
}

/** Time to read a notice: a constant, plus some for each character. */
const shownMs = (notice: string) => 1_600 + 45 * notice.length;

function Notice() {
  const notice = useInterface((state) => state.notice);
  const setNotice = useInterface((state) => state.setNotice);
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => setNotice(undefined), shownMs(notice));
    return () => clearTimeout(timer);
  }, [notice, setNotice]);
  return (
    <div className="notice" role="status">
      {notice !== undefined && <span>{notice}</span>}
    </div>
  );
}

/** Evaluated once per window, since returning from another library is not a start. */
const startsAtLibrary = globalThis.location?.pathname === '/' && globalThis.location.search === '';
let hasOpened = false;

/**
 * A start without a route opens what the first job has read, once. A reload or a link stays at the library. A job
 * that was running when the page opened may learn its run only later, on a busy machine or a slow disk. Later jobs do
 * not count, nor do runs that were removed: each removal asks for everything again. The demo does not
 * open once something else was opened.
 */
export function useStartRun(): void {
  const { isStart } = useConnection();
  const jobs = useRequest('ingest.jobs', {}).data;
  const runs = useRequest('run.list', {}).data;
  const ofStart = useRef<ReadonlySet<number>>(undefined);
  useEffect(() => {
    if (jobs === undefined) return;
    ofStart.current ??= new Set(jobs.map(({ jobId }) => jobId));
    const first = jobs.find(
      ({ jobId, runKey }) => ofStart.current?.has(jobId) === true && runKey !== undefined,
    );
    const exists = runs?.some(({ runKey }) => runKey === first?.runKey) === true;
    const isLeft = isOfDemo(first) && jobs.some((job) => !isOfDemo(job));
    const route = first !== undefined && exists && !isLeft ? openedRoute(first) : undefined;
    if (!isStart || !startsAtLibrary || route === undefined || hasOpened) return;
    hasOpened = true;
    if (window.location.pathname === '/') goTo(route);
  }, [isStart, jobs, runs]);
}

/** The demo log also contains an evaluation, whose key begins like that of the training run. */
const isOfDemo = (job: IngestProgress | undefined): boolean => job?.runKey?.startsWith(DEMO_RUN) === true;
