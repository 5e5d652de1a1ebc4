/** Completion of paths on a page: only below what the user has opened. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import type { PathListing } from '../../shared/api/contract.ts';
import { type Scratch, scratch } from '../support/library.ts';

const NOTHING: PathListing = { entries: [], isWhole: true };

let place: Scratch;
let logs: string;
let host: Host;
let before: string | undefined;

async function list(prefix: string): Promise<PathListing> {
  const result = await host.dispatch('path.list', { prefix });
  if (!result.ok) throw new Error(result.failure.message);
  return result.value as PathListing;
}

beforeEach(async () => {
  before = process.env['TURNWISE_HOME'];
  place = scratch();
  process.env['TURNWISE_HOME'] = join(place.directory, 'home');
  logs = join(place.directory, 'logs');
  mkdirSync(join(logs, 'train', 'deep'), { recursive: true });
  mkdirSync(join(place.directory, 'outside'));
  writeFileSync(join(place.directory, 'outside', 'secret.jsonl'), 'secret');
  for (const name of ['10.jsonl', '2.jsonl', 'trace.jsonl', '.hidden']) writeFileSync(join(logs, name), name);
  host = await createHost({ libraryPath: place.library, shell: 'browser', version: '0.0.0' });
});
afterEach(async () => {
  await host.close();
  if (before === undefined) delete process.env['TURNWISE_HOME'];
  else process.env['TURNWISE_HOME'] = before;
  place.remove();
});

test('lists nothing until the user has opened something', async () => {
  for (const prefix of ['', '/', `${logs}/`]) expect(await list(prefix)).toEqual(NOTHING);
  await host.grant(logs);
  expect((await list(`${logs}/`)).entries).toHaveLength(4);
});

test('leads to an opened directory from its beginning', async () => {
  await host.grant(logs);
  const opened = { entries: [{ path: logs, kind: 'directory' }], isWhole: true };
  for (const prefix of ['', '/', place.directory, logs]) expect(await list(prefix)).toEqual(opened);
  expect(await list(`${logs}x`)).toEqual(NOTHING);
});

test('lists directories first, then files in natural order with their sizes, and no dot files', async () => {
  await host.grant(logs);
  expect(await list(`${logs}/`)).toEqual({
    entries: [
      { path: join(logs, 'train'), kind: 'directory' },
      { path: join(logs, '2.jsonl'), kind: 'file', bytes: 7 },
      { path: join(logs, '10.jsonl'), kind: 'file', bytes: 8 },
      { path: join(logs, 'trace.jsonl'), kind: 'file', bytes: 11 },
    ],
    isWhole: true,
  });
  expect((await list(`${logs}/tr`)).entries.map(({ path }) => path)).toEqual([
    join(logs, 'train'),
    join(logs, 'trace.jsonl'),
  ]);
});

test('lists an opened file alone, and not its directory', async () => {
  const file = join(logs, '2.jsonl');
  await host.grant(file);
  expect(await list('')).toEqual({ entries: [{ path: file, kind: 'file', bytes: 7 }], isWhole: true });
  expect((await list(`${logs}/`)).entries.map(({ path }) => path)).toEqual([file]);
});

test('answers alike for paths outside, whether they exist or not', async () => {
  await host.grant(logs);
  symlinkSync(join(place.directory, 'outside'), join(logs, 'out'));
  const { directory } = place;
  for (const name of ['outside', 'missing']) {
    const outside = [`${directory}/${name}/`, `${logs}/../${name}/`, `${logs}/train/../../${name}/`];
    for (const prefix of [...outside, `${logs}/out/`, `${logs}/missing/`])
      expect(await list(prefix), prefix).toEqual(NOTHING);
  }
  expect(await list('outside/')).toEqual(NOTHING);
});

test('lists links that stay inside, and none that lead out', async () => {
  await host.grant(logs);
  symlinkSync(join(place.directory, 'outside'), join(logs, 'link-out'));
  symlinkSync(join(place.directory, 'outside', 'secret.jsonl'), join(logs, 'link-out.jsonl'));
  symlinkSync(join(logs, 'train'), join(logs, 'link-in'));
  symlinkSync('nowhere', join(logs, 'link-gone'));
  expect((await list(`${logs}/link`)).entries).toEqual([{ path: join(logs, 'link-in'), kind: 'directory' }]);
  expect((await list(`${logs}/link-in/`)).entries.map(({ path }) => path)).toEqual([
    join(logs, 'link-in', 'deep'),
  ]);
});

test('says that a huge directory is cut, and a longer beginning finds the rest', async () => {
  await host.grant(logs);
  for (let i = 0; i < 450; i += 1) writeFileSync(join(logs, 'train', `${i}.jsonl`), '');
  const cut = await list(`${logs}/train/`);
  expect(cut.isWhole).toBe(false);
  expect(cut.entries).toHaveLength(200);
  expect(cut.entries[0]?.path).toBe(join(logs, 'train', 'deep'));
  const found = await list(`${logs}/train/44`);
  expect(found.isWhole).toBe(true);
  expect(found.entries).toHaveLength(11);
});

test('leaves out the demo, which Turnwise has brought itself', async () => {
  const started = await host.dispatch('ingest.demo', {});
  expect(started.ok).toBe(true);
  expect(await list('')).toEqual(NOTHING);
});
