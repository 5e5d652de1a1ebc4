/**
 * Serial round trips between opening a page and its content, with latency added to every request, as over `ssh -L`. The
 * code of each page is loaded before, by another page of its kind.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { startServer } from '../../electron/headless/startServer.ts';
import { createHost } from '../../electron/host/createHost.ts';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import type { Measurement } from './measurement.ts';

const RENDERER = join(import.meta.dirname, '..', '..', 'dist', 'renderer');
const DEMO = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));
const LATENCY_MS = 50;
/**
 * Much longer than drawing a page. So requests that are answered before its content is shown are those that the content
 * waited for.
 */
const COUNTING_LATENCY_MS = 1_000;
const RUN = '/run/synthetic-grpo-roc-demo';

interface Asked {
  readonly method: string;
  readonly startedAt: number;
  endedAt: number;
}

interface Case {
  readonly name: string;
  readonly warmUp: string;
  readonly path: string;
  readonly shows: string;
  /** Serial round trips that the page may take. */
  readonly budget: number;
}

export async function benchTrips(directory: string): Promise<Measurement[]> {
  const host = await createHost({
    libraryPath: join(directory, 'trips.sqlite'),
    shell: 'browser',
    version: 'bench',
    isForPages: true,
  });
  await host.ingest([DEMO]);
  const asked: Asked[] = [];
  let latency = LATENCY_MS;
  const delayed = {
    ...host,
    subscribe: (listener: Parameters<typeof host.subscribe>[0]) => host.subscribe(listener),
    grant: (path: string) => host.grant(path),
    close: () => host.close(),
    async dispatch(method: string, params: unknown, signal?: AbortSignal) {
      const one: Asked = { method, startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY };
      asked.push(one);
      await new Promise((resolve) => setTimeout(resolve, latency));
      const result = await host.dispatch(method, params, signal);
      one.endedAt = performance.now();
      return result;
    },
  };
  const server = await startServer({ host: delayed, rendererDirectory: RENDERER });
  const { executablePath, env } = findChromium();
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_FLAGS],
    env: { ...process.env, ...env },
  });
  try {
    const results: Measurement[] = [];
    for (const { name, warmUp, path, shows, budget } of await casesOf(host)) {
      // A page that has been opened is not requested again, so each measurement has its own document.
      const openAfter = async (added: number): Promise<number> => {
        const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
        latency = 0;
        await page.goto(server.url);
        await page.waitForSelector('[role=grid]');
        await open(page, warmUp, shows);
        await open(page, '/', '[role=grid]');
        // Waits until the requests of the previous page have been answered.
        await page.waitForTimeout(4 * LATENCY_MS);
        asked.length = 0;
        latency = added;
        const startedAt = performance.now();
        await open(page, path, shows);
        const shownAt = performance.now();
        if (process.env['TRIPS'] !== undefined)
          for (const { method, startedAt: at } of asked)
            console.log(`${Math.round(at - startedAt)} ${method}`);
        await page.context().close();
        return shownAt - startedAt;
      };
      const shownAfter = await openAfter(LATENCY_MS);
      await openAfter(COUNTING_LATENCY_MS);
      const trips = depthOf(asked.filter(({ endedAt }) => endedAt < Number.POSITIVE_INFINITY));
      results.push(
        { name: `${name}: serial round trips`, value: trips, unit: '', budget, within: trips <= budget },
        { name: `${name}: shown with ${LATENCY_MS} ms of latency`, value: shownAfter, unit: 'ms' },
      );
    }
    return results;
  } finally {
    await browser.close();
    await server.close();
    await host.close();
  }
}

/** @returns the longest chain of requests in which each began after the previous one was answered */
function depthOf(asked: readonly Asked[]): number {
  const depths = new Map<Asked, number>();
  for (const one of [...asked].sort((a, b) => a.startedAt - b.startedAt)) {
    const before = [...depths].filter(([other]) => other.endedAt <= one.startedAt);
    depths.set(one, 1 + Math.max(0, ...before.map(([, depth]) => depth)));
  }
  return Math.max(0, ...depths.values());
}

async function open(page: Page, path: string, shows: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
  await page.waitForSelector(shows);
}

async function casesOf(host: Awaited<ReturnType<typeof createHost>>): Promise<readonly Case[]> {
  const value = async <M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> => {
    const result = await host.dispatch(method, params);
    if (!result.ok) throw new Error(result.failure.message);
    return result.value as ResultOf<M>;
  };
  const { runId } = await value('run.get', { runKey: RUN.split('/')[2] ?? '' });
  const { ids } = await value('group.order', { runId });
  const groups = await value('group.rows', { groupIds: [ids[0] ?? 0, ids.at(-1) ?? 0] });
  const [group = '', otherGroup = ''] = groups.map(
    ({ step, groupKey }) => `${RUN}/step/${step}/group/${encodeURIComponent(groupKey)}`,
  );
  const [step = '', otherStep = ''] = groups.map((row) => `${RUN}/step/${row.step}?tab=rollouts`);
  const compare = (of: string): string =>
    `/compare?lane=${encodeURIComponent(`${of}/rollout/0`)}&lane=${encodeURIComponent(`${of}/rollout/1`)}`;
  return [
    {
      name: 'rollouts of a step',
      warmUp: otherStep,
      path: step,
      shows: '[role=grid][aria-label^="Rollouts of step"] [role=row][aria-selected=true]',
      budget: 1,
    },
    {
      name: 'group',
      warmUp: otherGroup,
      path: group,
      shows: '[role=grid][aria-label^="Rollouts of"] [role=row][aria-selected=true]',
      budget: 1,
    },
    {
      name: 'replay',
      warmUp: `${otherGroup}/rollout/0`,
      path: `${group}/rollout/0`,
      shows: '[data-segment]',
      budget: 1,
    },
    { name: 'comparison', warmUp: compare(otherGroup), path: compare(group), shows: '[data-row]', budget: 1 },
  ];
}
