/**
 * A large run in a real browser: time from the command line to the first list, and the longest block of the
 * page's main thread while a list of a million rollouts is scrolled and charts are brushed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { MILLION } from '../../fixtures/generate/scaleLogs.ts';
import { writeSmallRollouts } from '../../fixtures/generate/verlDump.ts';
import { CLI } from '../support/commandLine.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import { openSocketTransport } from '../support/shells/socketTransport.ts';
import { BLOCK_BUDGET_MS, longestTask, longestTaskScrolling } from './mainThread.ts';
import { type Measurement, percentile } from './measurement.ts';
import { makeScaleLibrary } from './scaleBench.ts';

/** 100,352 rollouts. */
const HUNDRED_THOUSAND = { ...MILLION, steps: 7, groupsPerStep: 448 };
const COLD_MS = 1500;
/** From the start of reading to rollouts on the screen. */
const FIRST_MS = 1000;
/** Rollouts of 2 kB in one log. */
const UNREAD = 200_000;
const STARTS = 3;
const ROUNDS = 3;
const RUN = '/run/scale';

export async function benchBrowsing(directory: string): Promise<Measurement[]> {
  const { executablePath, env } = findChromium();
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_FLAGS],
    env: { ...process.env, ...env },
  });
  try {
    const small = await makeScaleLibrary(join(directory, 'small'), HUNDRED_THOUSAND);
    const starts: number[] = [];
    for (let start = 0; start < STARTS; start++) starts.push(await coldStart(browser, small));
    const cold = percentile(starts, 0.5);
    const logs = join(directory, 'logs.jsonl');
    writeSmallRollouts(logs, UNREAD, 1);
    const firsts: number[] = [];
    for (let start = 0; start < STARTS; start++)
      firsts.push(await coldStart(browser, join(directory, `first-${start}.sqlite`), logs));
    const first = percentile(firsts, 0.5);
    const opened: number[] = [];
    for (let start = 0; start < STARTS; start++)
      opened.push(await openedLog(browser, join(directory, `opened-${start}.sqlite`), logs));
    const fromReading = percentile(opened, 0.5);
    rmSync(logs);
    const large = await makeScaleLibrary(join(directory, 'large'), MILLION);
    return [
      {
        name: '100 k rollouts: from the command to the first list in the browser',
        value: cold,
        unit: 'ms',
        budget: COLD_MS,
        within: cold <= COLD_MS,
      },
      {
        name: `${UNREAD.toLocaleString('en')} rollouts not yet read: from the command to the first in the browser`,
        value: first,
        unit: 'ms',
        budget: COLD_MS,
        within: first <= COLD_MS,
      },
      {
        name: `${UNREAD.toLocaleString('en')} rollouts: from the start of reading to the first in an open page`,
        value: fromReading,
        unit: 'ms',
        budget: FIRST_MS,
        within: fromReading <= FIRST_MS,
      },
      ...(await blocks(browser, large)),
    ];
  } finally {
    await browser.close();
  }
}

/** @param logs read while the page opens */
async function coldStart(browser: Browser, library: string, ...logs: readonly string[]): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const started = performance.now();
  const server = await serve(library, ...logs);
  try {
    await page.goto(server.url);
    await page.waitForSelector('[role=row][aria-selected=true], [role=grid] [role=row] a');
    return performance.now() - started;
  } finally {
    await context.close();
    await stopped(server.process);
  }
}

/** The time from the start of reading, in a page with an empty library, to the run with its first rollouts. */
async function openedLog(browser: Browser, library: string, logs: string): Promise<number> {
  const server = await serve(library, '--allow', dirname(logs));
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const { port, hash } = new URL(server.url);
  const transport = await openSocketTransport({ port: Number(port), token: hash.slice('#token='.length) });
  try {
    const page = await context.newPage();
    await page.goto(server.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const started = performance.now();
    const answer = await transport.send('ingest.start', { paths: [logs] });
    if (!answer.ok) throw new Error(answer.failure.message);
    await page.waitForSelector('[role=row][aria-selected=true], [role=grid] [role=row] a');
    return performance.now() - started;
  } finally {
    await transport.close();
    await context.close();
    await stopped(server.process);
  }
}

async function blocks(browser: Browser, library: string): Promise<Measurement[]> {
  const server = await serve(library);
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(server.url);
    await page.waitForSelector('[role=grid]');
    const scrolled = (way: 'wheel' | 'leaps') =>
      median(async () => {
        await open(page, server.url, `${RUN}?tab=rollouts`);
        return await longestTaskScrolling(page, way);
      });
    const brushed = () =>
      median(async () => {
        await open(page, server.url, RUN);
        await page.waitForSelector('[role=slider][aria-label$="by step"]');
        return await longestTask(page, () => brush(page));
      });
    const measured: [string, number][] = [
      ['scrolling 1 M rollouts (wheel)', await scrolled('wheel')],
      ['scrolling 1 M rollouts (leaps)', await scrolled('leaps')],
      ['brushing the charts of 1 M rollouts', await brushed()],
    ];
    return measured.map(([name, value]) => ({
      name: `longest block while ${name}`,
      value,
      unit: 'ms',
      budget: BLOCK_BUDGET_MS,
      within: value <= BLOCK_BUDGET_MS,
    }));
  } finally {
    await stopped(server.process);
  }
}

/** The median of several rounds, because other work on the machine may delay one of them. */
async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await measure());
  return percentile(times, 0.5);
}

async function open(page: Page, url: string, path: string): Promise<void> {
  await page.goto(new URL(path, url).href);
  await page.waitForSelector('[role=row][aria-selected=true]');
}

/** Brushes across the steps and back, one step at a time, like a hand. */
async function brush(page: Page): Promise<void> {
  const chart = page.locator('[role=slider][aria-label$="by step"]').first();
  const box = await chart.boundingBox();
  if (box === null) throw new Error('the chart is not on the page');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.1, y);
  await page.mouse.down();
  for (let i = 0; i <= 120; i++) {
    await page.mouse.move(box.x + box.width * (0.1 + 0.8 * (i <= 60 ? i / 60 : 2 - i / 60)), y);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  await page.mouse.up();
}

/** Starts the application like a user, in a separate process. */
function serve(
  library: string,
  ...logs: readonly string[]
): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const child = spawn(process.execPath, [CLI, 'serve', ...logs, '--no-open', '--library', library], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /http:\/\/\S+/.exec(said)?.[0];
      if (url !== undefined) resolve({ url, process: child });
    });
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${said}`)));
  });
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
