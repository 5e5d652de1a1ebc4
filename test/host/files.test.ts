/** Files that Turnwise makes, and paths that a page may name. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PackFile } from '../../electron/export/pack/packFile.ts';
import { ParquetPack } from '../../electron/export/pack/parquet.ts';
import { AppLog } from '../../electron/host/appLog.ts';
import { createHost } from '../../electron/host/createHost.ts';
import { readFileStates } from '../../electron/host/follower.ts';
import { isBelowAny } from '../../electron/ingest/granted.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { runHere } from '../support/commandLine.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const at = (...names: string[]): string => join(place.directory, ...names);
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const isPosix = process.platform !== 'win32';
const LINE = `${JSON.stringify({ input: 'user\nq\nassistant\n', output: '#### 1', score: 1, step: 1 })}\n`;

describe.skipIf(!isPosix)('a new file', () => {
  it('of the library is its user’s only', () => {
    const db = openWriter(at('data', 'library.sqlite'));
    db.exec('CREATE TABLE a (b)');
    expect(
      ['data', 'data/library.sqlite', 'data/library.sqlite-wal'].map((name) => modeOf(at(name))),
    ).toEqual(['700', '600', '600']);
    db.close();
  });

  it('of compiled code is its user’s only, and never in the shared temporary directory', () => {
    mkdirSync(at('tmp'));
    const { NODE_COMPILE_CACHE: _shared, ...env } = process.env;
    execFileSync(process.execPath, [join(import.meta.dirname, '../../dist/electron/cli.js'), 'formats'], {
      env: { ...env, TMPDIR: at('tmp'), HOME: at('home'), TURNWISE_HOME: at('data') },
      stdio: 'ignore',
    });
    expect(readdirSync(at('tmp'))).toEqual([]);
    expect(modeOf(at('data', 'compiled'))).toBe('700');
  });

  it('of the log is its user’s only; no link is followed, and no pipe waited for', () => {
    new AppLog(at('mine.turnwise')).write('kept');
    expect(readFileSync(at('mine.turnwise.log'), 'utf8')).toMatch(/ kept\n$/);
    expect(modeOf(at('mine.turnwise.log'))).toBe('600');
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    place.file('profile', 'of the user');
    symlinkSync(at('profile'), at('link.turnwise.log'));
    new AppLog(at('link.turnwise')).write('damaged: a table with any name');
    expect(readFileSync(at('profile'), 'utf8')).toBe('of the user');
    execFileSync('mkfifo', [at('pipe.turnwise.log')]);
    new AppLog(at('pipe.turnwise')).write('waits for no reader');
    expect(complaints).toHaveBeenCalledTimes(2);
    complaints.mockRestore();
  });

  it('of a pack is its user’s only, and no link is followed', () => {
    place.file('mine', 'kept');
    symlinkSync(at('mine'), at('link.jsonl.partial'));
    expect(() => new PackFile(at('link.jsonl'))).toThrow(/partial already exists/);
    const pack = new PackFile(at('pack.jsonl'));
    pack.write('text');
    pack.finish('head ');
    expect(readFileSync(at('mine'), 'utf8')).toBe('kept');
    expect(readFileSync(at('pack.jsonl'), 'utf8')).toBe('head text');
    expect(modeOf(at('pack.jsonl'))).toBe('600');
  });

  it('of a Parquet pack is its user’s only, and has its name when the pack is whole', () => {
    const pack = new ParquetPack(at('pack'));
    expect(existsSync(at('pack'))).toBe(false);
    pack.finish({} as Parameters<ParquetPack['finish']>[0]);
    expect(readdirSync(at('pack')).sort()).toEqual(['annotations.parquet', 'manifest.json']);
    expect(
      ['pack', 'pack/annotations.parquet', 'pack/manifest.json'].map((name) => modeOf(at(name))),
    ).toEqual(['700', '600', '600']);
    expect(readdirSync(place.directory)).toEqual(['pack']);
  });

  it('of a pack is not replaced while it is written, nor is a file of the user', () => {
    const first = new PackFile(at('a.jsonl'));
    first.write('first');
    expect(() => new PackFile(at('a.jsonl'))).toThrow(/a.jsonl.partial already exists: it is being/);
    place.file('a.jsonl.whole.partial', 'of the user');
    expect(() => first.finish('head')).toThrow(/whole.partial already exists/);
    expect(readFileSync(at('a.jsonl.whole.partial'), 'utf8')).toBe('of the user');
    first.abandon();
    expect(existsSync(at('a.jsonl.partial'))).toBe(false);
    const directory = new ParquetPack(at('b'));
    expect(() => new ParquetPack(at('b'))).toThrow(/b.partial already exists: it is being/);
    directory.abandon();
    expect(existsSync(at('b.partial'))).toBe(false);
  });

  it('of the start lock is below a directory of the user', async () => {
    const script = `
      import { withLock } from ${JSON.stringify(new URL('../../electron/start/lock.mjs', import.meta.url).href)};
      await withLock('/checkout', () => process.stdout.write('locked'));`;
    const env = { ...process.env, XDG_CACHE_HOME: at('cache') };
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env,
      encoding: 'utf8',
    });
    expect(said).toBe('locked');
    expect(modeOf(at('cache', 'turnwise'))).toBe('700');
  });
});

describe.skipIf(!isPosix)('a pipe in place of a file of SQLite', () => {
  it.each(['', '-wal', '-shm', '-journal'])('is not waited for (%s)', async (suffix) => {
    const library = at('l.turnwise');
    if (suffix !== '') openWriter(library).close();
    execFileSync('mkfifo', [library + suffix]);
    const message = `the library ${library} is not opened: ${library}${suffix} is not a regular file`;
    const options = { libraryPath: library, shell: 'browser', version: '0.0.0' } as const;
    await expect(createHost(options)).rejects.toThrow(message);
    for (const argv of [
      ['doctor', library],
      ['query', '--library', library, 'SELECT 1'],
    ])
      expect(await runHere(place.directory, argv)).toEqual({
        code: 1,
        out: '',
        err: `turnwise: ${message}\n`,
      });
  });
});

describe('a path that a page names', () => {
  it('is granted by its nearest parent that exists', () => {
    mkdirSync(at('granted', 'sub'), { recursive: true });
    mkdirSync(at('outside'));
    symlinkSync(at('outside'), at('granted', 'link'));
    const granted = new Set([at('granted')]);
    const isGranted = (...names: string[]) => isBelowAny([place.directory, ...names].join('/'), granted);
    expect(isGranted('granted', 'later', 'a.jsonl')).toBe(true);
    expect(isGranted('granted', '..', 'outside', 'late.jsonl')).toBe(false);
    expect(isGranted('granted', 'sub', '..', 'a.jsonl')).toBe(false);
    expect(isGranted('granted', 'link', 'late.jsonl')).toBe(false);
    expect(isGranted('granted-too', 'a.jsonl')).toBe(false);
    // Each level of a path that does not exist costs a call of the system.
    expect(isGranted('granted', ...new Array(200).fill('a'))).toBe(true);
    expect(isGranted('granted', ...new Array(300).fill('a'))).toBe(false);
  });

  it('is not followed out of what was opened, also when it appears later', async () => {
    mkdirSync(at('granted'));
    mkdirSync(at('outside'));
    const host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
    try {
      await host.grant(at('granted'));
      const follow = (path: string) => host.dispatch('follow.start', { paths: [path] });
      const refused = await follow(`${at('granted')}/../outside/late.jsonl`);
      expect(refused).toMatchObject({ ok: false });
    } finally {
      await host.close();
    }
    const granted = new Set([at('granted')]);
    const late = at('granted', 'late.jsonl');
    expect(isBelowAny(late, granted)).toBe(true);
    place.file('outside/late.jsonl', LINE);
    symlinkSync(at('outside', 'late.jsonl'), late);
    const states = await readFileStates(late, { mayRead: (path) => isBelowAny(path, granted) });
    expect(states).toBe('outside');
  });
});

describe('a link in an opened directory', () => {
  it('is an issue if it leads out of it', async () => {
    mkdirSync(at('opened', 'sub'), { recursive: true });
    place.file('secret.jsonl', LINE);
    writeFileSync(at('opened', 'sub', 'b.jsonl'), LINE);
    symlinkSync(at('secret.jsonl'), at('opened', 'a.jsonl'));
    symlinkSync(at('opened', 'sub'), at('opened', 'same'));
    const { files } = await ingestHere(place.library, [at('opened')]);
    expect(files).toMatchObject([
      { path: at('opened', 'a.jsonl'), rollouts: 0, issues: [{ code: 'link_outside' }] },
      { path: at('opened', 'sub', 'b.jsonl'), rollouts: 1, issues: [] },
    ]);
    // Opened itself, it is read.
    rmSync(place.library);
    expect((await ingestHere(place.library, [at('opened'), at('secret.jsonl')])).files).toHaveLength(2);
  });
});

describe.skipIf(!isPosix)('an ending process', () => {
  it('is killed when a thread is inside a system call', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const script = `
      import { Worker } from 'node:worker_threads';
      import { endWithin } from ${JSON.stringify(new URL('../../electron/host/endWithin.ts', import.meta.url).href)};
      // The thread waits for the other end of the pipe.
      const code = 'require("node:fs").readFileSync(require("node:worker_threads").workerData)';
      new Worker(code, { eval: true, execArgv: [], workerData: ${JSON.stringify(at('pipe'))} });
      endWithin(100);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
