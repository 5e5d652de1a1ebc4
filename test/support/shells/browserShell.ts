/** (a) The loopback host as `npm start -- --browser` runs it, in a real browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll } from 'vitest';
import { CHROMIUM_FLAGS, findChromium } from './chromium.ts';
import type { OpenOptions, RunningShell, Shell } from './shell.ts';

const START = fileURLToPath(new URL('../../../electron/start/start.mjs', import.meta.url));

export interface ServedHost {
  /** Includes the token in its fragment. */
  readonly url: string;
  close(): Promise<void>;
}

/** The first line on stdout is the URL; nothing else may be printed there. */
export async function serveProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ServedHost> {
  const child = spawn(process.execPath, [START, '--browser', '--no-open', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the host ended (${code}):\n${said}`)));
  });
  return {
    url,
    async close() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      if (code !== 0) throw new Error(`the host ended with ${code}:\n${said}`);
    },
  };
}

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

async function open({ paths = [], home }: OpenOptions): Promise<RunningShell> {
  const [host, opened] = await Promise.all([
    serveProcess(['--library', home.libraryPath, '--', ...paths], home.env),
    sharedBrowser(),
  ]);
  const { origin } = new URL(host.url);
  const openPage = async () => {
    const page = await opened.newPage({ viewport: { width: 1440, height: 900 } });
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
