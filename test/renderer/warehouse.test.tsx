/** Runs and steps of a warehouse, in the pages of the library's own. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import RunView from '../../renderer/views/run/RunView.tsx';
import WarehouseView from '../../renderer/views/warehouse/WarehouseView.tsx';
import { FromWarehouse, PartHereNote } from '../../renderer/widgets/FromWarehouse.tsx';
import type {
  IngestProgress,
  ParamsOf,
  RunDetail,
  StepFacts,
  StepSummary,
  WarehouseRun,
} from '../../shared/api/contract.ts';
import { ApiError, refused } from '../../shared/api/errors.ts';
import { CANCELLED } from '../../shared/api/transport.ts';
import { createFakeClient, type FakeClient, type FakeMethods } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const THERE: WarehouseRun = {
  ...{ run: 'release-7', split: 'train', steps: 3, first_step: 3, last_step: 5, rollouts: 60, sources: 2 },
  loaded_at: '2026-11-02 10:20:30.123456',
};
const RUN = {
  ...{ runId: 1, runKey: 'release-7', name: 'release 7', kind: 'train', format: 'turnwise-parquet' },
  ...{ directory: '/from-warehouse/release-7', hasSteps: true, issues: 0, config: {}, stages: [] },
} as unknown as RunDetail;

const summary = (step: number, rollouts: number): StepSummary => ({
  ...{ step, rollouts, groups: 2, correct: step, correctKnown: rollouts, meanReward: step / 10 },
  ...{ withText: rollouts, withoutToolCalls: 0, toolCalls: 0, toolErrors: 0, stopsLogged: 0 },
  ...{ decided: 0, kept: 0, groupsAllWrong: 0, groupsMixed: 2, groupsAllRight: 0 },
});
const facts = (step: number, rollouts: number): StepFacts => ({
  ...{ step, rollouts, groups: 2, values: { meanReward: step / 10 }, outcomes: {} },
  ...{ retries: { calls: 0, succeeded: 0 }, recovery: { rollouts: 0, correct: 0 } },
});
const both = (step: number, rollouts: number) => ({
  summary: summary(step, rollouts),
  facts: facts(step, rollouts),
});

const kept: ParamsOf<'warehouse.keep'>[] = [];
const started: (readonly string[])[] = [];
/** Steps in the library. Empty: it does not have the run. */
let here: readonly StepSummary[] = [];
let keeping: Error | undefined;
let isOwn = false;

function client(hasWarehouse = true, more: FakeMethods = {}) {
  const fake = createFakeClient({
    'host.info': () => ({
      ...{ version: '0', platform: 'linux', libraryPath: '/l.sqlite', uploads: '/u', wheels: '/w' },
      ...{ warnings: [], shell: 'browser', granted: [] },
      ...(hasWarehouse ? { hasWarehouse: true } : {}),
    }),
    'run.list': () => (here.length > 0 ? [RUN] : []),
    'run.get': () => RUN,
    'step.list': () => here,
    'step.series': () => ({ steps: here.map(({ step, rollouts }) => facts(step, rollouts)) }),
    'metric.list': () => ({ metrics: [] }),
    'follow.list': () => [],
    'ingest.unread': () => [],
    'view.list': () => [],
    'warehouse.runs': () =>
      hasWarehouse ? { name: 'host:8123/team', runs: [isOwn ? { ...THERE, isOwn } : THERE] } : { runs: [] },
    'warehouse.steps': ({ filter }) =>
      filter === '' ? [both(3, 10), both(4, 20), both(5, 30)] : [both(3, 4), both(5, 1)],
    'warehouse.keep': (params) => {
      kept.push(params);
      if (keeping !== undefined) throw keeping;
      return { path: '/from-warehouse/release-7', runKey: 'release-7', rollouts: 20, steps: 1 };
    },
    'ingest.start': ({ paths }) => {
      started.push(paths);
      here = [...here.filter(({ step }) => step !== 4), summary(4, 20)];
      return { jobId: 1 };
    },
    'ingest.jobs': () => (started.length > 0 ? [{ jobId: 1, state: 'done' } as IngestProgress] : []),
    ...more,
  });
  return fake;
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
  here = [];
  keeping = undefined;
  isOwn = false;
});

