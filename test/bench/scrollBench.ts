/**
 * The longest main-thread task while a rollout of 100 k tokens is scrolled through: by the wheel, and in leaps
 * as with the scroll bar. The floor is the same with nothing marked on the text.
 */
import type { Browser, Page } from 'playwright-core';
import { type Measurement, percentile } from './measurement.ts';

const WHEELS = 120;
/** Every tenth turn of the wheel is a leap. */
const LEAP = { each: 10, pixels: 6000 };
const PIXELS = 400;
const BUDGET_MS = 50;
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
    budget: BUDGET_MS,
    within: value <= BUDGET_MS,
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
    await settled(page);
    return await traced(page, async () => {
      await page.mouse.move(700, 500);
      for (let i = 1; i <= WHEELS; i++) {
        await page.mouse.wheel(0, i % LEAP.each === 0 ? LEAP.pixels : PIXELS);
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      }
    });
  } finally {
    await context.close();
  }
}

/** Until the page has been idle for some frames: opening is measured elsewhere. */
function settled(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let quiet = 0;
        let last = performance.now();
        const frame = (now: number): void => {
          quiet = now - last < 25 ? quiet + 1 : 0;
          last = now;
          if (quiet > 40) resolve();
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
  );
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

/** Longest task of a page's main thread meanwhile, in ms. */
async function traced(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'] },
  });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  const mains = new Set(
    events
      .filter((event) => event.name === 'thread_name' && event.args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  const tasks = events.filter(
    (event) => event.name.endsWith('RunTask') && event.ph === 'X' && mains.has(`${event.pid}:${event.tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace has no tasks of a main thread');
  return Math.max(...tasks.map(({ dur = 0 }) => dur)) / 1000;
}
