/**
 * A replay in a real browser: time from the click in a list of 20,000 rollouts to the first turn, on a newly opened
 * page; and number of elements and frame times while a rollout of 2,000 turns is scrolled.
 */
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startServer } from '../../electron/headless/startServer.ts';
import { createHost } from '../../electron/host/createHost.ts';
import { writeLongRollouts } from '../../fixtures/generate/longRollouts.ts';
import { writeSmallRollouts } from '../../fixtures/generate/verlDump.ts';
import { pathOfRoute } from '../../renderer/data/route.ts';
import type { ResultOf } from '../../shared/api/contract.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import { framesScrolling, mostElementsScrolling, WAYS } from './mainThread.ts';
import { type Measurement, percentile } from './measurement.ts';

const RENDERER = join(import.meta.dirname, '..', '..', 'dist', 'renderer');
const ROLLOUTS = 20_000;
const TURNS = 2_000;
const COLD_PAGES = 7;
const FIRST_TURN_MS = 250;
const MOST_ELEMENTS = 1_500;
const FRAME_MS = 25;
const ROW = '[role=grid] [role=row][aria-selected=true]';

export async function benchReplay(directory: string): Promise<Measurement[]> {
  const many = join(directory, 'many.jsonl');
  writeSmallRollouts(many, ROLLOUTS, 1);
  const long = writeLongRollouts(join(directory, 'long'), { rollouts: 1, turns: TURNS, seed: 3 });
  const host = await createHost({
    libraryPath: join(directory, 'replay.sqlite'),
    shell: 'browser',
    version: 'bench',
    isForPages: true,
  });
  await host.ingest([many, long]);
  const server = await startServer({ host, rendererDirectory: RENDERER });
  const { executablePath, env } = findChromium();
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_FLAGS],
    env: { ...process.env, ...env },
  });
  try {
    const listed = await host.dispatch('run.list', {});
    const runs = listed.ok ? (listed.value as ResultOf<'run.list'>) : [];
    const runKey = runs.find(({ rollouts }) => rollouts === ROLLOUTS)?.runKey ?? '';
    return [
      ...(await benchFirstTurn(browser, server.url, pathOfRoute({ view: 'run', runKey }))),
      ...(await benchManyTurns(browser, server.url)),
    ];
  } finally {
    await browser.close();
    await server.close();
    await host.close();
  }
}

/** Opens a new page with an empty cache for each round, and clicks as soon as there is a row. */
async function benchFirstTurn(browser: Browser, url: string, run: string): Promise<Measurement[]> {
  const times: number[] = [];
  const floors: number[] = [];
  for (let round = 0; round < COLD_PAGES; round++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForSelector('[role=grid]');
    await page.goto(new URL(`${run}?tab=rollouts`, url).href);
    await page.waitForSelector(ROW);
    times.push(await clickedUntil(page, ROW, '[data-segment]'));
    // The floor: the same click again. Code and answer are cached, so only drawing is left.
    await page.goBack();
    await page.waitForSelector(ROW);
    floors.push(await clickedUntil(page, ROW, '[data-segment]'));
    await context.close();
  }
  const [value, floor] = [percentile(times, 0.5), percentile(floors, 0.5)];
  return [
    {
      name: `a click on one of ${ROLLOUTS.toLocaleString('en')} rollouts, on a page opened just now: first turn`,
      value,
      unit: 'ms',
      floor,
      ratio: value / floor,
      budget: FIRST_TURN_MS,
      within: value <= FIRST_TURN_MS,
    },
  ];
}

async function benchManyTurns(browser: Browser, url: string): Promise<Measurement[]> {
  const results: Measurement[] = [];
  for (const way of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(url);
    await page.goto(new URL('/run/long-rollouts/step/1/group/long/rollout/0', url).href);
    await page.waitForSelector('.transcript [data-segment]');
    const frame = percentile(await framesScrolling(page, way), 0.95);
    const elements = await mostElementsScrolling(page, way);
    const name = `a rollout of ${TURNS.toLocaleString('en')} turns while scrolling (${way})`;
    results.push(
      {
        name: `${name}: p95 of a frame`,
        value: frame,
        unit: 'ms',
        budget: FRAME_MS,
        within: frame <= FRAME_MS,
      },
      {
        name: `${name}: elements in the page, the most`,
        value: elements,
        unit: 'elements',
        budget: MOST_ELEMENTS,
        within: elements <= MOST_ELEMENTS,
      },
    );
    await context.close();
  }
  return results;
}

/** @returns ms from the click to the frame that shows the selector */
function clickedUntil(page: Page, link: string, shown: string): Promise<number> {
  return page.evaluate(
    ([clicked, wanted]) =>
      new Promise<number>((resolve) => {
        const started = performance.now();
        const look = (): void => {
          if (document.querySelector(wanted ?? '') !== null)
            requestAnimationFrame(() => resolve(performance.now() - started));
          else requestAnimationFrame(look);
        };
        document.querySelector<HTMLElement>(clicked ?? '')?.click();
        requestAnimationFrame(look);
      }),
    [link, shown],
  );
}
