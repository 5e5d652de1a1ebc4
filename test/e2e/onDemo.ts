/** A shell with the demo run open in it, for the length of a `describe`. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { RunningShell, Shell, TemporaryHome } from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { watchErrors } from './watchErrors.ts';

/** To start a shell, read the demo and open it, beside whatever else the machine does: what is measured is elsewhere. */
const START_MS = 30_000;

export interface OnDemo {
  readonly home: TemporaryHome;
  readonly running: RunningShell;
  readonly page: Page;
  /** What the page has reported so far. */
  readonly errors: string[];
  /** The same shell and library, started anew with these logs in place of the demo. */
  reopen(paths: readonly string[]): Promise<Omit<OnDemo, 'home' | 'reopen'>>;
}

/**
 * @param ready is told once the demo is open, before the first test
 * @param prepare before the shell starts
 */
export function onDemo(
  shell: Shell,
  ready: (demo: OnDemo) => void | Promise<void>,
  prepare?: (home: TemporaryHome) => Promise<void>,
): void {
  let home: TemporaryHome | undefined;
  let running: RunningShell | undefined;

  beforeAll(async () => {
    const made = createTemporaryHome();
    home = made;
    await prepare?.(made);
    const open = async (paths?: readonly string[]) => {
      await running?.close();
      running = await shell.open({ home: made, ...(paths === undefined ? {} : { paths }) });
      const { page } = running;
      page.setDefaultTimeout(10_000);
      return { running, page, errors: watchErrors(page) };
    };
    const demo = await open();
    const heading = demo.page.getByRole('heading', { level: 1, name: 'demo (synthetic)' });
    await heading.waitFor({ timeout: START_MS });
    await ready({ ...demo, home: made, reopen: open });
  });
  afterAll(async () => {
    await running?.close();
    home?.remove();
  });
}
