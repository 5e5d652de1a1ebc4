/** Every method of the contract from a real page through the preload and Electron's IPC (the double's). */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LibraryManager } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import type { Result } from '../../shared/api/errors.ts';
import { canonical, FAILURES, type PreparedCall, prepareCalls, readInto } from '../contract/cases.ts';
import { makeOtherLibrary, OTHER_ID } from '../contract/twoLibraries.ts';
import { openElectronDouble, type RunningElectron } from '../support/shells/electronShell.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';

/** What the preload exposes; the page's own declaration lives in the renderer. */
interface Bridge {
  request(id: number, method: string, params: unknown, library?: string): Promise<Result<unknown>>;
  cancel(id: number): void;
  subscribe(listener: (event: unknown) => void): () => void;
  pathOf(file: File): string;
}

const DEMO = fileURLToPath(new URL('../../fixtures/demo', import.meta.url));
const home = createTemporaryHome();
let host: LibraryManager;
let running: RunningElectron;
let calls: readonly PreparedCall[];
/** Away from the ids of the renderer that lives on the same page. */
let lastId = 1_000_000;

beforeAll(async () => {
  host = await createLibraryManager({ libraryPath: home.libraryPath, shell: 'desktop', version: '0.0.0' });
  await readInto(host, DEMO);
  // Opened once by the user's hand: the application remembers it.
  const other = await makeOtherLibrary(home.directory);
  await host.grant(other);
  await host.dispatch('library.open', { path: other });
  running = await openElectronDouble({ home });
  calls = await prepareCalls((method, params) => host.dispatch(method, params));
});
afterAll(async () => {
  await running?.close();
  await host?.close();
  home.remove();
});

/** @returns the answer in canonical form, made in the page: how its values look there is the point. */
async function send(method: string, params: unknown, library?: string): Promise<string> {
  lastId += 1;
  const call = JSON.stringify([lastId, method, params, ...(library === undefined ? [] : [library])]);
  // As an expression, because a function given to `evaluate` cannot bring `canonical` along.
  return running.page.evaluate<string>(`window.turnwise.request(...${call}).then(${canonical})`);
}

describe("the contract over Electron's IPC", () => {
  test('every method answers as the host does', async () => {
    for (const { method, params, changes } of calls) {
      const direct = await host.dispatch(method, params);
      const carried = await send(method, params);
      // The host here has no dialogs; main's has.
      if (method.startsWith('shell.')) expect([method, JSON.parse(carried).ok]).toEqual([method, true]);
      else if (changes) expect([method, JSON.parse(carried).ok]).toEqual([method, direct.ok]);
      else expect([method, carried]).toEqual([method, canonical(direct)]);
    }
  });

  test.each(FAILURES)('%s with %j is the failure %s, as data', async (method, params, code) => {
    const carried = await send(method, params);
    expect(carried).toBe(canonical(await host.dispatch(method, params)));
    expect(JSON.parse(carried)).toMatchObject({ ok: false, failure: { code } });
  });

  test('a request can be cancelled, and its id used again afterwards', async () => {
    const codes = await running.page.evaluate(async () => {
      const { turnwise } = window as unknown as { turnwise: Bridge };
      const once = turnwise.request(5_000_000, 'rollout.order', { runId: 1 });
      turnwise.cancel(5_000_000);
      const first = await once;
      const second = await turnwise.request(5_000_000, 'run.list', {});
      return [first.ok || first.failure.code, second.ok];
    });
    expect([true, 'cancelled']).toContain(codes[0]);
    expect(codes[1]).toBe(true);
  });

  test('a library that was opened beside it answers for itself, and its events say so', async () => {
    expect(await send('library.open', { id: OTHER_ID })).toContain('"ok":true');
    const direct = await host.dispatch('run.list', {}, undefined, OTHER_ID);
    expect(await send('run.list', {}, OTHER_ID)).toBe(canonical(direct));
    expect(await send('run.list', {})).not.toBe(canonical(direct));
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
    // Anything but a name is no message of ours.
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
      const ingestAgain = async (id: number): Promise<void> => {
        await turnwise.request(id, 'ingest.demo', {});
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      };
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

  test('the bridge is these four functions and nothing else', async () => {
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

  test('a page can ask for a path nobody granted, in vain', async () => {
    expect(await send('ingest.start', { paths: ['/etc'] })).toContain('not_granted');
    // Nor can a file it made itself grant one.
    const path = await running.page.evaluate(() =>
      (window as unknown as { turnwise: Bridge }).turnwise.pathOf(new File(['x'], 'passwd')),
    );
    expect(path).toBe('');
  });
});
