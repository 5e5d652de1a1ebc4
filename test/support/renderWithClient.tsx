/** A component in a document of happy-dom, over a fake client, at an address of the page. */
import { type RenderResult, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { DataProvider } from '../../renderer/data/DataProvider.tsx';
import type { FakeClient } from './fakeClient.ts';

/** @param href path and query of the page; what the component navigates to is in `window.location` */
export function renderWithClient(client: FakeClient, children: ReactNode, href = '/'): RenderResult {
  window.history.replaceState(null, '', href);
  return render(
    <DataProvider
      connection={{
        client,
        clientOf: () => client,
        status: () => 'open',
        onStatus: () => () => undefined,
      }}
    >
      {children}
    </DataProvider>,
  );
}