const page = (step?: number) => (
  <FromWarehouse
    route={
      step === undefined ? { view: 'run', runKey: 'release-7' } : { view: 'step', runKey: 'release-7', step }
    }
  >
    <p>the page</p>
  </FromWarehouse>
);

it('says how a warehouse is named if none was', async () => {
  renderWithClient(client(false), <WarehouseView />, '/warehouse');
  await screen.findByText('No warehouse has been named for this library');
});

it('lists the runs, and opens one as a run of the library', async () => {
  renderWithClient(client(), <WarehouseView />, '/warehouse');
  fireEvent.click(await screen.findByText('release-7'));
  expect(window.location.pathname).toBe('/run/release-7');
});

it('copies a step that is not here when a page of it is opened, and shows the page then', async () => {
  here = [summary(3, 10)];
  renderWithClient(client(), page(4));
  await waitFor(() => expect(kept).toMatchObject([{ run: 'release-7', steps: [4], filter: '' }]));
  await screen.findByText('the page');
  expect(started).toEqual([['/from-warehouse/release-7']]);
});

it('ends a copy when its page is left', async () => {
  const fake = client(true, { 'warehouse.keep': () => new Promise(() => undefined) });
  const signals: ({ readonly aborted: boolean } | undefined)[] = [];
  const watched: FakeClient = {
    ...fake,
    request: (method, params, options) => {
      if (method === 'warehouse.keep') signals.push(options?.signal);
      return fake.request(method, params, options);
    },
  };
  const { unmount } = renderWithClient(watched, page(4));
  await waitFor(() => expect(signals).toHaveLength(1));
  expect(signals[0]?.aborted).toBe(false);
  unmount();
  expect(signals[0]?.aborted).toBe(true);
});

it('says on a page of the whole run how many steps are here, and nothing on others', async () => {
  here = [summary(4, 20)];
  renderWithClient(client(), <PartHereNote route={{ view: 'problems', runKey: 'release-7' }} />);
  await screen.findByText(/^This page knows the 1 of 3 steps that are here\./);
  cleanup();
  renderWithClient(client(), <PartHereNote route={{ view: 'step', runKey: 'release-7', step: 4 }} />);
  expect(screen.queryByRole('note')).toBeNull();
});

it('says that the warehouse has more steps of a run from its own logs', async () => {
  here = [summary(4, 20)];
  isOwn = true;
  renderWithClient(client(), <RunView runKey="release-7" />, '/run/release-7');
  await screen.findByText(/^The warehouse has 3 steps of this run\./);
});

it('copies the last step of a run of which nothing is here', async () => {
  renderWithClient(client(), page());
  await waitFor(() => expect(kept).toMatchObject([{ run: 'release-7', steps: [5] }]));
  await screen.findByText('the page');
});

it.each([
  ['that is here', () => (here = [summary(4, 20)]), 4],
  ['of a run that is here', () => (here = [summary(4, 20)]), undefined],
  ['that is nowhere', () => (here = [summary(4, 20)]), 9],
  [
    'of a run from its own logs',
    () => {
      here = [summary(3, 10)];
      isOwn = true;
    },
    4,
  ],
])('copies nothing for a page %s', async (_, given, step) => {
  given();
  const asked: string[] = [];
  const counting = client(true, {
    'warehouse.steps': () => {
      asked.push('');
      return [both(3, 10), both(4, 20), both(5, 30)];
    },
  });
  renderWithClient(counting, page(step));
  await waitFor(() => expect(asked).toHaveLength(isOwn ? 0 : 1));
  await screen.findByText('the page');
  expect(kept).toEqual([]);
});

it('copies a step again that has grown in the warehouse', async () => {
  here = [summary(4, 15)];
  renderWithClient(client(), page(4));
  await screen.findByText('the page');
  await waitFor(() => expect(kept).toMatchObject([{ steps: [4] }]));
});

it('says that nothing is here and the warehouse does not answer, and asks once', async () => {
  let asked = 0;
  let isDown = true;
  const down = client(true, {
    'warehouse.runs': () => {
      asked += 1;
      if (isDown) throw refused('host:8123 does not answer');
      return { name: 'host:8123/team', runs: [THERE] };
    },
  });
  renderWithClient(down, page(4));
  await screen.findByText('Step 4 is not here, and the warehouse could not be asked');
  await screen.findByText('host:8123 does not answer');
  expect(asked).toBeLessThan(4);
  isDown = false;
  fireEvent.click(screen.getByText('Try again'));
  await waitFor(() => expect(kept).toMatchObject([{ steps: [4] }]));
});

