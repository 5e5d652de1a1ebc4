/** Every method of the contract from a real page through the preload and Electron's IPC (the double's). */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LibraryManager } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import type { Result } from '../../shared/api/errors.ts';
import { canonical, compareSides, FAILURES, idsOf } from '../contract/cases.ts';
import { type Prepared, prepare } from '../contract/prepared.ts';
import { makeOtherLibrary, OTHER_ID } from '../contract/twoLibraries.ts';
import { openElectronDouble, type RunningElectron } from '../support/shells/electronShell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';

/** The API that the preload exposes. The renderer has its own declaration of it. */
interface Bridge {
  request(id: number, method: string, params: unknown, library?: string): Promise<Result<unknown>>;
  cancel(id: number): void;
  subscribe(listener: (event: unknown) => void): () => void;
  pathOf(file: File): string;
}

const made = createTemporaryHome();
const home = createTemporaryHome();
const directHome = createTemporaryHome();
let direct: LibraryManager;
let running: RunningElectron;
let prepared: Prepared;
let ids: Awaited<ReturnType<typeof idsOf>>;
/** Distinct from the request ids of the renderer on the same page. */
let lastId = 1_000_000;

/**
 * Simulates the user's choice on both sides: the dialog answers with these paths once, and is dismissed
 * afterwards.
 */
async function chooseInDialog(paths: readonly string[]): Promise<void> {
  await running.app.evaluate(({ dialog }, filePaths) => {
    dialog.showOpenDialog = async () => {
      dialog.showOpenDialog = async () => ({ canceled: true, filePaths: [] });
      return { canceled: false, filePaths: [...filePaths] };
    };
  }, paths);
  await send('shell.openDialog', { kind: 'files' });
}

beforeAll(async () => {
  prepared = await prepare(made.directory);
  for (const { libraryPath } of [home, directHome]) copyFileSync(prepared.libraryPath, libraryPath);
  const demo = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));
  running = await openElectronDouble({ home, paths: [demo] });
  await running.page.getByRole('heading', { level: 1, name: 'demo (synthetic)' }).waitFor();
  // Nobody fills in the dialog for a warehouse.
  running.app.on('window', (dialog) => void dialog.close());
  direct = await createLibraryManager({
    libraryPath: directHome.libraryPath,
    shell: 'desktop',
    version: await running.app.evaluate(({ app }) => app.getVersion()),
    actions: {
      openDialog: async () => ({ paths: [] }),
      saveDialog: async () => ({}),
      openWarehouse: async () => ({}),
      openLink: async () => ({ opened: false }),
    },
  });
  await direct.dispatch('ingest.demo', {});
  const others = await Promise.all([home, directHome].map(({ directory }) => makeOtherLibrary(directory)));
  await chooseInDialog([prepared.logs, others[0] ?? '']);
  for (const path of [prepared.logs, others[1] ?? '']) await direct.grant(path);
  ids = await idsOf((method, params) => direct.dispatch(method, params));
});
afterAll(async () => {
  await running?.close();
  await direct?.close();
  await prepared?.warehouse.remove();
  await prepared?.endpoint.close();
  for (const each of [made, home, directHome]) each.remove();
});

/** @returns the result in canonical form, built in the page, where the values are tested */
async function send(method: string, params: unknown, library?: string): Promise<string> {
  lastId += 1;
  const call = JSON.stringify([lastId, method, params, ...(library === undefined ? [] : [library])]);
  // As an expression, because a function given to `evaluate` cannot bring `canonical` along.
  return running.page.evaluate<string>(`window.turnwise.request(...${call}).then(${canonical})`);
}

