/** (a) The loopback host as `npm start -- --browser` runs it, in a real browser. */
import { type Browser, chromium } from 'playwright-core';
import { afterAll } from 'vitest';
import { CHROMIUM_FLAGS, findChromium } from './chromium.ts';
import { serveProcess } from './serveProcess.ts';
import type { OpenOptions, RunningShell, Shell } from './shell.ts';

let browser: Promise<Browser> | undefined;

/** One browser for all parts of a test file, each in its own context. */
export function sharedBrowser(): Promise<Browser> {
  const { executablePath, env } = findChromium();
  browser ??= chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS], env: { ...process.env, ...env } });
  return browser;
}
afterAll(async () => {
  await (await browser)?.close();
  browser = undefined;
});

/** Callbacks without a time limit wait until the page is idle; this page never is. */
function neverIdle(): void {
  const request = window.requestIdleCallback.bind(window);
  window.requestIdleCallback = (callback, options) =>
    options?.timeout === undefined ? 0 : request(callback, options);
}

async function open({ paths = [], home, isLazy = false }: OpenOptions): Promise<RunningShell> {
  const [host, opened] = await Promise.all([
    serveProcess(['--library', home.libraryPath, '--', ...paths], home.env),
    sharedBrowser(),
  ]);
  const { origin } = new URL(host.url);
  const openPage = async () => {
    const page = await opened.newPage({ viewport: { width: 1440, height: 900 } });
    if (isLazy) await page.addInitScript(neverIdle);
    await page.goto(host.url);
    return page;
  };
  let page = await openPage();
  return {
    get page() {
      return page;
    },
    urlOf: (path) => new URL(path, origin).href,
    place() {
      const { pathname, search } = new URL(page.url());
      return pathname + search;
    },
    async startAgain() {
      await page.context().close();
      page = await openPage();
    },
    async close() {
      await page.context().close();
      await host.close();
    },
  };
}

export const browserShell: Shell = { name: 'browser', open };