it('copies a step again whose rewards were corrected in the warehouse', async () => {
  here = [{ ...summary(4, 20), meanReward: 0.3 }];
  renderWithClient(client(), page(4));
  await waitFor(() => expect(kept).toMatchObject([{ steps: [4] }]));
  await screen.findByText('the page');
});

it('copies a step again that was sent again with the same sums', async () => {
  let replacedBy: { readonly replacedBy?: string } = { replacedBy: 'second' };
  const again = client(true, {
    'warehouse.steps': () => [both(3, 10), { ...both(4, 20), ...replacedBy }],
    'ingest.start': () => {
      started.push(['4']);
      replacedBy = {};
      return { jobId: 1 };
    },
  });
  here = [summary(3, 10), summary(4, 20)];
  renderWithClient(again, page(4));
  await waitFor(() => expect(kept).toHaveLength(1));
  await screen.findByText('the page');
  expect(kept).toMatchObject([{ steps: [4] }]);
});

it('shows a copy of a step that was sent again if the warehouse then does not answer', async () => {
  let isDown = false;
  const down = client(true, {
    'warehouse.steps': () => {
      if (isDown) throw refused('host:8123 does not answer');
      return [{ ...both(4, 20), replacedBy: 'second' }];
    },
    'ingest.start': () => {
      isDown = true;
      started.push(['4']);
      return { jobId: 1 };
    },
  });
  here = [summary(4, 20)];
  renderWithClient(down, page(4));
  await waitFor(() => expect(kept).toHaveLength(1));
  await screen.findByText('the page');
  expect(kept).toHaveLength(1);
});

it('shows a copy that stays different, and does not copy it again and again', async () => {
  const differing = client(true, {
    'warehouse.steps': () => [both(4, 20), both(6, 30)],
    'ingest.start': () => {
      here = [summary(4, 20), summary(6, 29)];
      started.push(['6']);
      return { jobId: 1 };
    },
  });
  here = [summary(4, 20)];
  renderWithClient(differing, page(6));
  await screen.findByText('the page');
  await waitFor(() => expect(kept).toHaveLength(1));
  await screen.findByText('the page');
  expect(kept).toHaveLength(1);
});

it.each([
  ['a run', () => (here = []), undefined, 'Step 5'],
  ['a step of a run that is here', () => (here = [summary(3, 10)]), 4, 'Step 4'],
])('says that nothing of %s could be read, and copies it again when asked', async (_, given, step, name) => {
  given();
  let isReadable = false;
  const unreadable = client(true, {
    'ingest.start': () => {
      started.push(['copy']);
      if (isReadable) here = [...here, summary(4, 20), summary(5, 30)];
      return { jobId: 1 };
    },
  });
  renderWithClient(unreadable, page(step));
  await screen.findByText(`${name} was copied, but none of its rollouts could be read`);
  expect(screen.getByText('Issues of the sources').getAttribute('href')).toBe('/issues');
  expect(kept).toHaveLength(1);
  isReadable = true;
  fireEvent.click(screen.getByText('Try again'));
  await screen.findByText('the page');
  expect(kept).toHaveLength(2);
});

it('copies a run without steps whole', async () => {
  const whole = client(true, {
    'warehouse.runs': () => ({ name: 'host:8123/team', runs: [{ ...THERE, steps: 0 }] }),
    'warehouse.steps': () => [both(0, 60)],
    'ingest.start': () => {
      here = [summary(0, 60)];
      started.push(['all']);
      return { jobId: 1 };
    },
  });
  renderWithClient(whole, page());
  await waitFor(() => expect(kept).toHaveLength(1));
  expect(kept[0]?.steps).toBeUndefined();
  await screen.findByText('the page');
});

it('shows what is here while the warehouse does not answer', async () => {
  here = [summary(4, 20)];
  const refusing = client(true, {
    'warehouse.steps': () => {
      throw refused('host:8123 does not answer');
    },
  });
  renderWithClient(refusing, page(4));
  await screen.findByText('the page');
});