describe("the contract over Electron's IPC", () => {
  // Runs first, because both sides must begin with the prepared library.
  // Hundreds of requests, one of which starts Python on both sides.
  test('every method succeeds, and equals the answer of the host', { timeout: 300_000 }, async () => {
    await compareSides(
      {
        one: {
          home: directHome.directory,
          send: async (method, params) => canonical(await direct.dispatch(method, params)),
        },
        other: { home: home.directory, send },
      },
      prepared,
      ids,
    );
  });

  test.each(FAILURES)('%s with %j fails with %s, as data', async (method, params, code) => {
    const carried = await send(method, params);
    expect(carried).toBe(canonical(await direct.dispatch(method, params)));
    expect(JSON.parse(carried)).toMatchObject({ ok: false, failure: { code } });
  });

  test('a request can be cancelled, and its id used again afterwards', async () => {
    const codes = await running.page.evaluate(async () => {
      const { turnwise } = window as unknown as { turnwise: Bridge };
      // Runs until it is cancelled.
      const sql = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c';
      const once = turnwise.request(5_000_000, 'sql.run', { sql, timeoutMs: 50_000 });
      turnwise.cancel(5_000_000);
      const first = await once;
      const second = await turnwise.request(5_000_000, 'run.list', {});
      return [first.ok || first.failure.code, second.ok];
    });
    expect(codes).toEqual(['cancelled', true]);
  });

  test('a second library answers for itself, and its events name it', async () => {
    const pathIn = ({ directory }: typeof home) => join(directory, 'other runs.sqlite');
    expect(await send('library.open', { path: pathIn(home) })).toContain('"ok":true');
    await direct.dispatch('library.open', { path: pathIn(directHome) });
    const answer = canonical(await direct.dispatch('run.list', {}, undefined, OTHER_ID));
    expect(await send('run.list', {}, OTHER_ID)).toBe(answer);
    expect(await send('run.list', {})).not.toBe(answer);
    const libraries = await running.page.evaluate(async (library) => {
      const { turnwise } = window as unknown as { turnwise: Bridge };
      return new Promise<unknown[]>((resolve) => {
        const seen: unknown[] = [];
        turnwise.subscribe((event) => {
          const {
            event: name,
            payload,
            library: of,
          } = event as {
            event: string;
            payload: { state?: string };
            library?: string;
          };
          seen.push(of);
          if (name === 'ingest.progress' && payload.state === 'done') resolve(seen);
        });
        void turnwise.request(7_000_000, 'ingest.demo', {}, library);
      });
    }, OTHER_ID);
    expect(new Set(libraries)).toEqual(new Set([OTHER_ID]));
    expect(await send('library.close', { id: OTHER_ID })).toContain('"closed":true');
    expect(await send('run.list', {}, OTHER_ID)).toContain('not_found');
    // Anything but a name is rejected as a foreign message.
    expect(
      await running.page.evaluate(() => {
        const { turnwise } = window as unknown as {
          turnwise: { request(...args: unknown[]): Promise<unknown> };
        };
        return turnwise.request(7_000_001, 'run.list', {}, { id: 'home' }).then(JSON.stringify);
      }),
    ).toContain('bad_request');
  });

  test('events arrive without the event object, until the undo is called', async () => {
    const seen = await running.page.evaluate(async () => {
      const { turnwise } = window as unknown as { turnwise: Bridge };
      const events: unknown[][] = [];
      const undo = turnwise.subscribe((...args: unknown[]) => events.push(args));
      const ingestAgain = (id: number): Promise<void> =>
        new Promise((resolve) => {
          const undo = turnwise.subscribe((event) => {
            if ((event as { payload: { state?: string } }).payload.state !== 'done') return;
            undo();
            resolve();
          });
          void turnwise.request(id, 'ingest.demo', {});
        });
      await ingestAgain(6_000_000);
      const before = events.length;
      undo();
      await ingestAgain(6_000_001);
      return { before, after: events.length, first: events[0] };
    });
    expect(seen.before).toBeGreaterThan(0);
    expect(seen.after).toBe(seen.before);
    expect(seen.first).toHaveLength(1);
    expect(seen.first?.[0]).toMatchObject({ event: 'ingest.progress' });
  });

  test('the bridge has exactly these four functions', async () => {
    const shape = await running.page.evaluate(() => {
      const { turnwise } = window as unknown as { turnwise: Record<string, unknown> };
      const forbidden = ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron', 'doubleSend'];
      return {
        keys: Object.keys(turnwise).map((key) => `${key}: ${typeof turnwise[key]}`),
        leaks: forbidden.filter((name) => name in window),
      };
    });
    expect(shape.keys).toEqual([
      'request: function',
      'cancel: function',
      'subscribe: function',
      'pathOf: function',
    ]);
    expect(shape.leaks).toEqual([]);
  });

  test('a page cannot read a path that nobody granted', async () => {
    expect(await send('ingest.start', { paths: ['/etc'] })).toContain('not_granted');
    // A file made by the page cannot grant a path.
    const path = await running.page.evaluate(() =>
      (window as unknown as { turnwise: Bridge }).turnwise.pathOf(new File(['x'], 'passwd')),
    );
    expect(path).toBe('');
  });
});
