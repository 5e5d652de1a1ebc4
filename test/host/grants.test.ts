/** Which files a library may name: only those below what this user has opened for it. */
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { createLibraryManager } from '../../electron/host/libraryManager.ts';
import { isOpened } from '../../electron/ingest/granted.ts';
import { openWriter } from '../../electron/storage/open.ts';
import type { HostEvent, Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import { makeOtherLibrary } from '../contract/twoLibraries.ts';
import { runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

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
  process.env['TURNWISE_HOME'] = join(place.directory, 'accounts', name);
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
  before = process.env['TURNWISE_HOME'];
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
  if (before === undefined) delete process.env['TURNWISE_HOME'];
  else process.env['TURNWISE_HOME'] = before;
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

  test('is told which paths have to be opened again when they cannot be kept', async () => {
    await host?.close();
    host = undefined;
    becomeUser('full');
    // A file where the directory should be fails for every account, like a full disk.
    place.file(join('accounts', 'full'), '');
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await runHere(place.directory, ['ingest', logs, '--library', place.library]);
    const said = `Turnwise cannot remember that you opened ${logs} (ENOTDIR`;
    expect(printed.mock.calls).toEqual([[expect.stringContaining(`turnwise: ${said}`)]]);
    expect(String(printed.mock.calls[0])).toContain('Open it again at the next start.');
    printed.mockRestore();

    const again = await open();
    const events: HostEvent[] = [];
    again.subscribe((event) => events.push(event));
    await again.grant(logs);
    const warnings = [{ message: expect.stringContaining(said) }];
    for (let time = 0; time < 2; time += 1) await ask('ingest.start', { paths: [log] });
    const warned = events.filter(({ event }) => event === 'library.warned');
    expect(warned).toEqual([{ event: 'library.warned', payload: { warnings } }]);
    expect(await ask('host.info', {})).toMatchObject({ warnings });
    expect((await record()).text).toContain('What is 1?');
    expect((await open()).isGranted(logs)).toBe(false);
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

  test('reads nothing outside through a path that became a link after it was asked for', async () => {
    const secret = place.file('secret.jsonl', `${LOG.replaceAll('What', 'Who')}\n`);
    const link = join(logs, 'link.jsonl');
    symlinkSync(secret, link);
    const mayRead = (path: string) => isOpened(path, [realpathSync.native(logs)]);
    const { files } = await ingestHere(join(place.directory, 'other.sqlite'), [link, log], { mayRead });
    expect(files).toMatchObject([
      { path: link, status: 'refused', issues: [{ code: 'link_outside' }] },
      { path: log, status: 'read', rollouts: 2 },
    ]);
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

/** Overwrites a page of the library, after a statement that changes it. */
async function damage(statement = ''): Promise<void> {
  await host?.close();
  host = undefined;
  const db = openWriter(place.library);
  db.exec(statement);
  const [{ page = 0 } = {}] = db
    .prepare<[], { page: number }>("SELECT pageno AS page FROM dbstat WHERE name = 'segment_row' LIMIT 1")
    .all();
  db.close();
  const bytes = readFileSync(place.library);
  bytes.fill(7, (page - 1) * 8192, page * 8192);
  writeFileSync(place.library, bytes);
}

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
    await ask('ingest.start', { paths: [logs] });
    await open();
    expect((await record()).text).toContain('What is 1?');
  });

  test('keeps nothing that the user opens for a library beside it', async () => {
    await host?.close();
    host = undefined;
    const beside = join(place.directory, 'beside.sqlite');
    const manager = await createLibraryManager({ libraryPath: beside, ...OPTIONS });
    try {
      await manager.grant(place.library);
      expect(await manager.dispatch('library.open', { path: place.library })).toMatchObject({ ok: true });
      await manager.grant(logs);
      expect(await manager.dispatch('ingest.start', { paths: [logs] })).toMatchObject({ ok: true });
    } finally {
      await manager.close();
    }
    const here = await open();
    expect(here.isGranted(logs)).toBe(false);
    await here.close();
    host = await createHost({ libraryPath: beside, ...OPTIONS });
    expect(host.isGranted(log)).toBe(true);
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
    await host?.ingest([logs]);
    expect((await open()).isGranted(logs)).toBe(true);
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
    await damage();
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

  test('has no path looked at by doctor whose text is outside what was opened', async () => {
    becomeUser('author');
    // A look at it would find an opened file.
    symlinkSync(logs, join(place.directory, 'share'));
    const named = join(place.directory, 'share', 'train', '1.jsonl');
    await damage(`UPDATE file_row SET path = '${named}'`);
    const into = join(place.directory, 'new.sqlite');
    expect(await runHere(place.directory, ['doctor', place.library, '--into', into])).toMatchObject({
      code: 3,
      out: expect.stringMatching(new RegExp(`logs that you have not opened here.*\n {2}${named}`)),
    });
  });
});
