/**
 * The longest main-thread task while a rollout of 100 k tokens is scrolled through: by the wheel, and in leaps
 * as with the scroll bar. The floor is the same with nothing marked on the text.
 */
import type { Browser } from 'playwright-core';
import { BLOCK_BUDGET_MS, longestTaskScrolling } from './mainThread.ts';
import { type Measurement, percentile } from './measurement.ts';

const ROUNDS = 3;

/** @param url of the served library, with its token; @param place of the rollout */
export async function benchScroll(
  browser: Browser,
  { url, place, name }: { readonly url: string; readonly place: string; readonly name: string },
): Promise<Measurement> {
  const marked: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    marked.push(await longestTask(browser, url, place, true));
    bare.push(await longestTask(browser, url, place, false));
  }
  const value = percentile(marked, 0.5);
  const floor = percentile(bare, 0.5);
  return {
    name: `longest block while scrolling: ${name}`,
    value,
    unit: 'ms',
    floor,
    ratio: value / floor,
    budget: BLOCK_BUDGET_MS,
    within: value <= BLOCK_BUDGET_MS,
  };
}

async function longestTask(browser: Browser, url: string, place: string, isMarked: boolean): Promise<number> {
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
    return await longestTaskScrolling(page);
  } finally {
    await context.close();
  }
}
