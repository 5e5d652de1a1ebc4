/** Renders a component in a happy-dom document, over a fake client, at a URL of the page. */
import { type RenderResult, render } from '@testing-library/react';
import { Tooltip } from 'radix-ui';
import type { ReactNode } from 'react';
import { DataProvider } from '../../renderer/data/DataProvider.tsx';
import type { FakeClient } from './fakeClient.ts';

/**
 * @param href path and query of the page; navigation changes `window.location`
 * @param isStart whether the page is the first of a start
 */
export function renderWithClient(
  client: FakeClient,
  children: ReactNode,
  href = '/',
  isStart = false,
): RenderResult {
  window.history.replaceState(null, '', href);
  return render(
    <DataProvider
      connection={{
        client,
        clientOf: () => client,
        isStart,
        status: () => 'open',
        onStatus: () => () => undefined,
      }}
    >
      <Tooltip.Provider>{children}</Tooltip.Provider>
    </DataProvider>,
  );
}
