import '../theme/base.css';
import '../ui/floating.css';
import '../widgets/pages.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { openConnection } from '../data/connection.ts';
import { DataProvider } from '../data/DataProvider.tsx';
import { maskedConnection } from '../data/maskedConnection.ts';
import { useInterface } from '../state/interface.ts';
import { isOfInterface, loadFonts } from '../theme/loadFonts.ts';
import { followTheme } from '../theme/theme.ts';
import { App } from './App.tsx';

followTheme(
  () => useInterface.getState().theme,
  (listener) => useInterface.subscribe(listener),
);

void loadFonts(isOfInterface);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const isPaused = (runKey: string): boolean => useInterface.getState().pausedRuns[runKey] === true;
const connection = maskedConnection(await openConnection(), () => useInterface.getState().masksCredentials);
createRoot(root).render(
  <StrictMode>
    <Root />
  </StrictMode>,
);

function Root() {
  const isMasking = useInterface((state) => state.masksCredentials);
  return (
    <DataProvider connection={connection} isMasking={isMasking} isPaused={isPaused}>
      <App />
    </DataProvider>
  );
}
