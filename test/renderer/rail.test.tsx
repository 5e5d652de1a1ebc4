/** The rail: names, items that lead nowhere, and the choice between names and icons. */
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Route } from '../../renderer/data/route.ts';
import { Rail } from '../../renderer/shell/Rail.tsx';
import { useInterface } from '../../renderer/state/interface.ts';
import { rememberQuery } from '../../renderer/state/routeMemory.ts';
import type { IngestProgress, RunDetail, RunSummary, StepSummary } from '../../shared/api/contract.ts';
import { createFakeClient } from '../support/fakeClient.ts';
import { renderWithClient } from '../support/renderWithClient.tsx';

const client = createFakeClient({
  'issue.list': () => ({ total: 0, refused: 0, issues: [] }),
  'run.list': () => [],
});
const withRuns = (keys: readonly string[]) =>
  createFakeClient({
    'issue.list': () => ({ total: 0, refused: 0, issues: [] }),
    'run.list': () =>
      keys.map(
        (runKey, runId) => ({ runId, runKey, name: `name of ${runKey}`, hasSteps: true }) as RunSummary,
      ),
  });
const hrefs = () =>
  Object.fromEntries(
    screen
      .queryAllByRole('link', { name: /^(Run|Step|Group|Replay)$/ })
      .map((link) => [link.textContent, link.getAttribute('href')]),
  );
const show = (route: Route) => renderWithClient(client, <Rail route={route} />);