it('says on the page of a copied run that the warehouse could not be asked, and asks again', async () => {
  here = [summary(4, 20)];
  let isDown = true;
  const down = client(true, {
    'warehouse.runs': () => {
      if (isDown) throw refused('host:8123 does not answer');
      return { name: 'host:8123/team', runs: [THERE] };
    },
  });
  renderWithClient(down, <RunView runKey="release-7" />, '/run/release-7');
  await screen.findByText(/only the steps that are here are shown: host:8123 does not answer/);
  isDown = false;
  fireEvent.click(screen.getByText('Try again'));
  await screen.findByText(/^1 of 3 steps are here\./);
});

it('says why a step was not copied, and tries again', async () => {
  here = [summary(3, 10)];
  keeping = refused('the disk is full');
  renderWithClient(client(), page(4));
  await screen.findByText('the disk is full');
  keeping = undefined;
  fireEvent.click(screen.getByText('Try again'));
  await screen.findByText('the page');
});

it('counts all steps, and says which are here', async () => {
  here = [summary(4, 20)];
  renderWithClient(client(), <RunView runKey="release-7" />, '/run/release-7');
  await screen.findByText(/^1 of 3 steps are here\./);
  const grid = await screen.findByRole('grid', { name: 'Steps of release 7' });
  const rows = [...grid.querySelectorAll('[role="row"]')];
  expect(rows.map((row) => row.textContent?.slice(0, 3))).toEqual(['ste', '310', '420', '530']);
  expect(rows.map((row) => row.classList.contains('is-quiet'))).toEqual([false, true, false, true]);
});

it('shows how long the calls of all steps took, as the warehouse counts them', async () => {
  here = [summary(4, 20)];
  const asked: ParamsOf<'warehouse.latencies'>[] = [];
  const latency = { calls: 7, meanMs: 300, p50Ms: 300, p95Ms: 300, maxMs: 300, logged: 7, derived: 0 };
  const timed = client(true, {
    'warehouse.steps': () =>
      [both(3, 10), both(4, 20)].map(({ summary, facts }) => ({ summary, facts: { ...facts, latency } })),
    'run.latencies': () => {
      throw refused('only the steps here were counted');
    },
    'warehouse.latencies': (params) => {
      asked.push(params);
      const summary = { meanMs: 300, p50Ms: 300, p95Ms: 300, maxMs: 300 };
      const bins = [{ fromMs: 250, toMs: 315, logged: 7, derived: 0 }];
      return { calls: 9, known: 7, bins, summary, sources: [{ ...summary, source: 'logged', calls: 7 }] };
    },
  });
  renderWithClient(
    timed,
    <RunView runKey="release-7" />,
    '/run/release-7?tab=tools&steps=3..4&q=is_correct:false',
  );
  await screen.findByText(/^7 of 9 calls/);
  expect(asked).toMatchObject([{ run: 'release-7', from: 3, to: 4, filter: 'is_correct:false' }]);
});

it('counts all steps in the recipe, and offers solved problems of the steps here', async () => {
  here = [summary(4, 20)];
  const recipe = client(true, {
    'run.get': () => ({ ...RUN, config: { limits: { max_response_tokens: 100 } } }),
    'step.series': ({ filter = '' }) => ({ steps: [facts(4, filter.includes('>=100') ? 5 : 20)] }),
    'warehouse.steps': ({ filter = '' }) =>
      filter.includes('>=100') ? [both(3, 10)] : [both(3, 10), both(4, 20), both(5, 30)],
    'problem.solved': ({ step }) => ({ runId: 1, step, groups: 2, known: 2, solved: [] }) as never,
  });
  renderWithClient(recipe, <RunView runKey="release-7" />, '/run/release-7?tab=recipe');
  // 5 rollouts here and 10 there, of 60.
  await screen.findByText(/^≈ 25/);
  expect((await screen.findAllByRole('option')).map(({ textContent }) => textContent)).toEqual(['4']);
  await screen.findByText('of those that are here');
});

const OTHER: WarehouseRun = { ...THERE, run: 'release-8', steps: 2, last_step: 4 };

