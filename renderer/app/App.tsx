/**
 * The window: breadcrumb on top, rail at the left, one view. Which view is the URL's business;
 * views are lazy chunks, so the library does not wait for the transcript's libraries.
 */
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect } from 'react';
import { HOME_LIBRARY } from '../../shared/api/contract.ts';
import { useConnectionStatus, useLibrary } from '../data/DataProvider.tsx';
import { resolvedHref } from '../data/libraryLink.ts';
import { type Place, pathOfPlace } from '../data/place.ts';
import { usePlace, useUrlQuery } from '../data/usePlace.ts';
import { useInterface } from '../state/interface.ts';
import { rememberQuery } from '../state/placeMemory.ts';
import { enterLibrary } from '../state/presentLibrary.ts';
import { HrefContext } from '../ui/Link.tsx';
import { counted } from '../ui/numbers.ts';
import { EmptyState, WaitingState } from '../ui/States.tsx';
import { useBoundCommands } from './boundKeys.ts';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { CopyRolloutText } from './CopyRolloutText.tsx';
import { DropTarget } from './DropTarget.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { ExportPack } from './ExportPack.tsx';
import { ExportRun } from './ExportRun.tsx';
import { ImportPack } from './ImportPack.tsx';
import { KeyHelp } from './KeyHelp.tsx';
import { KeyListener } from './KeyListener.tsx';
import { KeyOf } from './Keys.tsx';
import { LibraryGate } from './LibraryGate.tsx';
import { LibrarySizes } from './LibrarySizes.tsx';
import { MoveRun } from './MoveRun.tsx';
import { Notice } from './Notice.tsx';
import { OpenLibrary } from './OpenLibrary.tsx';
import { Palette } from './Palette.tsx';
import { Rail } from './Rail.tsx';
import { RemoveRun } from './RemoveRun.tsx';
import { TopBar } from './TopBar.tsx';
import { useShellCommands } from './useShellCommands.ts';
import { useStartRun } from './useStartRun.ts';
import './app.css';

const LOADERS = {
  library: () => import('../views/library/LibraryView.tsx'),
  run: () => import('../views/browse/RunView.tsx'),
  step: () => import('../views/browse/StepView.tsx'),
  group: () => import('../views/browse/GroupView.tsx'),
  rollout: () => import('../views/replay/ReplayView.tsx'),
  roc: () => import('../views/browse/report/RocView.tsx'),
  tokens: () => import('../views/browse/tokens/TokensView.tsx'),
  problems: () => import('../views/browse/problems/ProblemsView.tsx'),
  problem: () => import('../views/browse/problems/ProblemView.tsx'),
  schedule: () => import('../views/browse/schedule/ScheduleView.tsx'),
  issues: () => import('../views/issues/IssuesView.tsx'),
  settings: () => import('../views/settings/SettingsView.tsx'),
  mapping: () => import('../views/mapping/MappingView.tsx'),
  formats: () => import('../views/formats/FormatsView.tsx'),
  compare: () => import('../views/compare/CompareView.tsx'),
  groupTree: () => import('../views/compare/tree/TreeView.tsx'),
  search: () => import('../views/search/SearchView.tsx'),
  sql: () => import('../views/sql/SqlView.tsx'),
  alike: () => import('../views/compare/alike/AlikeView.tsx'),
  labels: () => import('../views/labels/LabelsView.tsx'),
} as const;

const LibraryView = lazy(LOADERS.library);
const RunView = lazy(LOADERS.run);
const StepView = lazy(LOADERS.step);
const GroupView = lazy(LOADERS.group);
const ReplayView = lazy(LOADERS.rollout);
const RocView = lazy(LOADERS.roc);
const TokensView = lazy(LOADERS.tokens);
const ProblemsView = lazy(LOADERS.problems);
const ProblemView = lazy(LOADERS.problem);
const ScheduleView = lazy(LOADERS.schedule);
const IssuesView = lazy(LOADERS.issues);
const SettingsView = lazy(LOADERS.settings);
const MappingView = lazy(LOADERS.mapping);
const FormatsView = lazy(LOADERS.formats);
const CompareView = lazy(LOADERS.compare);
const TreeView = lazy(LOADERS.groupTree);
const SearchView = lazy(LOADERS.search);
const SqlView = lazy(LOADERS.sql);
const AlikeView = lazy(LOADERS.alike);
const LabelsView = lazy(LOADERS.labels);

/** The other views are fetched while nothing happens, so that the first click does not wait for them. */
function useWarmViews(): void {
  useEffect(() => {
    const idle = requestIdleCallback(() => {
      // A failure is no news here: the view itself will say so when it is opened.
      void Promise.allSettled(Object.values(LOADERS).map((load) => load()));
    });
    return () => cancelIdleCallback(idle);
  }, []);
}

