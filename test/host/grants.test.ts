/** Which files a library may name: only those below what this user has opened for it. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { openWriter } from '../../electron/storage/open.ts';
import type { Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { makeOtherLibrary } from '../contract/twoLibraries.ts';
import { runHere } from '../support/commandLine.ts';
import { rows, type Scratch, scratch } from '../support/library.ts';

const OPTIONS = { shell: 'browser', version: '0.0.0' } as const;
const LOG = [1, 2]
  .map((i) => JSON.stringify({ input: `What is ${i}?`, output: `It is ${i}.`, score: 1, step: 1 }))
  .join('\n');

let place: Scratch;
let logs: string;
let log: string;
let before: string | undefined;
let host: Host | undefined;

/** From now on another account of the machine, or of another one. */
function becomeUser(name: string): void {
  process.env['XDG_DATA_HOME'] = join(place.directory, 'accounts', name);
}

async function open(): Promise<Host> {
  await host?.close();
  host = await createHost({ libraryPath: place.library, ...OPTIONS });
  return host;
}

async function ask<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
  const result = await host?.dispatch(method, params);
  if (result?.ok !== true) throw Object.assign(new Error(result?.failure.message), result?.failure);
  return result.value as ResultOf<M>;
}

beforeEach(async () => {
  before = process.env['XDG_DATA_HOME'];
  place = scratch();
  logs = join(place.directory, 'logs');
  log = join(logs, 'train', '1.jsonl');
  mkdirSync(join(logs, 'train'), { recursive: true });
  writeFileSync(log, `${LOG}\n`);
  becomeUser('author');
  await (await open()).ingest([logs]);
});
afterEach(async () => {
  await host?.close();
  host = undefined;
  if (before === undefined) delete process.env['XDG_DATA_HOME'];
  else process.env['XDG_DATA_HOME'] = before;
  place.remove();
});

const record = () => ask('rollout.record', { rolloutId: 1 });
const named = () => {
  const [run] = rows(place.library, 'SELECT directory FROM run_row');
  return ask('run.setName', { directory: String(run?.['directory']), name: 'renamed' });
};
const HOW = () => `turnwise ingest ${join(logs, 'train')} --library ${place.library}`;

describe('a library of this user', () => {
  test('may read its logs after a restart', async () => {
    await open();
    expect((await record()).text).toContain('What is 1?');
    await named();
    await expect.poll(() => ask('ingest.jobs', {})).toMatchObject([{ state: 'done', rollouts: 2 }]);
    expect(await ask('follow.start', { paths: [logs] })).toMatchObject([{ path: logs }]);
    const path = join(place.directory, 'pack.jsonl');
    await ask('pack.export', { path: 'pack.jsonl', format: 'jsonl', isAll: true, raw: true });
    expect(readFileSync(path, 'utf8')).toMatch(/"raw":\{[^}]*"text":/);
  });

  test('may read them when they are where its run was moved to', async () => {
    const [run] = await ask('run.list', {});
    const path = join(place.directory, 'moved.sqlite');
    await ask('run.move', { runKey: run?.runKey ?? '', path: 'moved.sqlite' });
    await host?.close();
    host = await createHost({ libraryPath: path, ...OPTIONS });
    expect((await record()).text).toContain('What is 1?');
  });

  test('opens nothing outside through a link whose target leaves another link upward', async () => {
    mkdirSync(join(place.directory, 'outside', 'deep'), { recursive: true });
    place.file(join('outside', 'secret.jsonl'), `${LOG}\n`);
    place.file(join('logs', 'secret.jsonl'), `${LOG}\n`);
    symlinkSync(join(place.directory, 'outside', 'deep'), join(logs, 'deep'));
    symlinkSync('deep/../secret.jsonl', join(logs, 'link.jsonl'));
    const inspected = ask('file.inspect', { path: join(logs, 'link.jsonl') });
    await expect(inspected).rejects.toMatchObject({ code: 'not_granted' });
  });

  test('reads on where it was interrupted', async () => {
    await host?.close();
    const db = openWriter(place.library);
    writeFileSync(join(logs, 'train', '2.jsonl'), `${LOG.replaceAll('What', 'Which')}\n`);
    db.prepare('INSERT INTO unread_row (path, bytes, has_adapter) VALUES (?, 1, 0)').run(
      join(logs, 'train', '2.jsonl'),
    );
    db.close();
    const turnwise = () => runHere(place.directory, ['ingest', '--continue', '--library', place.library]);
    becomeUser('reader');
    expect(await turnwise()).toMatchObject({ code: 1, err: expect.stringContaining(HOW()) });
    expect(rows(place.library, 'SELECT count(*) AS n FROM file_row')).toEqual([{ n: 1 }]);
    becomeUser('author');
    expect(await turnwise()).toMatchObject({ code: 0 });
    expect(rows(place.library, 'SELECT count(*) AS n FROM file_row')).toEqual([{ n: 2 }]);
  });
});

