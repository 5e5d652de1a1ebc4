/**
 * From key press to paint in a real browser: from the key that opens a rollout to the frame that shows it.
 */
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { startServer } from '../../electron/headless/startServer.ts';
import { createHost } from '../../electron/host/createHost.ts';
import { writePaintLog } from '../../fixtures/generate/paintLog.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import { type Measurement, percentile } from './measurement.ts';
import { benchScroll } from './scrollBench.ts';

const RENDERER = join(import.meta.dirname, '..', '..', 'dist', 'renderer');
const ROUNDS = 6;

export async function benchPaint(directory: string): Promise<Measurement[]> {
  const log = writePaintLog(join(directory, 'paint'));
  const host = await createHost({
    libraryPath: join(directory, 'paint.sqlite'),
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
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(server.url);
    await page.waitForSelector('[role=grid], [role=table]');
    const { origin } = new URL(server.url);
    const floor = percentile(await Promise.all([paintFloor(page), paintFloor(page), paintFloor(page)]), 0.5);
    const results: Measurement[] = [];
    for (const { name, start, opens, shows, budget } of CASES) {
      await page.goto(`${origin}/run/paint/step/1${start}`);
      await page.waitForSelector('[role=row][aria-selected=true]');
      const times: number[] = [];
      // Each round opens the next row, so that nothing is cached. The first round only loads code.
      for (let round = 0; round <= ROUNDS; round++) {
        const time = await timed(page, 'Enter', opens, shows);
        if (round > 0) times.push(time);
        await page.goBack();
        await page.waitForSelector('[role=row][aria-selected=true]');
        await page.keyboard.press('j');
      }
      const value = percentile(times, 0.5);
      results.push({
        name: `click to painted: ${name}`,
        value,
        unit: 'ms',
        floor,
        ratio: value / floor,
        budget,
        within: value <= budget,
      });
    }
    const hundred = {
      url: server.url,
      place: '/run/paint/step/1/group/hundred/rollout/1',
      name: 'a 100 k-token rollout',
    };
    for (const way of ['wheel', 'leaps'] as const)
      results.push(...(await benchScroll(browser, hundred, way)));
    return results;
  } finally {
    await browser.close();
    await server.close();
    await host.close();
  }
}

const CASES = [
  {
    name: 'a 12 k-token rollout',
    start: '/group/twelve',
    opens: '/rollout/',
    shows: '[data-segment]',
    budget: 150,
  },
  {
    name: 'a 100 k-token rollout',
    start: '/group/hundred',
    opens: '/rollout/',
    shows: '[data-segment]',
    budget: 400,
  },
  {
    name: 'a group of 32',
    start: '',
    opens: '/group/',
    shows: 'body:has(h1[title]) [role=row][aria-selected=true]',
    budget: 200,
  },
];

/** From a key press that the page ignores to the next frame. */
function paintFloor(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const started = performance.now();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'F13', bubbles: true }));
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
      }),
  );
}

function timed(page: Page, key: string, place: string, selector: string): Promise<number> {
  return page.evaluate(
    ([pressed, wanted, shown]) =>
      new Promise<number>((resolve) => {
        const started = performance.now();
        const target = document.activeElement ?? document.body;
        const look = (): void => {
          if (location.pathname.includes(wanted ?? '') && document.querySelector(shown ?? '') !== null) {
            requestAnimationFrame(() => resolve(performance.now() - started));
          } else requestAnimationFrame(look);
        };
        target.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true, cancelable: true }));
        requestAnimationFrame(look);
      }),
    [key, place, selector],
  );
}
