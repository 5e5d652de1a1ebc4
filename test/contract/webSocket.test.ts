/** Every method of the contract returns over WebSocket what the host returns directly. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoopbackServer, startServer } from '../../electron/headless/startServer.ts';
import type { LibraryManager } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { createClient } from '../../shared/api/client.ts';
import type { HostEvent, RolloutTokens } from '../../shared/api/contract.ts';
import { DEMO_LOG } from '../support/preparedLibrary.ts';
import { resultShapes, type ShapeCheck } from '../support/resultShape.ts';
import type { TemporaryHome } from '../support/shells/shell.ts';
import { openSocketTransport, type SocketTransport } from '../support/shells/socketTransport.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { canonical, compareSides, FAILURES, idsOf, readInto } from './cases.ts';
import { type Prepared, prepare } from './prepared.ts';
import { makeOtherLibrary, OTHER_ID } from './twoLibraries.ts';

const DEMO = fileURLToPath(new URL('../../fixtures/demo', import.meta.url));
const made = createTemporaryHome();
const home = createTemporaryHome();
const directHome = createTemporaryHome();
const carriedHome = createTemporaryHome();
let host: LibraryManager;
let server: LoopbackServer;
let transport: SocketTransport;
let prepared: Prepared;
let ids: Awaited<ReturnType<typeof idsOf>>;
/** Result schemas derived from the types of the contract. */
let shapes: ReadonlyMap<string, ShapeCheck>;

/** A manager on a copy of the prepared library, with dialogs that nobody answers. */
async function open({ directory, libraryPath }: TemporaryHome): Promise<LibraryManager> {
  copyFileSync(prepared.libraryPath, libraryPath);
  const other = await makeOtherLibrary(directory);
  const manager = await createLibraryManager({
    libraryPath,
    shell: 'browser',
    version: '0.0.0',
    actions: {
      openDialog: async () => ({ paths: [] }),
      saveDialog: async () => ({}),
      openWarehouse: async () => ({}),
      openLink: async () => ({ opened: false }),
    },
  });
  for (const path of [DEMO_LOG, prepared.logs, other]) await manager.grant(path);
  return manager;
}

beforeAll(async () => {
  shapes = resultShapes();
  prepared = await prepare(made.directory);
  host = await open(home);
  server = await startServer({ host, rendererDirectory: home.directory });
  transport = await openSocketTransport(server);
  ids = await idsOf((method, params) => host.dispatch(method, params));
}, 300_000);
afterAll(async () => {
  await transport?.close();
  await server?.close();
  await host?.close();
  await prepared?.warehouse.remove();
  await prepared?.endpoint.close();
  for (const name of ['WAREHOUSE', 'ENDPOINT', 'ENDPOINT_MODEL']) delete process.env[`TURNWISE_${name}`];
  for (const each of [made, home, directHome, carriedHome]) each.remove();
});