describe('a library of somebody else', () => {
  beforeEach(async () => {
    becomeUser('reader');
    await open();
  });

  test('shows no record, until the user opens its directory here', async () => {
    const refused = { code: 'not_granted', message: expect.stringContaining(HOW()) };
    await expect(record()).rejects.toMatchObject(refused);
    const pack = join(place.directory, 'pack.jsonl');
    await ask('pack.export', { path: 'pack.jsonl', format: 'jsonl', isAll: true, raw: true });
    expect(readFileSync(pack, 'utf8')).toContain('which you have not opened here');
    await host?.grant(logs);
    expect((await record()).text).toContain('What is 1?');
    await open();
    expect((await record()).text).toContain('What is 1?');
  });

  test('has no file read again by naming a run, and keeps what it has', async () => {
    await expect(named()).rejects.toMatchObject({ code: 'not_granted' });
    expect(rows(place.library, 'SELECT * FROM run_name_row')).toEqual([]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM rollout_row')).toEqual([{ n: 2 }]);
    expect(await ask('ingest.jobs', {})).toEqual([]);
  });

  test('has no file compared with one that the user opens', async () => {
    const copy = place.file('copy.jsonl', readFileSync(log));
    const report = await host?.ingest([copy]);
    // The file of the library is not opened to find out that it is the same.
    expect(report?.files).toMatchObject([{ status: 'read' }]);
  });

  test('that replaces one of the user gets none of its permissions', async () => {
    await host?.grant(logs);
    await host?.close();
    host = undefined;
    const bytes = readFileSync(place.library);
    place.remove();
    mkdirSync(place.directory);
    place.file('library.sqlite', bytes);
    becomeUser('reader');
    expect((await open()).isGranted(logs)).toBe(false);
  });

  test('offers no library that the user did not open', async () => {
    const other = await makeOtherLibrary(place.directory);
    await host?.known({ remember: { path: other, id: 'other', openedAt: 1 } });
    await host?.close();
    host = undefined;
    const start = () => createLibraryManager({ libraryPath: place.library, ...OPTIONS });
    let manager = await start();
    try {
      const list = async () => (await manager.dispatch('library.list', {})) as { value: unknown[] };
      expect((await list()).value).toHaveLength(1);
      for (const params of [{ path: other }, { id: 'other' }])
        expect(await manager.dispatch('library.open', params)).toMatchObject({ ok: false });
      await manager.grant(other);
      expect(await manager.dispatch('library.open', { path: other })).toMatchObject({ ok: true });
      await manager.close();
      manager = await start();
      expect((await list()).value).toHaveLength(2);
      expect(await manager.dispatch('library.open', { path: other })).toMatchObject({ ok: true });
    } finally {
      await manager.close();
    }
  });

  test('is saved by doctor without the logs that the user has not opened', async () => {
    await host?.close();
    host = undefined;
    const db = openWriter(place.library);
    const [{ page = 0 } = {}] = db
      .prepare<[], { page: number }>("SELECT pageno AS page FROM dbstat WHERE name = 'segment_row' LIMIT 1")
      .all();
    db.close();
    const bytes = readFileSync(place.library);
    bytes.fill(7, (page - 1) * 8192, page * 8192);
    writeFileSync(place.library, bytes);
    const doctor = (...more: readonly string[]) =>
      runHere(place.directory, ['doctor', place.library, ...more]);
    const into = join(place.directory, 'new.sqlite');
    expect(await doctor('--into', into)).toMatchObject({
      code: 3,
      out: expect.stringMatching(
        new RegExp(`logs that you have not opened here.* --library ${into}\n {2}${log}`),
      ),
    });
    const again = join(place.directory, 'again.sqlite');
    const { code, out } = await doctor(logs, '--into', again);
    expect([code, out]).toEqual([0, expect.stringContaining('\n  2 rollouts, read from the logs again\n')]);
    becomeUser('author');
    const third = join(place.directory, 'third.sqlite');
    expect(await doctor('--into', third)).toMatchObject({ code: 0 });
    host = await createHost({ libraryPath: third, ...OPTIONS });
    expect(host.isGranted(log)).toBe(true);
  });
});
