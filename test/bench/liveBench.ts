/**
 * Responsiveness during ingest: tasks of the page's main thread over 50 ms, and gaps in the event loop of the
 * host. Measured on the two pages that change most, the library and the run being ingested.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { writeVerlDump } from '../../fixtures/generate/verlDump.ts';
import { CHROMIUM_FLAGS, findChromium } from '../support/shells/chromium.ts';
import type { Measurement } from './measurement.ts';

const RENDERER = join(import.meta.dirname, '..', '..', 'dist', 'renderer');
const HOST = join(import.meta.dirname, 'liveHost.ts');
const MIB = 1 << 20;
const BUDGET_MS = 50;
const FILES = 14;

export async function benchLive(directory: string): Promise<Measurement[]> {
  const logs = join(directory, 'live');
  writeVerlDump(logs, 300 * MIB, { seed: 3, rolloutsPerStep: 512 });
  const child = fork(HOST, [join(directory, 'live.sqlite'), RENDERER]);
  const { url } = await answer<{ url: string }>(child);
  const { executablePath, env } = findChromium();
  const browser = await chromium.launch({
    executablePath,
    args: [...CHROMIUM_FLAGS],
    env: { ...process.env, ...env },
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(url);
    await page.waitForSelector('h1');
    const results: Measurement[] = [];
    // Ingests a first part before measuring, so that the code of the page is loaded.
    let { runKey } = await read(child, logs, 0);
    for (const [i, place] of ['library', 'run'].entries()) {
      if (place === 'run') {
        await page.goto(`${new URL(url).origin}/run/${encodeURIComponent(runKey)}`);
        await page.waitForSelector('h1');
      }
      await startWatching(page);
      const done = await read(child, logs, i + 1);
      ({ runKey } = done);
      results.push(
        result(`longest task of the page while reading, on the ${place}`, await longestTask(page)),
        result(`longest gap in the host's event loop while reading, on the ${place}`, done.longestGapMs),
      );
    }
    return results;
  } finally {
    await browser.close();
    child.disconnect();
    await once(child, 'exit');
  }
}

function result(name: string, value: number): Measurement {
  return { name, value, unit: 'ms', budget: BUDGET_MS, within: value <= BUDGET_MS };
}

function read(child: ChildProcess, logs: string, part: number) {
  const paths = Array.from({ length: FILES }, (_, i) => join(logs, `${part * FILES + i + 1}.jsonl`));
  child.send(paths);
  return answer<{ longestGapMs: number; runKey: string }>(child);
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T];
  return message;
}

/** The browser reports tasks over 50 ms by itself; shorter ones are within the budget. */
async function startWatching(page: Page): Promise<void> {
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { longTasks: tasks });
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration);
    });
    observer.observe({ type: 'longtask' });
  });
}

function longestTask(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { longTasks } = globalThis as { longTasks?: readonly number[] };
    return Math.max(0, ...(longTasks ?? []));
  });
}
