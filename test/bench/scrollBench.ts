/**
 * The longest main-thread task while a rollout of 100 k tokens is scrolled through: by the wheel, and in leaps
 * as with the scroll bar, which paint thousands of pixels of text at once. The floor is the same with nothing marked.
 */
import type { Browser } from 'playwright-core';
import { BLOCK_BUDGET_MS, longestTaskScrolling, type WAYS } from './mainThread.ts';
import { type Measurement, percentile } from './measurement.ts';

const ROUNDS = 3;

/** @param url of the served library, with its token; @param place of the rollout */
export async function benchScroll(
  browser: Browser,
  { url, place, name }: { readonly url: string; readonly place: string; readonly name: string },
  way: keyof typeof WAYS,
): Promise<Measurement> {
  const marked: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    marked.push(await longestTask(browser, { url, place, way, isMarked: true }));
    bare.push(await longestTask(browser, { url, place, way, isMarked: false }));
  }
  const value = percentile(marked, 0.5);
  const floor = percentile(bare, 0.5);
  return {
    name: `longest block while scrolling (${way}): ${name}`,
    value,
    unit: 'ms',
    floor,
    ratio: value / floor,
    budget: BLOCK_BUDGET_MS,
    within: value <= BLOCK_BUDGET_MS,
  };
}

interface Scrolled {
  readonly url: string;
  readonly place: string;
  readonly way: keyof typeof WAYS;
  readonly isMarked: boolean;
}

async function longestTask(browser: Browser, { url, place, way, isMarked }: Scrolled): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  try {
    if (!isMarked) {
      await page.addInitScript(() => {
        HighlightRegistry.prototype.set = function nothing() {
          return this;
        };
      });
    }
    await page.goto(url);
    await page.goto(new URL(place, url).href);
    await page.waitForSelector('.transcript [data-segment]');
    return await longestTaskScrolling(page, way);
  } finally {
    await context.close();
  }
}
