/** Every method of the contract over WebSocket says what the host itself says. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoopbackServer, startServer } from '../../electron/headless/startServer.ts';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import type { RolloutTokens } from '../../shared/api/contract.ts';
import { openSocketTransport, type SocketTransport } from '../support/shells/socketTransport.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { canonical, FAILURES, type PreparedCall, prepareCalls } from './cases.ts';

const DEMO = fileURLToPath(new URL('../../fixtures/demo', import.meta.url));
const home = createTemporaryHome();
let host: Host;
let server: LoopbackServer;
let transport: SocketTransport;
let calls: readonly PreparedCall[];

beforeAll(async () => {
  host = await createHost({ libraryPath: home.libraryPath, shell: 'browser', version: '0.0.0' });
  await host.ingest([DEMO]);
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
});
