/** A scripted page with a valid token: whatever it sends, the host stays alive and answers the next page. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type LoopbackServer, startServer } from '../../electron/headless/startServer.ts';
import type { LibraryManager } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { CONTRACT } from '../../shared/api/contract.ts';
import { seededRandom } from '../../shared/domain/seededRandom.ts';
import { type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';
import { openSocketTransport } from '../support/shells/socketTransport.ts';

let place: Scratch;
let manager: LibraryManager;
let server: LoopbackServer;
beforeAll(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
  mkdirSync(join(place.directory, 'renderer'));
  writeFileSync(join(place.directory, 'renderer', 'index.html'), '<title>Turnwise</title>');
  manager = await createLibraryManager({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
  server = await startServer({ host: manager, rendererDirectory: join(place.directory, 'renderer') });
});
afterAll(async () => {
  await server.close();
  await manager.close();
  place.remove();
});

async function isAlive(): Promise<void> {
  const page = await openSocketTransport(server);
  expect(await page.send('run.list', {})).toMatchObject({ ok: true });
  await page.close();
}

const DEEP = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown;
const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    -1,
    0.5,
    1e300,
    Number.MAX_SAFE_INTEGER,
    '',
    '\u0000',
    '../../etc/passwd',
    '\ud800',
    'x'.repeat(10_000),
  ],
  ...[[], {}, [[]], { length: 1e9 }, JSON.parse('{"__proto__":{"a":1}}'), DEEP],
  ...[Array.from({ length: 10_000 }, (_, i) => i), new Uint32Array(20_000)],
];
/** Methods that change the library, or run for long by design. */
const SKIPPED = /^(library\.compact|run\.(remove|move)|ingest\.demo)$/;

test('that sends values of every type to every method', { timeout: 120_000 }, async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const page = await openSocketTransport(server);
  const random = seededRandom(19);
  const pick = (): unknown => VALUES[Math.floor(random() * VALUES.length)];
  const names = [
    'id',
    'ids',
    'runId',
    'rolloutId',
    'rolloutIds',
    'groupId',
    'groupIds',
    'filter',
    'path',
    'paths',
    'name',
    'sql',
    'step',
    'limit',
    'offset',
    'runKey',
    'text',
    'query',
    'labels',
    'mapping',
    'format',
    'annotationNos',
  ];
  const bugs: unknown[] = [];
  const sent: Promise<void>[] = [];
  for (const method of Object.keys(CONTRACT).filter((each) => !SKIPPED.test(each)))
    for (let i = 0; i < 2; i++) {
      const params = i === 0 ? pick() : Object.fromEntries(names.map((name) => [name, pick()]));
      sent.push(
        page.send(method, params).then((result) => {
          if (!result.ok && result.failure.code === 'internal') bugs.push([method, result.failure.message]);
        }),
      );
    }
  await Promise.all(sent);
  expect(bugs).toEqual([]);
  await isAlive();
  await page.close();
  printed.mockRestore();
});

test('that leaves 100,000 requests pending', async () => {
  const page = await openSocketTransport(server);
  const refused: unknown[] = [];
  const sent = Array.from({ length: 100_000 }, async (_, i) => {
    const result = await page.send('rollout.get', { rolloutId: 1 + (i % 1981) });
    if (!result.ok) refused.push(result.failure.code);
  });
  await Promise.all([isAlive(), ...sent]);
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused)).toEqual(new Set(['refused']));
  await page.close();
  await isAlive();
});
