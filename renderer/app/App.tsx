/**
 * The window: breadcrumb on top, rail at the left, one view. Which view is the URL's business.
 */
import { Suspense, useCallback, useEffect, useLayoutEffect } from 'react';
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
import { LibraryGate } from './LibraryGate.tsx';
import { LibrarySizes } from './LibrarySizes.tsx';
import { MoveRun } from './MoveRun.tsx';
import { Notice } from './Notice.tsx';
import { OpenLibrary } from './OpenLibrary.tsx';
import { Palette } from './Palette.tsx';
import { PlaceView } from './PlaceView.tsx';
import { Rail } from './Rail.tsx';
import { RemoveRun } from './RemoveRun.tsx';
import { TopBar } from './TopBar.tsx';
import { useShellCommands } from './useShellCommands.ts';
import { useStartRun } from './useStartRun.ts';
import { useWarmParts } from './useWarmParts.ts';
import './app.css';

/** So that Escape and the breadcrumb lead back to a list as it was left. */
function usePlaceMemory(place: Place): void {
  const path = pathOfPlace(place);
  const [query] = useUrlQuery();
  const search = query.size === 0 ? '' : `?${query}`;
  useEffect(() => rememberQuery(path, search), [path, search]);
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
  useWarmParts();
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
                <LibraryGate library={library}>
                  <PlaceView place={place} />
                </LibraryGate>
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
