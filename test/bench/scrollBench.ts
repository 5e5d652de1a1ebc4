/**
 * The longest main-thread task while a rollout of 100 k tokens is scrolled: by the wheel, and in jumps like
 * the scroll bar, which paint thousands of pixels of text at once. The floor is the same without marks.
 */
import type { Browser, Page } from 'playwright-core';
import { BLOCK_BUDGET_MS, longestTaskScrolling, mostElementsScrolling, type WAYS } from './mainThread.ts';
import { type Measurement, percentile } from './measurement.ts';

const ROUNDS = 3;
/** The best public page has 400,000 for the same number of tokens. */
const NODES_BUDGET = 5000;
/** A larger screen shows more text; "as logged" has shorter pieces; the list has its own rows. */
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
] as const;
const VIEWS = ['rendered', 'raw', 'list of high tokens'] as const;
type View = (typeof VIEWS)[number];

interface Opened {
  /** URL of the served library, with its token. */
  readonly url: string;
  /** Path of the rollout. */
  readonly place: string;
  readonly name: string;
}

export async function benchScroll(
  browser: Browser,
  { url, place, name }: Opened,
  way: keyof typeof WAYS,
): Promise<Measurement[]> {
  const marked: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    marked.push(await scroll(browser, { url, place, way, isMarked: true }));
    bare.push(await scroll(browser, { url, place, way, isMarked: false }));
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
    ...(await benchElements(browser, { url, place, name }, way)),
  ];
}

async function benchElements(
  browser: Browser,
  { url, place, name }: Opened,
  way: keyof typeof WAYS,
): Promise<Measurement[]> {
  const results: Measurement[] = [];
  for (const viewport of SIZES) {
    for (const view of VIEWS) {
      const value = await elements(browser, { url, place, way, view, viewport });
      results.push({
        name: `elements in the page while scrolling (${way}), the most: ${name}, ${view}, ${viewport.width} × ${viewport.height}`,
        value,
        unit: 'elements',
        budget: NODES_BUDGET,
        within: value < NODES_BUDGET,
      });
    }
  }
  return results;
}

interface Counted {
  readonly url: string;
  readonly place: string;
  readonly way: keyof typeof WAYS;
  readonly view: View;
  readonly viewport: (typeof SIZES)[number];
}

async function elements(browser: Browser, { url, place, way, view, viewport }: Counted): Promise<number> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  try {
    await open(page, url, place);
    if (view === 'raw') {
      await page.keyboard.press('M');
      await page.waitForSelector('.raw-text');
    }
    if (view === 'list of high tokens') {
      await page.getByRole('button', { name: /^High \d/ }).click();
      await page.waitForSelector('.token-row');
    }
    return await mostElementsScrolling(page, way);
  } finally {
    await context.close();
  }
}

async function open(page: Page, url: string, place: string): Promise<void> {
  await page.goto(url);
  await page.goto(new URL(place, url).href);
  await page.waitForSelector('.transcript [data-segment]');
}

interface Scrolled {
  readonly url: string;
  readonly place: string;
  readonly way: keyof typeof WAYS;
  readonly isMarked: boolean;
}

async function scroll(browser: Browser, { url, place, way, isMarked }: Scrolled): Promise<number> {
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
    await open(page, url, place);
    return await longestTaskScrolling(page, way);
  } finally {
    await context.close();
  }
}
