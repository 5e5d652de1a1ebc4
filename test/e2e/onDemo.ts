/** A shell with the demo run open, for one `describe`. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';
import {
  PAGE_TIMEOUT_MS,
  type RunningShell,
  type Shell,
  type TemporaryHome,
} from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { watchErrors } from './watchErrors.ts';

/** Timeout for starting a shell and opening the demo on a busy machine. */
const START_MS = 60_000;

interface Opened {
  readonly home: TemporaryHome;
  readonly running: RunningShell;
}

export interface OnDemo extends Opened {
  readonly page: Page;
  /** Errors that the page has reported so far. */
  readonly errors: string[];
  /** Another shell whose library ingests these logs; closed with this `describe`. */
  openOn(paths: readonly string[]): Promise<{ running: RunningShell; page: Page; errors: string[] }>;
}

/** Parts of a file that only read the library share a shell; each starts on a fresh page. */
const shared = new Map<Shell, Promise<Opened>>();
afterAll(async () => {
  for (const opened of shared.values()) await close(await opened);
  shared.clear();
});

const DEMO = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));

async function open(shell: Shell, prepare?: (home: TemporaryHome) => Promise<void>): Promise<Opened> {
  const home = createTemporaryHome();
  await copyDemoLibrary(home.libraryPath);
  await prepare?.(home);
  // A start without a path would open the library, not its run.
  return { home, running: await shell.open({ home, paths: [DEMO], isLazy: true }) };
}

async function close({ home, running }: Opened): Promise<void> {
  await running.close();
  home.remove();
}

function watched(running: RunningShell) {
  const { page } = running;
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  return { running, page, errors: watchErrors(page) };
}

/**
 * @param ready called once the demo is open, before the first test
 * @param prepare gives this part its own library, which it may change; runs before the shell starts
 */
export function onDemo(
  shell: Shell,
  ready: (demo: OnDemo) => void | Promise<void>,
  prepare?: (home: TemporaryHome) => Promise<void>,
): void {
  const own: Opened[] = [];

  beforeAll(async () => {
    let opened: Opened;
    if (prepare !== undefined) {
      opened = await open(shell, prepare);
      own.push(opened);
    } else {
      const others = shared.get(shell);
      const promise = others ?? open(shell);
      shared.set(shell, promise);
      opened = await promise;
      if (others !== undefined) await opened.running.startAgain();
    }
    const demo = watched(opened.running);
    const heading = demo.page.getByRole('heading', { level: 1, name: 'demo (synthetic)' });
    await heading.waitFor({ timeout: START_MS });
    const openOn = async (paths: readonly string[]) => {
      const home = createTemporaryHome();
      const running = await shell.open({ home, paths, isLazy: true });
      own.push({ home, running });
      return watched(running);
    };
    await ready({ ...demo, home: opened.home, openOn });
  });
  afterAll(async () => {
    for (const opened of own) await close(opened);
  });
}
