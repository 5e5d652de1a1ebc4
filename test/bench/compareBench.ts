/**
 * Comparisons in a real browser: from the link to the rows, and the longest block while scrolling through them.
 * The floor of opening is the page of one of the rollouts' group.
 */
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { startServer } from '../../electron/headless/startServer.ts';
import { createHost } from '../../electron/host/createHost.ts';
import { writeLongRollouts } from '../../fixtures/generate/longRollouts.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import { BLOCK_BUDGET_MS, longestTaskScrolling } from './mainThread.ts';
import { type Measurement, percentile } from './measurement.ts';

const RENDERER = join(import.meta.dirname, '..', '..', 'dist', 'renderer');
const TURNS = 2000;
const ROUNDS = 5;
const OPEN_BUDGET_MS = 1000;
const GROUP = '/run/long-rollouts/step/1/group/long';
const PAIR = `/compare?lane=${encodeURIComponent(`${GROUP}/rollout/0`)}&lane=${encodeURIComponent(`${GROUP}/rollout/1`)}`;

export async function benchCompare(directory: string): Promise<Measurement[]> {
  const log = writeLongRollouts(join(directory, 'long'), { rollouts: 2, turns: TURNS, seed: 3 });
  const host = await createHost({
    libraryPath: join(directory, 'compare.sqlite'),
    shell: 'browser',
    version: 'bench',
  });
  await host.ingest([log]);
  const server = await startServer({ host, rendererDirectory: RENDERER });
  const { executablePath, env } = findChromium();
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_FLAGS],
    env: { ...process.env, ...env },
  });
  try {
    const opened: number[] = [];
    const floors: number[] = [];
    const blocks: number[] = [];
    // The first round loads code and warms the host up.
    for (let round = 0; round <= ROUNDS; round++) {
      const floor = await visit(browser, server.url, {
        place: GROUP,
        shows: '[role=row][aria-selected=true]',
      });
      const pair = await visit(browser, server.url, { place: PAIR, shows: '[data-row]' }, blocks);
      if (round === 0) blocks.length = 0;
      else {
        floors.push(floor);
        opened.push(pair);
      }
    }
    const [value, floor] = [percentile(opened, 0.5), percentile(floors, 0.5)];
    const block = percentile(blocks, 0.5);
    return [
      {
        name: `link to painted: two rollouts of ${TURNS} turns side by side`,
        value,
        unit: 'ms',
        floor,
        ratio: value / floor,
        budget: OPEN_BUDGET_MS,
        within: value <= OPEN_BUDGET_MS,
      },
      {
        name: 'longest block while scrolling through them',
        value: block,
        unit: 'ms',
        budget: BLOCK_BUDGET_MS,
        within: block <= BLOCK_BUDGET_MS,
      },
    ];
  } finally {
    await browser.close();
    await server.close();
    await host.close();
  }
}

/** A page of its own, so that nothing is cached in it. @returns ms from the link to the frame that shows it */
async function visit(
  browser: Browser,
  url: string,
  { place, shows }: { readonly place: string; readonly shows: string },
  blocks?: number[],
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForSelector('[role=grid], [role=table]');
    const took = await page.evaluate(
      ([link, wanted]) =>
        new Promise<number>((resolve) => {
          const started = performance.now();
          const look = (): void => {
            if (document.querySelector(wanted ?? '') !== null)
              requestAnimationFrame(() => resolve(performance.now() - started));
            else requestAnimationFrame(look);
          };
          history.pushState(undefined, '', link);
          dispatchEvent(new PopStateEvent('popstate'));
          requestAnimationFrame(look);
        }),
      [place, shows],
    );
    if (blocks !== undefined) blocks.push(await longestTaskScrolling(page));
    return took;
  } finally {
    await context.close();
  }
}
