/** The longest block of a page's main thread, from the browser's own trace. */
import type { Page } from 'playwright-core';

/** A longer block is a noticeable dropped frame. */
export const BLOCK_BUDGET_MS = 50;

const TURNS = 120;
/** Scroll distance per frame: a continuous wheel, and a scroll bar that jumps every tenth frame. */
export const WAYS = {
  wheel: { pixels: 400, leap: 400 },
  leaps: { pixels: 400, leap: 6000 },
} as const;
const LEAP_EACH = 10;

/**
 * Scrolls under the middle of the page, frame by frame.
 * @returns the longest task, in ms
 */
export async function longestTaskScrolling(page: Page, way: keyof typeof WAYS): Promise<number> {
  await settled(page);
  return await traced(page, () => scrollThrough(page, way));
}

/** @returns the longest task during the work, in ms */
export async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  await settled(page);
  return await traced(page, work);
}

/**
 * Scrolls the same way without timing, because counting takes time.
 * @returns the maximum number of elements in the page in any frame
 */
export async function mostElementsScrolling(page: Page, way: keyof typeof WAYS): Promise<number> {
  await settled(page);
  let most = await countElements(page);
  await scrollThrough(page, way, async () => {
    most = Math.max(most, await countElements(page));
  });
  await settled(page);
  return Math.max(most, await countElements(page));
}

/** @returns ms of each frame while the page is scrolled */
export async function framesScrolling(page: Page, way: keyof typeof WAYS): Promise<readonly number[]> {
  await settled(page);
  const recorded = page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const frames: number[] = [];
        let last = performance.now();
        addEventListener('bench-end', () => resolve(frames), { once: true });
        const frame = (now: number): void => {
          frames.push(now - last);
          last = now;
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
  );
  await scrollThrough(page, way);
  await page.evaluate(() => dispatchEvent(new Event('bench-end')));
  return await recorded;
}

function countElements(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length);
}

async function scrollThrough(
  page: Page,
  way: keyof typeof WAYS,
  eachFrame?: () => Promise<void>,
): Promise<void> {
  const { pixels, leap } = WAYS[way];
  const { width, height } = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.mouse.move(width / 2, height / 2);
  for (let i = 1; i <= TURNS; i++) {
    await page.mouse.wheel(0, i % LEAP_EACH === 0 ? leap : pixels);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await eachFrame?.();
  }
}

/** Waits until the page has been idle for some frames, because opening is measured elsewhere. */
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
