/** A damaged library in a real page: the banner appears on every view, and the rest can be used. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startServer } from '../../electron/headless/startServer.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';
import { sharedBrowser } from '../support/shells/browserShell.ts';

const RENDERER = fileURLToPath(new URL('../../dist/renderer', import.meta.url));
const PAGE = 8192;

function damage(library: string, table: string): void {
  const db = new Database(library, { readonly: true });
  const sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' LIMIT 1";
  const page = Number(db.prepare<[string], number>(sql).pluck().get(table));
  db.close();
  const file = openSync(library, 'r+');
  writeSync(file, new Uint8Array(PAGE).fill(0xa5), 0, PAGE, (page - 1) * PAGE);
  closeSync(file);
}

test('a damaged library shows what is damaged and which command to run', async () => {
  const place = scratch();
  await copyDemoLibrary(place.library);
  damage(place.library, 'segment_row');
  const host = await createLibraryManager({
    libraryPath: place.library,
    shell: 'browser',
    version: '0.0.0',
    isForPages: true,
    checkAfterMs: 0,
  });
  const server = await startServer({ host, rendererDirectory: RENDERER });
  const page = await (await sharedBrowser()).newPage();
  try {
    await page.goto(server.url);
    const banner = page.getByRole('alert').filter({ hasText: 'This library is damaged' });
    await banner.waitFor();
    await banner.filter({ hasText: 'parts of segment_row cannot be read' }).waitFor();
    expect(await banner.locator('code').innerText()).toBe(
      `turnwise doctor ${place.library} --into NEW.turnwise`,
    );
    await page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1).waitFor();
    await page.goto(`${new URL('/settings', server.url)}`);
    await banner.waitFor();
  } finally {
    await page.close();
    await server.close();
    await host.close();
    place.remove();
  }
});