it('draws a run of the warehouse beside another one with all its steps, though nothing of it is here', async () => {
  here = [summary(4, 20)];
  const two = client(true, {
    'warehouse.runs': () => ({ name: 'host:8123/team', runs: [THERE, OTHER] }),
    'warehouse.steps': ({ run }) =>
      run === 'release-7' ? [both(3, 10), both(4, 20), both(5, 30)] : [both(3, 8), both(4, 9)],
  });
  renderWithClient(two, <RunView runKey="release-7" />, '/run/release-7?runs=release-8');
  const chart = (await screen.findByRole('slider', { name: /^Mean reward/ })).closest('figure');
  await waitFor(() =>
    expect(chart?.querySelector('.panel-reading')?.textContent).toMatch(/0\.50.*0\.40.*at 4/),
  );
  expect(screen.queryByText(/release-8 is not in this library/)).toBeNull();
});

it.each([
  [
    'does not have it',
    () => ({ name: 'host:8123/team', runs: [THERE] }),
    /^r8: only what was copied from a warehouse$/,
  ],
  [
    'does not answer',
    () => {
      throw refused('host:8123 is down');
    },
    /^r8: only what was copied from a warehouse, which could not be asked \(host:8123 is down\)$/,
  ],
])('says that a copied run is drawn in part if the warehouse %s', async (_, runs, said) => {
  here = [summary(4, 20)];
  const part = client(true, {
    'warehouse.runs': runs,
    'run.list': () => [RUN, { ...RUN, runId: 2, runKey: 'r8', directory: '/from-warehouse/r8' }],
  });
  renderWithClient(part, <RunView runKey="release-7" />, '/run/release-7?runs=r8');
  await screen.findByText(said);
});

it('offers the runs of the warehouse for comparison, with the steps that it has', async () => {
  here = [summary(4, 20)];
  const two = client(true, {
    'warehouse.runs': () => ({
      ...{ name: 'host:8123/team' },
      runs: [THERE, OTHER, { ...OTHER, run: 'release-9', steps: 7 }, { ...OTHER, run: 'own', isOwn: true }],
    }),
    'library.list': () => [],
    'run.list': () => [RUN, { ...RUN, runId: 2, runKey: 'release-9', name: 'nine', steps: 1 }],
  });
  renderWithClient(two, <RunView runKey="release-7" />, '/run/release-7');
  fireEvent.pointerDown(await screen.findByText('Compare runs'), { button: 0 });
  const items = await screen.findAllByRole('menuitemcheckbox');
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'ninetrain · 7 steps',
    'release-8train · 2 steps',
  ]);
  fireEvent.click(screen.getByText('release-8'));
  expect(new URLSearchParams(window.location.search).get('runs')).toBe('release-8');
});

it('lists rollouts of all steps by the warehouse, or those of the steps here', async () => {
  here = [summary(4, 20)];
  const asked: ParamsOf<'warehouse.rollouts'>[] = [];
  const listing = client(true, {
    'taxonomy.get': () => ({ taxonomy: { labels: [] } }) as never,
    'rollout.order': () => ({ runId: 1, ids: new Uint32Array() }),
    'warehouse.rollouts': (params) => {
      asked.push(params);
      const row = { groupKey: 'g', problemId: 'p', path: 'a.jsonl', line: 1, reward: 0.5 };
      return { matching: 60, rollouts: [3, 5].map((step, ordinal) => ({ ...row, step, ordinal })) };
    },
  });
  renderWithClient(
    listing,
    <RunView runKey="release-7" />,
    '/run/release-7?tab=rollouts&sort=-reward&right=no',
  );
  await screen.findByText(/^The first 2 of 60 matching rollouts of all steps/);
  expect(asked).toMatchObject([
    { run: 'release-7', filter: 'is_correct:false', sort: [{ by: 'reward', direction: 'descending' }] },
  ]);
  fireEvent.click(screen.getByText('Steps here'));
  await screen.findByText('No rollout passes the filters');
  fireEvent.click(screen.getByText('All steps'));
  const grid = await screen.findByRole('grid', { name: 'Rollouts of release 7' });
  fireEvent.click(grid.querySelectorAll('[role="row"]')[2] ?? grid);
  expect(window.location.pathname).toBe('/run/release-7/step/5/group/g/rollout/1');
});

