import '../../../renderer/theme/base.css';
import '../../../renderer/theme/pages.css';
import { createRoot } from 'react-dom/client';
import { App } from '../../../renderer/app/App.tsx';
import { DataProvider } from '../../../renderer/data/DataProvider.tsx';
import { useInterface } from '../../../renderer/state/interface.ts';
import { followTheme } from '../../../renderer/theme/theme.ts';
import { createPreviewClient } from './previewClient.ts';

followTheme(
  () => useInterface.getState().theme,
  (listener) => useInterface.subscribe(listener),
);
const scenario = new URLSearchParams(window.location.search).get('scenario') ?? 'full';
const client = createPreviewClient(scenario);
const root = document.getElementById('root');
if (root === null) throw new Error('no #root');
createRoot(root).render(
  <DataProvider
    connection={{
      client,
      clientOf: () => client,
      isStart: false,
      status: () => (scenario === 'lost' ? 'lost' : scenario === 'token' ? 'no-token' : 'open'),
      onStatus: () => () => undefined,
      retryNow: () => undefined,
    }}
  >
    <App />
  </DataProvider>,
);
