/** Every method of the contract over WebSocket says what the host itself says. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoopbackServer, startServer } from '../../electron/headless/startServer.ts';
import type { LibraryManager } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { createClient } from '../../shared/api/client.ts';
import type { HostEvent, RolloutTokens } from '../../shared/api/contract.ts';
import { openSocketTransport, type SocketTransport } from '../support/shells/socketTransport.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { canonical, FAILURES, type PreparedCall, prepareCalls, readInto } from './cases.ts';
import { makeOtherLibrary, OTHER_ID } from './twoLibraries.ts';

const DEMO = fileURLToPath(new URL('../../fixtures/demo', import.meta.url));
const home = createTemporaryHome();
let host: LibraryManager;
let server: LoopbackServer;
let transport: SocketTransport;
let calls: readonly PreparedCall[];

beforeAll(async () => {
  host = await createLibraryManager({ libraryPath: home.libraryPath, shell: 'browser', version: '0.0.0' });
  await readInto(host, DEMO);
  server = await startServer({ host, rendererDirectory: home.directory });
  transport = await openSocketTransport(server);
  calls = await prepareCalls((method, params) => host.dispatch(method, params));
}, 120_000);
afterAll(async () => {
  await transport?.close();
  await server?.close();
  await host?.close();
  home.remove();
});

describe('the contract over WebSocket', () => {
  test('every method answers as the host does', async () => {
    for (const { method, params, changes } of calls) {
      const direct = await host.dispatch(method, params);
      const carried = await transport.send(method, params);
      if (changes) expect([method, carried.ok]).toEqual([method, direct.ok]);
      else expect([method, canonical(carried)]).toEqual([method, canonical(direct)]);
    }
  });

  test('typed arrays stay typed arrays', async () => {
    const call = calls.find(({ method }) => method === 'rollout.tokens');
    const result = await transport.send('rollout.tokens', call?.params);
    if (!result.ok) throw new Error(result.failure.message);
    const tokens = result.value as RolloutTokens;
    expect(tokens.ends).toBeInstanceOf(Uint32Array);
    expect(tokens.entropy).toBeInstanceOf(Float32Array);
    expect(tokens.entropy).toHaveLength(tokens.count);
  });

  test.each(FAILURES)('%s with %j is the failure %s, as data', async (method, params, code) => {
    const carried = await transport.send(method, params);
    expect(carried).toEqual(await host.dispatch(method, params));
    expect(carried).toMatchObject({ ok: false, failure: { code } });
  });

  test('many requests at once each get their own answer', async () => {
    const rows = calls.find(({ method }) => method === 'rollout.rows')?.params as { rolloutIds: number[] };
    const answers = await Promise.all(
      rows.rolloutIds.map((rolloutId) => transport.send('rollout.get', { rolloutId })),
    );
    const got = answers.map((answer) =>
      answer.ok ? (answer.value as { row: { rolloutId: number } }).row.rolloutId : 0,
    );
    expect(got).toEqual(rows.rolloutIds);
  });

  test('an aborted request is answered as cancelled or already done, and the wire goes on', async () => {
    const abort = new AbortController();
    const call = calls.find(({ method }) => method === 'rollout.order');
    const answer = transport.send('rollout.order', call?.params, abort.signal);
    abort.abort();
    const result = await answer;
    expect(result.ok || result.failure.code === 'cancelled').toBe(true);
    expect((await transport.send('run.list', {})).ok).toBe(true);
  });

  test('a library that was opened beside it answers for itself, and its events say so', async () => {
    const path = await makeOtherLibrary(home.directory);
    await host.grant(path);
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
});