it('says how far the warehouse is with a list, which can be stopped', async () => {
  here = [summary(4, 20)];
  const asked: ParamsOf<'warehouse.rollouts'>[] = [];
  const slow = client(true, {
    'taxonomy.get': () => ({ taxonomy: { labels: [] } }) as never,
    'warehouse.rollouts': (params) => {
      asked.push(params);
      return new Promise(() => undefined);
    },
  });
  renderWithClient(slow, <RunView runKey="release-7" />, '/run/release-7?tab=rollouts&right=no');
  await screen.findByText('Asking the warehouse…');
  await waitFor(() => expect(asked).toHaveLength(1));
  slow.emit({
    event: 'analysis.progress',
    payload: { progressKey: asked[0]?.progressKey ?? '', stepsDone: 0.42, steps: 1 },
  });
  await screen.findByText('Searching the rollouts… 42 %');
  fireEvent.click(screen.getByText('Stop'));
  fireEvent.click(await screen.findByText('Search again'));
  await waitFor(() => expect(asked).toHaveLength(2));
});

it('says how far the warehouse is with counting under a filter, which can be cancelled', async () => {
  here = [summary(4, 20)];
  const asked: ParamsOf<'warehouse.steps'>[] = [];
  const slow = client(true, {
    'step.series': () => ({ steps: [] }),
    'warehouse.steps': (params) => {
      if (params.filter === '') return [both(3, 10), both(4, 20)];
      asked.push(params);
      return new Promise(() => undefined);
    },
  });
  renderWithClient(slow, <RunView runKey="release-7" />, '/run/release-7?q=reward:0');
  await screen.findByText('the warehouse counts…');
  const of = asked.find(({ progressKey }) => progressKey !== undefined);
  slow.emit({
    event: 'analysis.progress',
    payload: { progressKey: of?.progressKey ?? '', stepsDone: 0.42, steps: 1 },
  });
  await screen.findByText('the warehouse counts: 42 %');
  const before = asked.length;
  fireEvent.click(screen.getByText('Cancel'));
  fireEvent.click(await screen.findByText('Compute'));
  await waitFor(() => expect(asked.length).toBeGreaterThan(before));
});

it('copies selected steps, also again', async () => {
  here = [summary(4, 20)];
  renderWithClient(client(), <RunView runKey="release-7" />, '/run/release-7');
  const grid = await screen.findByRole('grid', { name: 'Steps of release 7' });
  await screen.findByText(/^1 of 3 steps are here\./);
  fireEvent.keyDown(grid, { key: 'a', ctrlKey: true });
  fireEvent.click(await screen.findByText('Copy 3 steps here'));
  await waitFor(() => expect(kept).toMatchObject([{ run: 'release-7', steps: [3, 4, 5], filter: '' }]));
});

it('keeps what a filter chose as a run of its own', async () => {
  here = [summary(4, 20)];
  const removed: string[] = [];
  const chosen = client(true, {
    'run.list': () => [RUN, { ...RUN, runKey: 'release-7 [reward:0]' }],
    'run.remove': ({ runKey }) => {
      removed.push(runKey);
      return {} as never;
    },
    'step.series': () => ({ steps: [] }),
    'warehouse.keep': (params) => {
      kept.push(params);
      return { path: '/from-warehouse/chosen', runKey: 'release-7 [reward:0]', rollouts: 5, steps: 2 };
    },
  });
  renderWithClient(chosen, <RunView runKey="release-7" />, '/run/release-7?q=reward%3A0');
  fireEvent.click(await screen.findByText('Keep a copy of 5 rollouts'));
  await waitFor(() => expect(window.location.pathname).toBe('/run/release-7%20%5Breward%3A0%5D'));
  expect(kept).toMatchObject([{ run: 'release-7', filter: 'reward:0' }]);
  // A former copy.
  expect(removed).toEqual(['release-7 [reward:0]']);
  expect(kept[0]?.steps).toBeUndefined();
});

it.each([
  ['says why a copy failed', refused('the disk is full'), 'the disk is full'],
  ['says nothing of a copy that the user stopped', new ApiError(CANCELLED), undefined],
])('%s', async (_, error, message) => {
  here = [summary(4, 20)];
  keeping = error;
  const chosen = client(true, { 'step.series': () => ({ steps: [] }) });
  renderWithClient(chosen, <RunView runKey="release-7" />, '/run/release-7?q=reward%3A0');
  fireEvent.click(await screen.findByText('Keep a copy of 5 rollouts'));
  await waitFor(() => expect(kept).toHaveLength(1));
  await screen.findByText('Keep a copy of 5 rollouts');
  const alerts = screen.queryAllByRole('alert').map(({ textContent }) => textContent);
  expect(alerts).toEqual(message === undefined ? [] : [message]);
});
