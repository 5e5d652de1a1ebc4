/** Features of the desktop only: dialogs, menu, dropped files, a second instance, remembered windows. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeOtherLibrary, OTHER_ID } from '../contract/twoLibraries.ts';
import { openElectronDouble, type RunningElectron } from '../support/shells/electronShell.ts';
import { HOSTILE_RUN, writeHostileLog } from '../support/shells/hostileLog.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { startSmallWarehouse } from '../support/smallWarehouse.ts';

const home = createTemporaryHome();
let running: RunningElectron;
let log: string;

beforeAll(async () => {
  log = writeHostileLog(home.directory);
  running = await openElectronDouble({ home });
  await running.page.getByRole('heading', { level: 1, name: 'demo (synthetic)' }).waitFor();
});
afterAll(async () => {
  await running?.close();
  home.remove();
});

interface Bridge {
  request(
    id: number,
    method: string,
    params: unknown,
  ): Promise<{ ok: boolean; value: unknown; failure: { code: string } }>;
  pathOf(file: File): string;
}

let lastId = 2_000_000;
function request(
  method: string,
  params: unknown,
): Promise<{ ok: boolean; value: unknown; failure: { code: string } }> {
  lastId += 1;
  return running.page.evaluate(
    ([id, name, given]) =>
      Promise.race([
        (window as unknown as { turnwise: Bridge }).turnwise.request(id, name, given),
        new Promise<never>((_, reject) => setTimeout(() => reject(new Error(`${name}: no answer`)), 30_000)),
      ]),
    [lastId, method, params] as const,
  );
}

const runKeys = async (): Promise<string[]> =>
  ((await request('run.list', {})).value as { runKey: string }[]).map(({ runKey }) => runKey);

test('the menu sends its command to the page', async () => {
  await running.app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('keys.show')?.click());
  const help = running.page.getByRole('dialog', { name: 'Keys' });
  await help.waitFor();
  await running.page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
});

test('the menu copies without a key or click in the page', async () => {
  const state = await running.page.evaluate(
    async () => (await navigator.permissions.query({ name: 'clipboard-write' as PermissionName })).state,
  );
  expect(state).toBe('granted');
  await running.page.evaluate(() => {
    document.execCommand = () => false; // needs a user gesture
    const write = navigator.clipboard.writeText.bind(navigator.clipboard);
    navigator.clipboard.writeText = (text) => {
      document.title = text;
      return write(text);
    };
  });
  await running.app.evaluate(({ Menu }) =>
    Menu.getApplicationMenu()?.getMenuItemById('place.copyLink')?.click(),
  );
  await running.page.getByText('Link copied').waitFor();
  const copied = await running.page.title();
  expect(copied).toMatch(/^\/run\//);
  await running.page.goto(running.urlOf('/sql'));
  // The palette opens from the editor, too, which takes the focus when it is loaded.
  await expect.poll(() => running.page.locator('.monaco-editor.focused').count()).toBe(1);
  await running.page.keyboard.press('ControlOrMeta+k');
  await running.page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill(copied);
  await running.page.getByRole('option', { name: /^Open \/run/, selected: true }).waitFor();
  await running.page.keyboard.press('Enter');
  await expect.poll(() => running.place()).toBe(copied);
});

test('a path that the user did not choose is refused', async () => {
  expect(await request('ingest.start', { paths: [log] })).toMatchObject({
    ok: false,
    failure: { code: 'not_granted' },
  });
  expect(await request('grant', { path: log })).toMatchObject({
    ok: false,
    failure: { code: 'unknown_method' },
  });
});

test('a dropped file is granted by its path, and ingested', async () => {
  await running.app.evaluate(({ BrowserWindow }, path) => {
    const [window] = BrowserWindow.getAllWindows();
    const contents = window?.webContents as unknown as { placeFiles(paths: object): Promise<void> };
    return contents.placeFiles({ 'dropped.jsonl': path });
  }, log);
  const path = await running.page.evaluate(() =>
    (window as unknown as { turnwise: Bridge }).turnwise.pathOf(new File([], 'dropped.jsonl')),
  );
  expect(path).toBe(log);
  expect(await request('ingest.start', { paths: [path] })).toMatchObject({ ok: true });
  await expect.poll(runKeys).toContain(HOSTILE_RUN);
  const recent = await running.app.evaluate(
    ({ app }) => (app as unknown as { recentDocuments: string[] }).recentDocuments,
  );
  expect(recent).toContain(log);
});

test('what the dialog returns is granted', async () => {
  const other = join(home.directory, 'chosen');
  await running.app.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] });
  }, home.directory);
  expect(await request('shell.openDialog', { kind: 'directory' })).toMatchObject({
    value: { paths: [home.directory] },
  });
  const info = (await request('host.info', {})).value as { granted: string[]; shell: string };
  expect(info.shell).toBe('desktop');
  expect(info.granted).toContain(home.directory);
  expect(info.granted).not.toContain(other);
});

test('a library chosen in the dialog opens beside the first, from the menu', async () => {
  const elsewhere = createTemporaryHome();
  try {
    const path = await makeOtherLibrary(elsewhere.directory);
    expect(await request('library.open', { path })).toMatchObject({ failure: { code: 'not_granted' } });
    await running.app.evaluate(({ dialog, Menu }, chosen) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
      Menu.getApplicationMenu()?.getMenuItemById('library.open')?.click();
    }, path);
    await expect.poll(() => running.place()).toBe(`/in/${OTHER_ID}`);
    await running.page.getByRole('grid', { name: 'Runs' }).waitFor();
    expect(await request('library.close', { id: OTHER_ID })).toMatchObject({ value: { closed: true } });
    await running.page.goto(running.urlOf('/in/home/'));
  } finally {
    elsewhere.remove();
  }
});

describe('a warehouse', () => {
  let warehouse: Awaited<ReturnType<typeof startSmallWarehouse>>;
  let address: string;
  beforeAll(async () => {
    warehouse = await startSmallWarehouse();
    address = warehouse.address;
  });
  afterAll(() => warehouse.close());

  const openDialog = async (): Promise<Page> => {
    // The menu asks the page.
    await running.page.getByRole('grid', { name: 'Runs' }).waitFor();
    const dialog = running.app.waitForEvent('window');
    await running.app.evaluate(({ Menu }) =>
      Menu.getApplicationMenu()?.getMenuItemById('warehouse.open')?.click(),
    );
    const page = await dialog;
    await page.getByRole('heading', { name: 'Open a warehouse' }).waitFor();
    return page;
  };

  test('opens by a dialog that the page cannot fill in', async () => {
    const dialog = await openDialog();
    await dialog.evaluate(
      readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
    );
    const violations = await dialog.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(): Promise<AxeResults> } };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
    expect(violations).toEqual([]);
    expect(await dialog.evaluate(() => 'turnwise' in window)).toBe(false);
    await dialog.getByLabel('Address').fill(address);
    await dialog.getByLabel('User').fill('ann');
    await dialog.getByLabel('Password').fill('wrong');
    await dialog.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('refused the user ann', { exact: false }).waitFor();
    expect(await dialog.getByLabel('Address').inputValue()).toBe(address);
    expect(await dialog.getByLabel('Password').inputValue()).toBe('');
    await dialog.getByLabel('Password').fill('right');
    await dialog.getByRole('button', { name: 'Open' }).click();
    await running.page.getByRole('grid', { name: 'Runs of the warehouse' }).getByText('far').waitFor();
    expect(running.place()).toMatch(/^\/in\/127\.0\.0\.1-\d+-team\/warehouse$/);
    expect(dialog.isClosed()).toBe(true);
    // Nothing of it reaches a page but the name of the warehouse.
    const libraries = JSON.stringify((await request('library.list', {})).value);
    expect(libraries).not.toMatch(/right|ann/);
    await running.page.goto(running.urlOf('/in/home/'));
  });

  test('is not opened when the dialog is cancelled, or there already', async () => {
    const before = running.place();
    const dialog = await openDialog();
    expect(await dialog.getByLabel('Address').inputValue()).toBe(address);
    expect(await request('shell.openWarehouse', {})).toEqual({ ok: true, value: {} });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => dialog.isClosed()).toBe(true);
    expect(running.place()).toBe(before);
  });
});

test('a new library is created where the dialog said, and nowhere else', async () => {
  const elsewhere = createTemporaryHome();
  try {
    const path = join(elsewhere.directory, 'own.sqlite');
    const move = (to: string) => request('run.move', { runKey: HOSTILE_RUN, path: to });
    expect(await move(path)).toMatchObject({ failure: { code: 'not_granted' } });
    await running.app.evaluate(({ dialog }, chosen) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath: chosen });
    }, path);
    expect(await request('shell.saveDialog', { name: 'own.sqlite' })).toMatchObject({ value: { path } });
    expect(await move(join(elsewhere.directory, 'another.sqlite'))).toMatchObject({
      failure: { code: 'not_granted' },
    });
    expect(await move(path)).toMatchObject({ ok: true, value: { path, library: 'own' } });
    expect(existsSync(path)).toBe(true);
    expect(await runKeys()).not.toContain(HOSTILE_RUN);
    expect(await request('library.close', { id: 'own' })).toMatchObject({ value: { closed: true } });
  } finally {
    elsewhere.remove();
  }
});

test('a link opens after a dialog that shows the whole URL', async () => {
  await running.app.evaluate(({ dialog, shell }) => {
    const asked: string[] = [];
    const opened: string[] = [];
    Object.assign(globalThis, { asked, opened });
    dialog.showMessageBox = (async (_window: unknown, options: { detail: string }) => {
      asked.push(options.detail);
      return { response: 1, checkboxChecked: false };
    }) as unknown as typeof dialog.showMessageBox;
    shell.openExternal = async (url) => void opened.push(url);
  });
  expect(await request('shell.openLink', { url: 'https://example.com/?a=b' })).toMatchObject({
    value: { opened: true },
  });
  expect(await request('shell.openLink', { url: 'file:///etc/passwd' })).toMatchObject({
    value: { opened: false },
  });
  const seen = await running.app.evaluate(() => {
    const { asked, opened } = globalThis as unknown as { asked: string[]; opened: string[] };
    return { asked, opened };
  });
  expect(seen).toEqual({ asked: ['https://example.com/?a=b'], opened: ['https://example.com/?a=b'] });
});

test('a second instance passes its paths on and shows the window', async () => {
  const granted = join(home.directory, 'second');
  const second = writeHostileLog(home.directory);
  const jobsOfIt = async (): Promise<number> => {
    const jobs = (await request('ingest.jobs', {})).value as { paths: string[] }[];
    return jobs.filter(({ paths }) => paths.includes(second)).length;
  };
  const before = await jobsOfIt();
  const isShown = await running.app.evaluate(
    ({ app, BrowserWindow }, paths) => {
      const [window] = BrowserWindow.getAllWindows();
      window?.minimize();
      app.emit('second-instance', {}, [], '/', { paths });
      return window?.isMinimized() === false && window.isVisible();
    },
    [second],
  );
  expect(isShown).toBe(true);
  expect(existsSync(granted)).toBe(false);
  await expect.poll(jobsOfIt).toBeGreaterThan(before);
});

test('closing the window stores its bounds, and ends the process', async () => {
  const exited = new Promise<number | null>((resolve) => running.app.process().once('exit', resolve));
  await running.app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    window?.maximize();
    // Closes after this call has returned, because closing would abort it.
    setTimeout(() => window?.close(), 50);
  });
  expect(await exited).toBe(0);
  const [state] = globSync(join(home.directory, 'config', 'turnwise', 'libraries', '*', 'window.json'));
  expect(JSON.parse(readFileSync(state ?? '', 'utf8'))).toMatchObject({
    isMaximized: true,
    bounds: { width: 1440, height: 900 },
  });
});
