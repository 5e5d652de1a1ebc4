/**
 * (b) and (c): electron/main and electron/preload, driven through Playwright's Electron API, on the double or
 * on real Electron. Only the executable differs.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication } from 'playwright-core';
import type { Mutation } from '../electron-double/mutation.ts';
import type { OpenOptions, RunningShell, Shell, TemporaryHome } from './shell.ts';

// Plain JavaScript, so it is loaded by URL and typed here.
const { findElectron } = (await import(
  new URL('../../../electron/start/electronBinary.mjs', import.meta.url).href
)) as { findElectron(root: string): string | undefined };

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const REGISTER = join(ROOT, 'test', 'support', 'electron-double', 'register.ts');
const BUNDLE = join(ROOT, 'dist', 'electron', 'main.js');
/** Mutations change sources. */
const SOURCES = join(ROOT, 'electron', 'main', 'main.ts');
const APP_URL = 'app://bundle/';
/** URL of the double's page inside Chromium; see electron-double/contents.ts. */
const HOSTED_URL = 'http://bundle.app.localhost/';

export interface RunningElectron extends RunningShell {
  readonly app: ElectronApplication;
}

export interface ElectronOptions extends OpenOptions {
  /** Mutations of the application that a test must detect. */
  readonly mutations?: readonly Mutation[];
  /** Directory of the application. Default: this repository. */
  readonly root?: string;
}

/** An executable that Playwright accepts as Electron. Playwright's switches end with the debugging port. */
function writeLauncher(home: TemporaryHome, main: string): string {
  const path = join(home.directory, 'electron-double.sh');
  const script = [
    '#!/bin/sh',
    'while [ "$1" != "--remote-debugging-port=0" ]; do shift; done',
    'shift 2', // that switch, and the application's directory
    `exec '${process.execPath}' --import '${REGISTER}' '${main}' "$@"`,
  ];
  writeFileSync(path, `${script.join('\n')}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function launch(
  executablePath: string,
  baseUrl: string,
  { home, paths = [], mutations = [], root = ROOT }: ElectronOptions,
): Promise<RunningElectron> {
  const app = await _electron.launch({
    executablePath,
    args: [root, `--library=${home.libraryPath}`, '--', ...paths],
    cwd: ROOT,
    env: {
      ...(process.env as Record<string, string>),
      ...home.env,
      TURNWISE_DOUBLE_MUTATIONS: JSON.stringify(mutations),
    },
    timeout: 45_000,
  });
  if (process.env.TURNWISE_E2E_LOG) app.process().stderr?.pipe(process.stderr);
  const page = await app.firstWindow();
  await page.waitForURL((url) => url.href.startsWith(baseUrl));
  return {
    app,
    page,
    urlOf: (path) => new URL(path.replace(/^\//, ''), baseUrl).href,
    place() {
      const { pathname, search } = new URL(page.url());
      return pathname + search;
    },
    async startAgain() {
      await page.evaluate(() => {
        localStorage.clear();
        sessionStorage.clear();
      });
      await page.goto(baseUrl);
    },
    close: () => app.close(),
  };
}

export function openElectronDouble(options: ElectronOptions): Promise<RunningElectron> {
  const main = options.mutations === undefined ? BUNDLE : SOURCES;
  return launch(writeLauncher(options.home, main), HOSTED_URL, options);
}

export const electronDoubleShell: Shell = { name: 'electron double', open: openElectronDouble };

/** Playwright delays `ready` until it is connected. */
export function openElectron(binary: string, options: ElectronOptions): Promise<RunningElectron> {
  return launch(binary, APP_URL, options);
}

/** The shell, or the reason why there is none: no Electron binary, or no display. */
export function findElectronShell(): Shell | { readonly reason: string } {
  const binary = findElectron(ROOT);
  if (binary === undefined) return { reason: 'no binary' };
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return { reason: 'no display' };
  return { name: 'electron', open: (options) => openElectron(binary, options) };
}
