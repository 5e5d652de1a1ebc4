/** Packs and runs downloaded by a browser: the file equals the one that the command line writes. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runHere } from '../support/commandLine.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';
import { sharedBrowser } from '../support/shells/browserShell.ts';
import { type ServedHost, serveProcess } from '../support/shells/serveProcess.ts';
import { PAGE_TIMEOUT_MS, type TemporaryHome } from '../support/shells/shell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { unzipped } from '../support/unzipped.ts';
import { watchErrors } from './watchErrors.ts';

const RUN = 'synthetic-grpo-roc-demo';
/** A step's 160 rollouts are enough of a pack. */
const FILTER = 'step:0';
const PACK_MS = 40_000;

/** The difference of two large files takes minutes to print. */
const hashOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && createHash('sha256').update(bytes).digest('hex');

let home: TemporaryHome;
let host: ServedHost;
let page: Page;
let errors: string[];

beforeAll(async () => {
  home = createTemporaryHome();
  await copyDemoLibrary(home.libraryPath);
  host = await serveProcess(['--library', home.libraryPath], home.env);
  page = await (await sharedBrowser()).newPage({ viewport: { width: 1024, height: 720 } });
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  errors = watchErrors(page);
  await page.goto(host.url);
  await page.getByText('demo (synthetic)').first().waitFor();
});
afterAll(async () => {
  await page?.close();
  await host?.close();
  home.remove();
});

const dialog = () => page.getByRole('dialog');
const beside = () => readdirSync(home.directory).sort();
/** Exports that wait for a page. */
const waiting = (): readonly string[] => {
  const directory = join(home.directory, 'data', 'downloads');
  return existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];
};

async function saved(args: readonly string[], name: string): Promise<string> {
  const path = join(home.directory, name);
  const command = ['export', ...args, '--out', path, '--library', home.libraryPath];
  const { code, err } = await runHere(home.directory, command, home.env);
  if (code !== 0) throw new Error(err);
  return path;
}

async function downloaded(button: RegExp): Promise<Download> {
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: PACK_MS }),
    dialog().getByRole('button', { name: button }).click(),
  ]);
  await dialog().waitFor({ state: 'detached', timeout: PACK_MS });
  return download;
}

beforeEach(async () => {
  await page.goto(`${new URL(`/run/${RUN}?q=${FILTER}`, host.url)}`);
  await page.getByRole('heading', { level: 1, name: 'demo (synthetic)' }).waitFor();
});

async function openPack(): Promise<void> {
  await page.keyboard.press('E');
  await dialog()
    .getByRole('checkbox', { name: /^everything that matches/ })
    .check();
  await dialog()
    .getByText(/^[\d,]+ cases$/)
    .waitFor();
}

test('a pack arrives as the command line writes it, with its facts on the screen', async () => {
  await openPack();
  expect(await dialog().getByRole('radio', { name: 'Download' }).isChecked()).toBe(true);
  await dialog().getByRole('radio', { name: 'Markdown' }).check();
  await dialog().getByText('Redact', { exact: true }).click();
  await dialog()
    .getByRole('textbox', { name: /^Patterns/ })
    .fill('print');
  const download = await downloaded(/^Download [\d,]+ cases/);
  expect(download.suggestedFilename()).toBe(`${RUN}-pack.md`);
  await page.getByText(/cases, [\d,]+ redactions, .* synthetic-grpo-roc-demo-pack\.md downloaded$/).waitFor();
  await expect.poll(waiting).toEqual([]);
  expect(beside().filter((name) => name.includes('pack'))).toEqual([]);
  const path = await saved(
    ['--format', 'md', '--filter', FILTER, '--run', RUN, '--redact', 'print'],
    'cli.md',
  );
  expect(hashOf(readFileSync(await download.path()))).toBe(hashOf(readFileSync(path)));
});

test('a table arrives with its manifest as a zip', async () => {
  await openPack();
  await dialog().getByRole('radio', { name: 'CSV', exact: true }).check();
  await dialog().getByText('The file and its manifest arrive as one .zip.').waitFor();
  const download = await downloaded(/^Download [\d,]+ cases/);
  expect(download.suggestedFilename()).toBe(`${RUN}-pack.csv.zip`);
  const members = await unzipped(readFileSync(await download.path()));
  const path = await saved(['--format', 'csv', '--filter', FILTER, '--run', RUN], 'cli.csv');
  expect([...members].map(([name, bytes]) => [name, hashOf(bytes)])).toEqual([
    [`${RUN}-pack.csv`, hashOf(readFileSync(path))],
    [`${RUN}-pack.csv.manifest.json`, hashOf(readFileSync(`${path}.manifest.json`))],
  ]);
});

test('a run arrives as a zip of its data set', async () => {
  await page.goto(`${new URL('/', host.url)}`);
  await page
    .getByRole('row', { name: /demo evaluation \(synthetic\)/ })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Export as Parquet…' }).click();
  const name = await dialog().getByRole('textbox', { name: 'File name' }).inputValue();
  const download = await downloaded(/^Download 160 rollouts/);
  expect(download.suggestedFilename()).toBe(`${name}.zip`);
  const members = await unzipped(readFileSync(await download.path()));
  const path = await saved(['--run', `${RUN}-eval~eval`], 'cli-run');
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const below = (file: string) => file.replace(path, name);
  expect([...members.keys()].sort()).toEqual(files.map(below).sort());
  for (const file of files) expect(hashOf(members.get(below(file))), file).toBe(hashOf(readFileSync(file)));
});

test('the reader can save on the machine of the server instead', async () => {
  await openPack();
  await dialog().getByRole('radio', { name: 'Save on the server’s machine' }).check();
  await dialog().getByRole('textbox', { name: 'The new file' }).fill('here.html');
  await dialog()
    .getByRole('button', { name: /^Write [\d,]+ cases/ })
    .click();
  await dialog().waitFor({ state: 'detached', timeout: PACK_MS });
  expect(beside()).toContain('here.html');
});

test('a cancelled download leaves nothing, and no failure on the screen', async () => {
  // Holds the file back, as a slow tunnel does.
  await page.route('**/download?*', () => undefined);
  await openPack();
  await dialog()
    .getByRole('button', { name: /^Download [\d,]+ cases/ })
    .click();
  await dialog().getByText('Downloading…').waitFor({ timeout: PACK_MS });
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog()
    .getByRole('button', { name: /^Download [\d,]+ cases/ })
    .waitFor();
  expect(await dialog().getByRole('alert').count()).toBe(0);
  await page.unroute('**/download?*');
  const download = await downloaded(/^Download [\d,]+ cases/);
  expect(await download.failure()).toBeNull();
});

test('the page had no errors', () => {
  expect(errors).toEqual([]);
});
