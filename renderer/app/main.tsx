import '../theme/base.css';
import '../theme/pages.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { openConnection } from '../data/connection.ts';
import { DataProvider } from '../data/DataProvider.tsx';
import { useInterface } from '../state/interface.ts';
import { followTheme } from '../theme/followTheme.ts';
import { loadFonts } from '../theme/loadFonts.ts';
import { App } from './App.tsx';

followTheme(
  () => useInterface.getState().theme,
  (listener) => useInterface.subscribe(listener),
);

loadFonts();
// Those of formulas, whose style sheet comes later.
requestIdleCallback(() => void import('../theme/formulas.ts').then(loadFonts));

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const connection = await openConnection();
createRoot(root).render(
  <StrictMode>
    <DataProvider connection={connection}>
      <App />
    </DataProvider>
  </StrictMode>,
);