function windowIs(width: 'wide' | 'narrow'): void {
  vi.stubGlobal('matchMedia', () => ({
    matches: width === 'wide',
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}

const initial = useInterface.getState();
beforeEach(() => windowIs('wide'));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  useInterface.setState(initial, true);
});

describe('the rail', () => {
  it('names every item, and has an icon for each', () => {
    show({ view: 'group', runKey: 'r', step: 1, groupKey: 'g' });
    const rail = screen.getByRole('navigation', { name: 'Views' });
    const names = [...rail.querySelectorAll('.rail-name')].map((name) => name.textContent);
    expect(names).toEqual([
      ...['Library', 'Open logs…', 'Search', 'SQL', 'Run', 'Step', 'Group', 'Problems', 'Tokens', 'Replay'],
      ...['Compare', 'Labels', 'Issues', 'Keys', 'Settings', 'Collapse'],
    ]);
    const icons = [...rail.querySelectorAll('svg')].map((icon) => icon.innerHTML);
    expect(new Set(icons).size).toBe(names.length);
    expect(screen.getByRole('link', { name: 'Group' }).getAttribute('aria-current')).toBe('page');
    expect(screen.getByRole('link', { name: 'Step' }).getAttribute('href')).toBe('/run/r/step/1');
  });

  it('names the last comparison as such, because it may be of another run', () => {
    rememberQuery('/compare', '?lane=%2Frun%2Fother');
    try {
      show({ view: 'run', runKey: 'r' });
      expect(screen.getByRole('link', { name: 'Compared' }).getAttribute('href')).toContain('other');
      expect(screen.queryByRole('link', { name: 'Compare' })).toBeNull();
    } finally {
      rememberQuery('/compare', '');
    }
  });

  it('has Resample-on-Correct where decisions or their settings are logged, or on its page', async () => {
    const of = (decided: number, config: Readonly<Record<string, unknown>>) =>
      createFakeClient({
        'issue.list': () => ({ total: 0, refused: 0, issues: [] }),
        'run.list': () => [{ runId: 1, runKey: 'r', name: 'r', hasSteps: true } as RunSummary],
        'run.get': () => ({ runId: 1, runKey: 'r', name: 'r', config }) as RunDetail,
        'step.list': () => [{ step: 1, decided } as StepSummary],
      });
    const hasItem = async (decided: number, config: Readonly<Record<string, unknown>>, route: Route) => {
      const shown = of(decided, config);
      renderWithClient(shown, <Rail route={route} />);
      await screen.findByTitle('r');
      await act(async () => new Promise((resolve) => setTimeout(resolve)));
      const found = screen.queryByRole('link', { name: 'RoC' }) !== null;
      cleanup();
      return found;
    };
    const run: Route = { view: 'run', runKey: 'r' };
    expect(await hasItem(0, {}, run)).toBe(false);
    expect(await hasItem(0, { world_size: 8 }, run)).toBe(false);
    expect(await hasItem(4, {}, run)).toBe(true);
    expect(await hasItem(0, { augmentation: { do_down_sampling: true } }, run)).toBe(true);
    expect(await hasItem(0, {}, { view: 'roc', runKey: 'r' })).toBe(true);
  });

  it('opens logs from every page', () => {
    show({ view: 'group', runKey: 'r', step: 1, groupKey: 'g' });
    fireEvent.click(screen.getByRole('button', { name: 'Open logs…' }));
    expect(useInterface.getState().dialog).toEqual({ kind: 'openLogs' });
  });

  it('describes why an item leads nowhere, shows it on focus and says it when pressed', async () => {
    show({ view: 'run', runKey: 'r' });
    const replay = screen.getByRole('button', { name: 'Replay' });
    expect(replay.getAttribute('aria-disabled')).toBe('true');
    const why = document.getElementById(replay.getAttribute('aria-describedby') ?? '');
    expect(why?.textContent).toBe('Open a rollout first.');
    act(() => replay.focus());
    expect((await screen.findByRole('tooltip')).textContent).toContain('Open a rollout first.');
    fireEvent.click(replay);
    expect(useInterface.getState().notice).toBe('Open a rollout first.');
  });

  it('counts records and files that are missing, and names the caveats', async () => {
    const unread = (path: string) => ({ path, runIds: [1], hasAdapter: false, records: 1, bytes: 9 });
    const running = { state: 'running', paths: ['/logs/b'] } as unknown as IngestProgress;
    const some = createFakeClient({
      'issue.list': () => ({ total: 9, refused: 2, issues: [] }),
      'run.list': () => [],
      'ingest.unread': () => [unread('/logs/a/1.jsonl'), unread('/logs/b/1.jsonl')],
      'ingest.jobs': () => [running],
    });
    renderWithClient(some, <Rail route={{ view: 'library' }} />);
    const item = await screen.findByRole('link', { name: /^Issues ?3$/ });
    act(() => item.focus());
    expect((await screen.findByRole('tooltip')).textContent).toContain(
      '3 records and files not in the library or not read to the end, 7 records and files with a caveat',
    );
  });

  it('keeps the entries of the last visited run, named, on pages without a run', async () => {
    rememberQuery('/run/r/step/1/group/g', '');
    renderWithClient(withRuns(['r', 'other']), <Rail route={{ view: 'search' }} />, '/search');
    await screen.findByTitle('name of r');
    expect(hrefs()).toEqual({ Run: '/run/r', Step: '/run/r/step/1', Group: '/run/r/step/1/group/g' });
    screen.getByRole('button', { name: 'Replay' });
    cleanup();
    // The run was removed.
    renderWithClient(withRuns(['other']), <Rail route={{ view: 'search' }} />, '/search');
    await act(async () => undefined);
    expect(hrefs()).toEqual({});
  });

  it('leads to the run that the page is limited to', async () => {
    rememberQuery('/run/r/step/1/group/g', '');
    renderWithClient(withRuns(['r', 'other']), <Rail route={{ view: 'search' }} />, '/search?run=other');
    await screen.findByTitle('name of other');
    expect(hrefs()).toEqual({ Run: '/run/other' });
  });

  it('leads to the first rollout of an open comparison', async () => {
    rememberQuery('/run/r/step/1/group/g', '');
    const lanes = (...paths: string[]) => `/compare?${paths.map((path) => `lane=${path}`).join('&')}`;
    const of = (runKey: string) => `/run/${runKey}/step/4/group/p/rollout/2`;
    const show = (href: string) =>
      renderWithClient(withRuns(['r', 'other']), <Rail route={{ view: 'compare' }} />, href);
    show(lanes(of('other'), of('r')));
    await screen.findByTitle('name of other');
    const step = '/run/other/step/4';
    expect(hrefs()).toEqual({
      ...{ Run: '/run/other', Step: step, Group: `${step}/group/p`, Replay: of('other') },
    });
    cleanup();
    // The run of the link is not in this library.
    show(lanes(of('gone'), of('r')));
    await screen.findByTitle('name of r');
    expect(hrefs()).toMatchObject({ Run: '/run/r', Step: '/run/r/step/1' });
  });

  it('shows icons alone in a narrow window until the user chooses names', () => {
    windowIs('narrow');
    show({ view: 'library' });
    const isNamed = () => screen.getByRole('navigation', { name: 'Views' }).classList.contains('is-named');
    expect(isNamed()).toBe(false);
    fireEvent.click(screen.getByRole('button', { name: 'Expand sidebar' }));
    expect(isNamed()).toBe(true);
    expect(JSON.parse(localStorage.getItem('turnwise.interface') ?? '').state.isRailNamed).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: 'Collapse sidebar' }));
    cleanup();
    windowIs('wide');
    show({ view: 'library' });
    expect(isNamed()).toBe(false);
  });
});