describe('the contract over WebSocket', () => {
  test('typed arrays stay typed arrays', async () => {
    const result = await transport.send('rollout.tokens', { rolloutId: ids.withTokens });
    if (!result.ok) throw new Error(result.failure.message);
    const tokens = result.value as RolloutTokens;
    expect(tokens.ends).toBeInstanceOf(Uint32Array);
    expect(tokens.entropy).toBeInstanceOf(Float32Array);
    expect(tokens.entropy).toHaveLength(tokens.count);
  });

  test.each(FAILURES)('%s with %j fails with %s, as data', async (method, params, code) => {
    const carried = await transport.send(method, params);
    expect(carried).toEqual(await host.dispatch(method, params));
    expect(carried).toMatchObject({ ok: false, failure: { code } });
  });

  test('answers many concurrent requests separately', async () => {
    const rolloutIds = ids.rolloutIds.slice(0, 100);
    const answers = await Promise.all(
      rolloutIds.map((rolloutId) => transport.send('rollout.get', { rolloutId })),
    );
    const got = answers.map((answer) =>
      answer.ok ? (answer.value as { row: { rolloutId: number } }).row.rolloutId : 0,
    );
    expect(got).toEqual(rolloutIds);
  });

  test('cancels an aborted request on the host, and keeps the connection', async () => {
    const abort = new AbortController();
    // Runs until it is cancelled, so an early answer proves that the cancellation arrived.
    const endless = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c';
    const answer = transport.send('sql.run', { sql: endless, timeoutMs: 50_000 }, abort.signal);
    abort.abort();
    expect(await answer).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
    expect((await transport.send('run.list', {})).ok).toBe(true);
  });

  test('a second library answers for itself, and its events name it', async () => {
    const path = join(home.directory, 'other runs.sqlite');
    const opened = await transport.send('library.open', { path });
    expect(opened).toMatchObject({ ok: true, value: { id: OTHER_ID } });
    for (const library of [undefined, 'home', OTHER_ID]) {
      const direct = await host.dispatch('run.list', {}, undefined, library);
      expect(canonical(await transport.send('run.list', {}, undefined, library))).toEqual(canonical(direct));
    }
    const lists = await Promise.all(
      [undefined, OTHER_ID].map((library) => transport.send('run.list', {}, undefined, library)),
    );
    expect(canonical(lists[0])).not.toEqual(canonical(lists[1]));
    const heard: Record<string, HostEvent[]> = { home: [], [OTHER_ID]: [] };
    for (const [library, events] of Object.entries(heard))
      createClient(transport, library).subscribe((event) => events.push(event));
    await readInto(host, DEMO, OTHER_ID);
    expect(heard[OTHER_ID]?.map(({ event }) => event)).toContain('library.changed');
    expect(heard['home']).toEqual([]);
    const unknown = await transport.send('run.list', {}, undefined, 'no such');
    expect(unknown).toMatchObject({ ok: false, failure: { code: 'not_found' } });
    expect(await transport.send('library.close', { id: OTHER_ID })).toMatchObject({ ok: true });
    const closed = await transport.send('run.list', {}, undefined, OTHER_ID);
    expect(closed).toMatchObject({ ok: false, failure: { code: 'not_found' } });
    expect((await transport.send('run.list', {})).ok).toBe(true);
  });

  test('a missing, an invalid and an unknown field do not fit a result type', async () => {
    const answer = await host.dispatch('run.list', {});
    if (!answer.ok) throw new Error(answer.failure.message);
    const check = shapes.get('run.list');
    const [run, ...others] = answer.value as readonly Record<string, unknown>[];
    const { runKey, ...withoutKey } = run ?? {};
    expect(check?.([run, ...others])).toBeUndefined();
    expect(check?.([withoutKey, ...others])).toContain('run.list[0].runKey: undefined is no string');
    expect(check?.([{ ...run, rollouts: '7' }])).toContain('run.list[0].rollouts: "7" is no number');
    expect(check?.([{ ...run, run_key: runKey }])).toContain('run.list[0].run_key: not in RunSummary');
  });

  // Hundreds of requests, one of which starts Python on both sides.
  test('every method succeeds, fits its result type, and equals the answer of the host', {
    timeout: 300_000,
  }, async () => {
    // Fresh on both sides, because the calls change and remove what other tests need.
    const direct = await open(directHome);
    const carried = await open(carriedHome);
    const ownServer = await startServer({ host: carried, rendererDirectory: carriedHome.directory });
    const ownTransport = await openSocketTransport(ownServer);
    try {
      await compareSides(
        {
          one: {
            home: directHome.directory,
            send: async (method, params) => {
              const answer = await direct.dispatch(method, params);
              if (answer.ok) expect.soft(shapes.get(method)?.(answer.value)).toBeUndefined();
              return canonical(answer);
            },
          },
          other: {
            home: carriedHome.directory,
            send: async (method, params) => canonical(await ownTransport.send(method, params)),
          },
        },
        prepared,
        ids,
      );
    } finally {
      await ownTransport.close();
      await ownServer.close();
      await carried.close();
      await direct.close();
    }
  });
});
