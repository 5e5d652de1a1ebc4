/**
 * The longest main-thread task while a rollout of 100 k tokens is scrolled through: by the wheel, and in leaps
 * as with the scroll bar, which paint thousands of pixels of text at once. The floor is the same with nothing marked.
 */
import type { Browser, Page } from 'playwright-core';
import { BLOCK_BUDGET_MS, longestTaskScrolling, type WAYS } from './mainThread.ts';
import { type Measurement, percentile } from './measurement.ts';

const ROUNDS = 3;
/** The best public page has 400,000 for as many tokens. */
const NODES_BUDGET = 5000;

/** @param url of the served library, with its token; @param place of the rollout */
export async function benchScroll(
  browser: Browser,
  { url, place, name }: { readonly url: string; readonly place: string; readonly name: string },
  way: keyof typeof WAYS,
): Promise<Measurement[]> {
  const marked: number[] = [];
  let nodes = 0;
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const scrolled = await scroll(browser, { url, place, way, isMarked: true });
    marked.push(scrolled.longest);
    nodes = Math.max(nodes, scrolled.nodes);
    bare.push((await scroll(browser, { url, place, way, isMarked: false })).longest);
  }
  const value = percentile(marked, 0.5);
  const floor = percentile(bare, 0.5);
  return [
    {
      name: `longest block while scrolling (${way}): ${name}`,
      value,
      unit: 'ms',
      floor,
      ratio: value / floor,
      budget: BLOCK_BUDGET_MS,
      within: value <= BLOCK_BUDGET_MS,
    },
    {
      name: `elements in the page before and behind scrolling (${way}), the most: ${name}`,
      value: nodes,
      unit: 'nodes',
      budget: NODES_BUDGET,
      within: nodes < NODES_BUDGET,
    },
  ];
}

interface Scrolled {
  readonly url: string;
  readonly place: string;
  readonly way: keyof typeof WAYS;
  readonly isMarked: boolean;
}

async function scroll(
  browser: Browser,
  { url, place, way, isMarked }: Scrolled,
): Promise<{ readonly longest: number; readonly nodes: number }> {
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
    const before = await countNodes(page);
    const longest = await longestTaskScrolling(page, way);
    return { longest, nodes: Math.max(before, await countNodes(page)) };
  } finally {
    await context.close();
  }
}

function countNodes(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length);
}
