/** "Open logs…" in a browser: by a path below an allowed directory, and by chosen or dropped files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sharedBrowser } from '../support/shells/browserShell.ts';
import { type ServedHost, serveProcess } from '../support/shells/serveProcess.ts';
import { PAGE_TIMEOUT_MS, type TemporaryHome } from '../support/shells/shell.ts';
import { writeSmallLog } from '../support/shells/smallLog.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { watchErrors } from './watchErrors.ts';

let home: TemporaryHome;
let host: ServedHost;
let page: Page;
let errors: string[];
let logs: string;
let uploads: string;

function logOf(run: string): string {
  const rollout = { v: 1, type: 'rollout', run, step: 0, group: 'g', index: 0, reward: 1 };
  const messages = [{ role: 'assistant', content: run }];
  return `${JSON.stringify({ ...rollout, problem: { id: 'p', prompt: '?' }, messages })}\n`;
}

beforeAll(async () => {
  home = createTemporaryHome();
  logs = join(home.directory, 'allowed');
  uploads = join(home.directory, 'uploads');
  for (const name of ['alpha', 'beta']) {
    mkdirSync(join(logs, `run-${name}`), { recursive: true });
    writeFileSync(join(logs, `run-${name}`, 'log.jsonl'), logOf(name));
  }
  const args = ['--library', home.libraryPath, '--allow', logs, '--', writeSmallLog(home.directory)];
  host = await serveProcess(args, home.env);
  page = await (await sharedBrowser()).newPage({ viewport: { width: 1024, height: 720 } });
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  errors = watchErrors(page);
  await page.goto(host.url);
  await page.waitForURL(/small-run/);
});
afterAll(async () => {
  await page?.close();
  await host?.close();
  home.remove();
});

const placeIs = (place: string) => expect.poll(() => new URL(page.url()).pathname).toBe(place);
const dialog = () => page.getByRole('dialog', { name: 'Open logs' });
const field = () => dialog().getByRole('combobox');
const options = () => dialog().getByRole('option');
const closed = () => dialog().waitFor({ state: 'detached' });

beforeEach(async () => {
  await page.goto(`${new URL('/settings', host.url)}`);
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.keyboard.press('ControlOrMeta+o');
  await field().waitFor();
});

test('a file of unknown format opens in the mapping editor', async () => {
  const file = join(logs, 'own.jsonl');
  writeFileSync(file, `${JSON.stringify({ ask: 'What is 2 + 2?', reply: '4', mark: 1 })}\n`);
  await field().fill(file);
  await page.keyboard.press('Enter');
  await closed();
  await placeIs('/mapping');
  expect(new URL(page.url()).searchParams.get('path')).toBe(file);
  rmSync(file);
});

test('a directory of several runs opens the library, where they are listed', async () => {
  const directory = join(logs, 'several');
  for (const name of ['first', 'second']) {
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name, 'log.jsonl'), logOf(name));
  }
  await field().fill(directory);
  await page.keyboard.press('Enter');
  await closed();
  await placeIs('/');
  // The notice is shown for seconds only.
  await Promise.all([
    page.getByText('Read 2 new rollouts of 2 runs').waitFor(),
    ...['first', 'second'].map((name) => page.getByRole('row', { name: new RegExp(`^${name}`) }).waitFor()),
  ]);
  await placeIs('/');
  rmSync(directory, { recursive: true });
});

test('a path is completed like in a shell, and its first run opens', async () => {
  await expect.poll(() => field().evaluate((element) => element === document.activeElement)).toBe(true);
  await options().filter({ hasText: logs }).waitFor();
  await field().pressSequentially(logs.slice(0, -2));
  await options().waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => field().inputValue()).toBe(`${logs}/`);
  await options().filter({ hasText: 'run-beta/' }).waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => field().inputValue()).toBe(`${logs}/run-`);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await dialog().getByRole('option', { name: 'run-beta/', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await closed();
  await placeIs('/run/beta');
});

test('Tab leads to the next control where nothing can be completed, Escape closes', async () => {
  await options().first().waitFor();
  await field().fill(`${logs}/`);
  await expect.poll(() => options().count()).toBe(2);
  await field().fill(`${logs}/run-`);
  await dialog().locator('[role=listbox][aria-busy=false]').waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => page.locator(':focus').innerText()).toBe('Choose files…');
  await page.keyboard.press('Escape');
  await closed();
});

test('a path that was not allowed is refused with the command that allows it', async () => {
  await field().fill(home.libraryPath.replace('library.sqlite', 'small.txt'));
  await dialog().getByText('No path that may be opened begins like this').waitFor();
  await field().fill(home.directory);
  await dialog().getByRole('button', { name: 'Open', exact: true }).click();
  await dialog()
    .getByRole('alert')
    .filter({ hasText: `Turnwise has no permission to read ${home.directory}` })
    .filter({ hasText: '--allow DIRECTORY' })
    .waitFor();
});

test('chosen files are uploaded, read, and listed in the library as their runs', async () => {
  const chooser = page.waitForEvent('filechooser');
  await dialog().getByRole('button', { name: 'Choose files…' }).click();
  const buffers = ['one', 'two'].map((run) => ({
    ...{ name: `${run}.jsonl`, mimeType: 'text/plain' },
    buffer: Buffer.from(logOf(`sent ${run}`)),
  }));
  await (await chooser).setFiles(buffers);
  await closed();
  await placeIs('/');
  await Promise.all([
    page.getByText('Read 2 new rollouts of 2 runs').waitFor(),
    ...[/sent one/, /sent two/].map((name) => page.getByRole('row', { name }).waitFor()),
  ]);
  await placeIs('/');
  expect(readFileSync(join(uploads, 'one', 'two.jsonl'), 'utf8')).toBe(logOf('sent two'));
});

test('a file that was read before opens its run, and a copy says which run has its content', async () => {
  const copy = { name: 'again.jsonl', mimeType: 'text/plain', buffer: Buffer.from(logOf('alpha')) };
  await field().fill(join(logs, 'run-alpha', 'log.jsonl'));
  await page.keyboard.press('Enter');
  await closed();
  await placeIs('/run/alpha');
  await page.goto(`${new URL('/settings', host.url)}`);
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.keyboard.press('ControlOrMeta+o');
  await dialog().locator('input[type=file]').setInputFiles([copy]);
  await closed();
  await placeIs('/');
  const card = page.getByRole('status').filter({ hasText: 'Already in the library as alpha' });
  await card.getByRole('link', { name: 'Open the run' }).click();
  await placeIs('/run/alpha');
});

test('a dropped file is uploaded', async () => {
  await page.keyboard.press('Escape');
  await closed();
  await page.evaluate((text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], 'dropped.jsonl'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, logOf('dropped'));
  await placeIs('/run/dropped');
  expect(existsSync(join(uploads, 'dropped', 'dropped.jsonl'))).toBe(true);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // The copy never grows.
  expect(await page.getByRole('button', { name: 'Follow' }).count()).toBe(0);
});

test('an upload is cancelled by its button only, and names what was sent before', async () => {
  // A request that is never answered.
  await page.route(/upload\?name=endless/, () => undefined);
  const files = ['first', 'endless'].map((name) => ({
    ...{ name: `${name}.jsonl`, mimeType: 'text/plain', buffer: Buffer.from(logOf(name)) },
  }));
  const second = page.waitForRequest(/upload\?name=endless/);
  await dialog().locator('input[type=file]').setInputFiles(files);
  await second;
  await dialog().getByRole('progressbar', { name: 'Sending' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  const alert = dialog().getByRole('alert');
  await alert
    .filter({ hasText: 'Cancelled. Nothing was read.' })
    .filter({ hasText: join(uploads, 'first', 'first.jsonl') })
    .waitFor();
  expect(readdirSync(join(uploads, 'first'))).toEqual(['first.jsonl']);
  // Not before: the request that was held back would be sent.
  await page.unroute(/upload\?name=endless/);
});

test('its field and its paths have no violation in either theme', async () => {
  await field().fill(`${logs}/`);
  await expect.poll(() => options().count()).toBe(2);
  await page.keyboard.press('ArrowDown');
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
    const violations = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(within: string): Promise<AxeResults> } };
      return (await axe.run('[role=dialog]')).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
    expect(violations, colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
});

test('every control is reachable at 720 by 450 pixels', async () => {
  await page.setViewportSize({ width: 720, height: 450 });
  for (const name of ['Choose files…', 'Close', 'Open']) {
    const button = dialog().getByRole('button', { name, exact: true }).last();
    await button.scrollIntoViewIfNeeded();
    await expect
      .poll(
        async () => {
          const box = await button.boundingBox();
          return (box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= 450;
        },
        { message: name },
      )
      .toBe(true);
  }
  await page.setViewportSize({ width: 1024, height: 720 });
});

test('a start after the removal of its run stays at the library', async () => {
  await page.keyboard.press('Escape');
  await closed();
  const runs = () => page.getByRole('grid', { name: 'Runs' });
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Library' }).click();
  const small = runs().getByRole('row', { name: /small-run/ });
  await small.getByRole('button', { name: /Actions for/ }).click();
  await page.getByRole('menuitem', { name: /Remove/ }).click();
  await page.getByRole('button', { name: /^Remove \d+ rollout/ }).click();
  await small.waitFor({ state: 'detached' });
  const again = await page.context().browser()?.newPage();
  await again?.goto(host.url);
  await again?.getByRole('row', { name: /beta/ }).waitFor();
  await again?.waitForLoadState('networkidle');
  expect(new URL(again?.url() ?? '').pathname).toBe('/');
  await again?.close();
});

test('the page reports no errors', () => expect(errors).toEqual([]));
