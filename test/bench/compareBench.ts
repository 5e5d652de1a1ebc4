/**
 * Comparisons in a real browser: time from the link to the rows, and the longest block while scrolling. The
 * floor of opening is the page of their group.
 */
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
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
const laneOf = (ordinal: number): string => `lane=${encodeURIComponent(`${GROUP}/rollout/${ordinal}`)}`;

export async function benchCompare(directory: string): Promise<Measurement[]> {
  const log = writeLongRollouts(join(directory, 'long'), {
    rollouts: 2 * (ROUNDS + 1),
    turns: TURNS,
    seed: 3,
  });
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
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(server.url);
    await page.waitForSelector('[role=grid], [role=table]');
    // Each round opens two other rollouts, so that nothing is cached. The first round only loads code.
    for (let round = 0; round <= ROUNDS; round++) {
      const floor = await timeTo(page, GROUP, '[role=row][aria-selected=true]');
      const link = `/compare?${laneOf(2 * round)}&${laneOf(2 * round + 1)}`;
      const took = await timeTo(page, link, '[data-row]');
      if (round === 0) continue;
      floors.push(floor);
      opened.push(took);
      blocks.push(await longestTaskScrolling(page, 'wheel'));
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

/** @returns ms from the link to the frame that shows the selector */
function timeTo(page: Page, place: string, selector: string): Promise<number> {
  return page.evaluate(
    ([link, wanted]) =>
      new Promise<number>((resolve) => {
        const started = performance.now();
        const look = (): void => {
          if (location.pathname + location.search === link && document.querySelector(wanted ?? '') !== null)
            requestAnimationFrame(() => resolve(performance.now() - started));
          else requestAnimationFrame(look);
        };
        history.pushState(undefined, '', link);
        dispatchEvent(new PopStateEvent('popstate'));
        requestAnimationFrame(look);
      }),
    [place, selector],
  );
}