/** So that Escape and the breadcrumb lead back to a list as it was left. */
function usePlaceMemory(place: Place): void {
  const path = pathOfPlace(place);
  const [query] = useUrlQuery();
  const search = query.size === 0 ? '' : `?${query}`;
  useEffect(() => rememberQuery(path, search), [path, search]);
}

function viewOf(place: Place) {
  switch (place.view) {
    case 'library':
      return <LibraryView />;
    case 'run':
      return <RunView key={place.runKey} runKey={place.runKey} />;
    case 'step':
      return <StepView key={`${place.runKey} ${place.step}`} runKey={place.runKey} step={place.step} />;
    case 'group':
      return <GroupView key={`${place.runKey} ${place.step} ${place.groupKey}`} place={place} />;
    case 'rollout':
      return <ReplayView place={place} />;
    case 'roc':
      return <RocView key={place.runKey} runKey={place.runKey} />;
    case 'stepRoc':
      return <RocView key={`${place.runKey} ${place.step}`} runKey={place.runKey} step={place.step} />;
    case 'tokens':
    case 'stepTokens':
    case 'groupTokens':
    case 'rolloutTokens':
      return <TokensView key={pathOfPlace(place)} address={place} />;
    case 'problems':
      return <ProblemsView key={place.runKey} runKey={place.runKey} />;
    case 'problem':
      return <ProblemView key={pathOfPlace(place)} place={place} />;
    case 'schedule':
      return <ScheduleView key={pathOfPlace(place)} runKey={place.runKey} step={place.step} />;
    case 'issues':
      return <IssuesView />;
    case 'settings':
      return <SettingsView />;
    case 'mapping':
      return <MappingView />;
    case 'formats':
      return <FormatsView />;
    case 'compare':
      return <CompareView />;
    case 'groupTree':
      return <TreeView key={pathOfPlace(place)} place={place} />;
    case 'alike':
      return <AlikeView key={pathOfPlace(place)} place={place} />;
    case 'search':
      return <SearchView />;
    case 'sql':
      return <SqlView />;
    case 'labels':
      return <LabelsView />;
    case 'nowhere':
      return (
        <EmptyState title="There is nothing at this address">
          <p className="state-facts">{place.path}</p>
          <p>
            A link leads to run → step → group → rollout. <KeyOf command="place.up" /> leads to the library.
          </p>
        </EmptyState>
      );
  }
}

function NoToken() {
  return (
    <EmptyState title="Open the address that npm start printed">
      <p>It ends in an access token. Whoever has it can read these logs, so every start makes a new one.</p>
    </EmptyState>
  );
}

/** Links and memories mean the library that is looked at. */
function useLibraryMemory(library: string): void {
  // While rendering, not after it: views below ask for what is remembered when they are first drawn.
  enterLibrary(library === HOME_LIBRARY ? undefined : library);
  useLayoutEffect(() => {
    const { library: former, compareSet, enterLibrary: enter, setNotice } = useInterface.getState();
    enter(library);
    if (former !== library && compareSet.length > 0) {
      const what = counted(compareSet.length, 'rollout');
      setNotice(
        `${what} to be compared stay with their library: the lanes of a comparison are of one library`,
      );
    }
  }, [library]);
}

export function App() {
  const library = useLibrary();
  useLibraryMemory(library);
  const resolve = useCallback((href: string) => resolvedHref(library, href), [library]);
  return (
    <HrefContext value={resolve}>
      <Window library={library} />
    </HrefContext>
  );
}

function Window({ library }: { readonly library: string }) {
  const place = usePlace();
  const isFocused = useInterface((state) => state.isFocused) && place.view === 'rollout';
  const status = useConnectionStatus();
  usePlaceMemory(place);
  useShellCommands();
  useStartRun();
  // Titles and sentences name the keys in force: they are drawn anew when one is rebound.
  useBoundCommands();
  useWarmViews();
  return (
    <div className={isFocused ? 'app is-focused' : 'app'}>
      <TopBar />
      {!isFocused && <Rail place={place} />}
      <main className="app-view">
        <ConnectionBanner />
        <div className="app-content">
          <ErrorBoundary key={place.view}>
            <Suspense fallback={<WaitingState title="Loading…" />}>
              {status === 'no-token' ? (
                <NoToken />
              ) : (
                <LibraryGate library={library}>{viewOf(place)}</LibraryGate>
              )}
            </Suspense>
          </ErrorBoundary>
        </div>
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
      <MoveRun />
      <OpenLibrary />
      <LibrarySizes />
      <Notice />
    </div>
  );
}
