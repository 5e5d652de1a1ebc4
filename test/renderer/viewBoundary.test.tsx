/** A view that fails: the page beside it is tried again, and the raw record of a rollout can be read. */
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Route } from '../../renderer/data/route.ts';
import { ViewBoundary } from '../../renderer/shell/ViewBoundary.tsx';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const at = (ordinal: number): Route => ({ view: 'rollout', runKey: 'r', step: 0, groupKey: 'g', ordinal });

function View({ ordinal }: { readonly ordinal: number }) {
  if (ordinal === 0) throw new RangeError('Maximum call stack size exceeded');
  return <p>rollout {ordinal}</p>;
}

function Pages() {
  const [ordinal, setOrdinal] = useState(0);
  const [, redraw] = useState(0);
  return (
    <>
      <button type="button" onClick={() => setOrdinal(1)}>
        next
      </button>
      <button type="button" onClick={() => redraw((count) => count + 1)}>
        redraw
      </button>
      <ViewBoundary route={at(ordinal)}>
        <View ordinal={ordinal} />
      </ViewBoundary>
    </>
  );
}

const client = createFakeClient({
  'page.open': async () => ({ runId: 1, groupId: 2, rolloutId: 3, answers: [] }),
  'rollout.record': async ({ rolloutId }) => ({
    ...{ text: `{"text": "of rollout ${rolloutId}"}`, path: '/log.jsonl', line: 1 },
    ...{ byteLength: 24, unit: 'line', offset: 0, isRewritten: false },
  }),
});

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('shows the raw record of the rollout', async () => {
  renderWithClient(client, <Pages />);
  expect(screen.getByRole('alert').textContent).toContain('Maximum call stack size exceeded');
  fireEvent.click(screen.getByRole('button', { name: 'Show the raw record' }));
  expect(await screen.findByRole('region', { name: 'Raw record' })).toBeTruthy();
});

it('tries the next rollout again, and keeps the error of this one', () => {
  renderWithClient(client, <Pages />);
  fireEvent.click(screen.getByText('redraw'));
  expect(screen.getByRole('alert')).toBeTruthy();
  fireEvent.click(screen.getByText('next'));
  expect(screen.getByText('rollout 1')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});
