/** The page Warehouse: runs, the steps of one, and copies of them. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import WarehouseView from '../../renderer/views/warehouse/WarehouseView.tsx';
import type { ParamsOf, WarehouseRun, WarehouseStep } from '../../shared/api/contract.ts';
import { ApiError, refused } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const RUN: WarehouseRun = {
  ...{ run: 'release-7', split: 'train', steps: 2, first_step: 3, last_step: 4, rollouts: 30, sources: 2 },
  loaded_at: '2026-11-02 10:20:30.123456',
};
const STEPS: readonly WarehouseStep[] = [
  {
    step: 3,
    rollouts: 10,
    matching: 4,
    reward: 0.25,
    correct: 0.25,
    turns: 2,
    toolCalls: 1,
    toolErrors: 0.5,
  },
  { step: 4, rollouts: 20, matching: 0 },
];

const kept: ParamsOf<'warehouse.keep'>[] = [];
const started: (readonly string[])[] = [];

let keeping: Error | undefined;

function show(href: string, named = true, steps = STEPS): void {
  const client = createFakeClient({
    'host.info': () => ({
      ...{
        version: '0',
        platform: 'linux',
        libraryPath: '/l.turnwise',
        uploads: '/u',
        wheels: '/w',
        warnings: [],
      },
      ...{ shell: 'browser', granted: [], hasWarehouse: true },
    }),
    'run.list': () => [],
    'view.list': () => [],
    'warehouse.runs': () => (named ? { name: 'host:8123/team', runs: [RUN] } : { runs: [] }),
    'warehouse.steps': ({ filter }) => {
      if (filter === 'code:import') throw new Error('a warehouse is not filtered by code');
      return steps;
    },
    'warehouse.keep': (params) => {
      kept.push(params);
      if (keeping !== undefined) throw keeping;
      return { path: '/from-warehouse/release-7', rollouts: 4, steps: 1 };
    },
    'ingest.start': ({ paths }) => {
      started.push(paths);
      return { jobId: 1 };
    },
    'ingest.jobs': () => [],
  });
  renderWithClient(client, <WarehouseView />, href);
}

beforeEach(() => {
  // happy-dom has no layout, and a virtual table shows the rows that fit.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  kept.length = 0;
  started.length = 0;
  keeping = undefined;
});

it('says how a warehouse is named if none was', async () => {
  show('/warehouse', false);
  await screen.findByText('No warehouse was named when Turnwise was started');
});

it('lists the runs, and opens the steps of one', async () => {
  show('/warehouse');
  fireEvent.click(await screen.findByText('release-7'));
  await screen.findByText('30 rollouts from 2 logs · host:8123/team');
  expect(window.location.search).toBe('?run=release-7');
  await screen.findByText('Keep a copy of 4 rollouts');
});

it('copies what matches the filter, of every step or of one, and opens it', async () => {
  show('/warehouse?run=release-7&q=tool_errors%3A1');
  const grid = await screen.findByRole('grid', { name: 'Steps of the run' });
  expect([...grid.querySelectorAll('[role="row"]')].map((row) => row.textContent)).toContainEqual(
    expect.stringMatching(/^3.*4.*10.*0\.25.*25\.0.*2.*1.*50\.0/),
  );
  fireEvent.click(screen.getByText('Keep a copy of 4 rollouts'));
  await waitFor(() => expect(kept).toMatchObject([{ run: 'release-7', filter: 'tool_errors:1' }]));
  expect(kept[0]?.steps).toBeUndefined();
  await waitFor(() => expect(started).toEqual([['/from-warehouse/release-7']]));
  fireEvent.click(screen.getByText('3'));
  expect(kept).toHaveLength(1);
  fireEvent.click(await screen.findByText('Keep a copy of 1 step'));
  await waitFor(() => expect(kept[1]).toMatchObject({ steps: [3] }));
});

it('says why a filter is not answered', async () => {
  show('/warehouse?run=release-7&q=code%3Aimport');
  await screen.findByText('a warehouse is not filtered by code');
});

it('copies a run without steps whole', async () => {
  show('/warehouse?run=release-7', true, [{ rollouts: 5, matching: 5 }]);
  fireEvent.click(await screen.findByText('all'));
  fireEvent.click(await screen.findByText('Keep a copy of 1 step'));
  await waitFor(() => expect(kept).toMatchObject([{ run: 'release-7' }]));
  expect(kept[0]?.steps).toBeUndefined();
});

it.each([
  ['says why a copy failed', refused('the disk is full'), 'the disk is full'],
  ['says nothing of a copy that the user stopped', new ApiError(CANCELLED), undefined],
])('%s', async (_, error, message) => {
  keeping = error;
  show('/warehouse?run=release-7');
  fireEvent.click(await screen.findByText('Keep a copy of 4 rollouts'));
  await waitFor(() => expect(kept).toHaveLength(1));
  await screen.findByText('Keep a copy of 4 rollouts');
  expect(screen.queryByRole('alert')?.textContent).toBe(message);
});
