/** Opening and closing windows, and the ways in which the desktop application ends. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeOtherLibrary, OTHER_ID } from '../contract/twoLibraries.ts';
import type { Mutation } from '../support/electron-double/mutation.ts';
import { openElectronDouble, type RunningElectron } from '../support/shells/electronShell.ts';
import { writeHostileLog } from '../support/shells/hostileLog.ts';
import type { TemporaryHome } from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';

/** Simulates macOS, where the application keeps running without a window. */
const STAYS_OPEN: Mutation = {
  file: 'main/main.ts',
  from: "process.platform !== 'darwin'",
  to: 'false',
};
const CLOSE = 'await Promise.all([...this.open.values()].map(({ host }) => host.close()));';

let home: TemporaryHome;
let running: RunningElectron;
let child: ChildProcess;
let log: string;

async function start(...mutations: Mutation[]): Promise<void> {
  running = await openElectronDouble({
    home: { ...home, env: { ...home.env, TURNWISE_DOUBLE_RELAUNCHES: join(home.directory, 'relaunches') } },
    paths: [log],
    mutations,
  });
  child = running.app.process();
}

beforeEach(() => {
  home = createTemporaryHome();
  log = writeHostileLog(home.directory);
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) await running.close();
  home.remove();
});

test('opens a window for a file, a start and the menu when there is none', async () => {
  await start(STAYS_OPEN);
  const open = await running.app.evaluate(async ({ app, BrowserWindow, dialog, Menu }, path) => {
    const count = () => BrowserWindow.getAllWindows().length;
    const until = async (wanted: number): Promise<number> => {
      for (let tries = 0; tries < 400 && count() !== wanted; tries++)
        await new Promise((resolve) => setTimeout(resolve, 50));
      return count();
    };
    const errors: string[] = [];
    dialog.showErrorBox = (title) => void errors.push(title);
    const close = () => {
      for (const window of BrowserWindow.getAllWindows()) window.close();
      return until(0);
    };
    const counts: number[] = [await close()];
    app.emit('open-file', { preventDefault: () => undefined }, path);
    counts.push(await until(1), await close());
    app.emit('second-instance', {}, [], '/', { paths: [] });
    app.emit('activate');
    // Closes the window while it loads.
    counts.push(count(), await close());
    Menu.getApplicationMenu()?.getMenuItemById('place.library')?.click();
    counts.push(await until(1));
    return { counts, errors };
  }, log);
  expect(open).toEqual({ counts: [0, 1, 0, 1, 0, 1], errors: [] });
});

test('shows a library that the system gives, at the start and later', async () => {
  const library = await makeOtherLibrary(home.directory);
  running = await openElectronDouble({ home, paths: [library] });
  child = running.app.process();
  await expect.poll(() => running.place()).toBe(`/in/${OTHER_ID}`);
  await running.page.getByRole('grid', { name: 'Runs' }).waitFor();
  await running.page.goto(running.urlOf('/in/home/sql'));
  await running.page.getByRole('heading', { name: 'SQL', exact: true }).waitFor();
  await running.app.evaluate(({ app }, path) => {
    app.emit('open-file', { preventDefault: () => undefined }, path);
    app.emit('second-instance', {}, [], '/', { paths: [path] });
  }, library);
  await expect.poll(() => running.place()).toBe(`/in/${OTHER_ID}`);
  await running.page.getByRole('grid', { name: 'Runs' }).waitFor();
});

test('closes once, however often it is told to, and starts again for paths that came meanwhile', async () => {
  const marker = join(home.directory, 'closed');
  await start({
    file: 'host/libraryManager.ts',
    from: CLOSE,
    to: `await new Promise((resolve) => setTimeout(resolve, 1500)); ${CLOSE}
      (await import('node:fs')).writeFileSync(${JSON.stringify(marker)}, '');`,
  });
  const exit = once(child, 'exit');
  await running.app.evaluate(({ app }, path) => {
    setTimeout(() => app.quit(), 50);
    setTimeout(() => app.quit(), 300);
    setTimeout(() => app.emit('second-instance', {}, [], '/', { paths: [path] }), 400);
  }, log);
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal);
  expect(await exit).toEqual([0, null]);
  expect(readFileSync(marker, 'utf8')).toBe('');
  const [again, ...more] = JSON.parse(readFileSync(join(home.directory, 'relaunches'), 'utf8')) as string[][];
  expect(more).toEqual([]);
  expect(again?.slice(-3)).toEqual([`--library=${home.libraryPath}`, '--', log]);
});

test('ends although a thread hangs', async () => {
  await start(
    { file: 'host/libraryManager.ts', from: CLOSE, to: 'await new Promise(() => {});' },
    { file: 'main/main.ts', from: 'CLOSE_WITHIN_MS = 15_000', to: 'CLOSE_WITHIN_MS = 500' },
    // A killed double would leave its Chromium behind.
    { file: 'main/main.ts', from: "process.kill(process.pid, 'SIGKILL')", to: 'app.exit(9)' },
  );
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([9, null]);
});

test('ends although the writer has died', async () => {
  const from = 'if (opened !== undefined) serveLibrary(opened.db, opened.writer);';
  const crash = "setTimeout(() => { throw new Error('the writer crashes'); }, 1500);";
  await start({ file: 'worker/writer.ts', from, to: `${from} ${crash}` });
  await running.page.waitForTimeout(2_000);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
