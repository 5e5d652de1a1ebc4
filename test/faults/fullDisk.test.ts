/** A full disk: every command names the path and loses nothing, and works again once there is room. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { RunRules } from '../../electron/storage/runRules.ts';
import { storageFailure } from '../../electron/storage/storageFailure.ts';
import { CLI } from '../support/commandLine.ts';
import { ingestHere, ingestInto, rows, type Scratch, scratch } from '../support/library.ts';
import { beginningOfDemo, copyDemoLibrary, DEMO_LOG } from '../support/preparedLibrary.ts';

/** Some systems do not let a user mount a file system of their own. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

let place: Scratch;
let disk: string;
beforeEach(() => {
  place = scratch();
  disk = join(place.directory, 'disk');
  mkdirSync(disk);
});
afterEach(() => place.remove());

/** Runs commands with a disk of this many KiB at `$D`; `turnwise` and `resize KIB` are functions. */
function onDisk(kib: number, script: string): { readonly code: number | null; readonly text: string } {
  const functions = `
    turnwise() { "$NODE" "$CLI" "$@"; }
    resize() { mount -o remount,size=$1k "$D"; }
    mount -t tmpfs -o size=${kib}k tmpfs "$D"; exec 2>&1; `;
  const env = { ...process.env, D: disk, L: place.library, LOG: DEMO_LOG, CLI, NODE: process.execPath };
  const child = spawnSync('unshare', ['-rm', 'sh', '-c', functions + script], { encoding: 'utf8', env });
  return { code: child.status, text: child.stdout.replaceAll(disk, 'DISK') };
}

describe.skipIf(!canMount)('a full disk', () => {
  it('stops an ingest, which continues when there is room', () => {
    const { text } = onDisk(
      3000,
      `turnwise ingest "$LOG" --library "$D/l.sqlite"; echo "exit $?"; resize 30000
       turnwise ingest "$LOG" --library "$D/l.sqlite"; echo "exit $?"`,
    );
    expect(text.replace(DEMO_LOG, 'LOG')).toMatch(
      /turnwise: not everything is saved: the disk is full, and the library DISK\/l\.sqlite cannot grow\. Saved: [\d,]+ rollouts that this call has read\. Not saved: the rest of LOG\. Free some space and try again\nexit 1\n/,
    );
    expect(text).toMatch(
      /1,981 rollouts in 77 groups from 1 file, 0 issues.*\nlibrary: DISK\/l\.sqlite\nexit 0/,
    );
  });

  it('refuses a label, and loses none', async () => {
    await copyDemoLibrary(place.library);
    const { text } = onDisk(
      9000,
      `cp "$L" "$D/l.sqlite"; turnwise label 1 loops --library "$D/l.sqlite"
       cat /dev/zero > "$D/fill"; turnwise label 2 loops --library "$D/l.sqlite"; echo "exit $?"
       rm "$D/fill"; turnwise label 3 loops --library "$D/l.sqlite"
       turnwise annotations --library "$D/l.sqlite" --count`,
    );
    expect(text).toContain('not saved: the disk is full, and the library DISK/l.sqlite cannot grow');
    expect(text).toMatch(/exit 1\n.*\(rollout 3\): loops.*\n2\n$/);
  });

  it.each([
    ['export --format jsonl --all --out "$D/new"'],
    ['export --out "$D/new"'],
    ['move --run synthetic-grpo-roc-demo --to "$D/new.sqlite"'],
  ])('leaves nothing of %s', async (command) => {
    await copyDemoLibrary(place.library);
    const { text } = onDisk(
      5000,
      `cp "$L" "$D/l.sqlite"; turnwise ${command} --library "$D/l.sqlite"; echo "exit $?"
       ls -d "$D"/new*; turnwise query --library "$D/l.sqlite" "SELECT count(*) AS n FROM rollout"`,
    );
    expect(text).toMatch(
      /not written: the disk of DISK\/new(\.sqlite)? is full\. The library is unchanged\./,
    );
    expect(text).toMatch(/\nexit 1\nls: .*No such file or directory\n\{"n":1981\}\n$/);
  });

  it('keeps a moved run on exactly one side, however much room there is', async () => {
    await copyDemoLibrary(place.library);
    const { text } = onDisk(
      40_000,
      `for free in 4000 10000 12000; do
         cp "$L" "$D/l.sqlite"
         dd if=/dev/zero of="$D/fill" bs=1024 count=$(($(df -k --output=avail "$D" | tail -1) - free)) status=none
         turnwise move --run synthetic-grpo-roc-demo --to "$D/new.sqlite" --library "$D/l.sqlite"; echo "exit $?"
         rm "$D/fill"
         turnwise query --library "$D/l.sqlite" "SELECT count(*) AS n FROM rollout"
         ! [ -f "$D/new.sqlite" ] || turnwise query --library "$D/new.sqlite" "SELECT count(*) AS n FROM rollout"
         rm -f "$D"/*
       done`,
    );
    const tries = text.split(/^exit /m).slice(1);
    expect(tries).toHaveLength(3);
    expect(new Set(tries.map(([code]) => code))).toEqual(new Set(['0', '1']));
    for (const after of tries) {
      const counts = [...after.matchAll(/\{"n":(\d+)\}/g)].map(([, n]) => Number(n));
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(1981);
      expect(counts).toHaveLength(after.startsWith('0') ? 2 : 1);
    }
  });

  it('refuses to compact before anything is written', async () => {
    await copyDemoLibrary(place.library);
    const { text } = onDisk(
      6000,
      `cp "$L" "$D/l.sqlite"; SQLITE_TMPDIR="$D" turnwise compact --library "$D/l.sqlite"; echo "exit $?"
       turnwise index --library "$D/l.sqlite"`,
    );
    expect(text).toMatch(
      /not compacted: DISK has \d+ bytes free, but a copy needs \d+\. The library is unchanged\nexit 1\n/,
    );
  });
});

describe('an ingest whose disk is full after the last rollout', () => {
  const full = (): never => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  const count = (): number => Number(rows(place.library, 'SELECT count(*) AS n FROM rollout')[0]?.['n']);
  const failureOf = async (log: string): Promise<string | undefined> => {
    const error: unknown = await ingestHere(place.library, [log]).catch((thrown: unknown) => thrown);
    return storageFailure(error, '/l.sqlite')?.message;
  };
  afterEach(() => vi.restoreAllMocks());

  it('says that only the end of the file was not noted', async () => {
    vi.spyOn(LibraryWriter.prototype, 'updateFile').mockImplementationOnce(full);
    const log = beginningOfDemo();
    const message = await failureOf(log);
    const n = count();
    expect(n).toBeGreaterThan(0);
    expect(message).toBe(
      `not everything is saved: the disk is full, and the library /l.sqlite cannot grow. Saved: ${n} rollouts that this call has read. Not saved: only that ${log} was read to its end. Free some space and try again`,
    );
  });

  it('says that annotations and rules were not applied', async () => {
    vi.spyOn(RunRules.prototype, 'apply').mockImplementationOnce(full);
    expect(await failureOf(beginningOfDemo())).toMatch(
      /Saved: \d+ rollouts that this call has read\. Not saved: which annotations, pool joins, tokenizers and metrics belong to the new rollouts/,
    );
  });

  it('succeeds if only the write-ahead log cannot be copied', async () => {
    const db = openWriter(place.library);
    const pragma = db.pragma.bind(db);
    db.pragma = (sql, options) => (sql.startsWith('wal_checkpoint') ? full() : pragma(sql, options));
    try {
      expect((await ingestInto(db, [beginningOfDemo()])).added).toBeGreaterThan(0);
    } finally {
      db.close();
    }
    expect(count()).toBeGreaterThan(0);
  });
});

describe('the failure of a storage error', () => {
  const failureOf = (code: string, output?: string) =>
    storageFailure(Object.assign(new Error('reason'), { code }), '/l.sqlite', output)?.message;

  it('names the library', () => {
    expect(failureOf('SQLITE_FULL')).toContain('the disk is full, and the library /l.sqlite cannot grow');
    expect(failureOf('SQLITE_CORRUPT_VTAB')).toContain('turnwise doctor /l.sqlite --into NEW.turnwise');
    expect(failureOf('SQLITE_BUSY_SNAPSHOT')).toContain('the library /l.sqlite is in use');
    expect(failureOf('SQLITE_PROTOCOL')).toContain('file system without file locks');
    expect(failureOf('SQLITE_IOERR_READ')).toContain('the disk reports an error (SQLITE_IOERR_READ)');
  });

  it('names the output instead, if one is written', () => {
    expect(failureOf('ENOSPC', '/pack.html')).toContain('the disk of /pack.html is full');
    expect(failureOf('EFBIG', '/pack.html')).toContain('/pack.html would be larger than its disk');
    expect(failureOf('EACCES', '/pack.html')).toBe('not written: /pack.html cannot be written (reason)');
  });

  it('is unknown for bugs', () => {
    expect(failureOf('SQLITE_ERROR')).toBeUndefined();
    expect(storageFailure(new TypeError('bug'), '/l.sqlite')).toBeUndefined();
  });

  it('is a full library for a connection that cannot grow', async () => {
    await copyDemoLibrary(place.library);
    const db = openWriter(place.library);
    try {
      db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true }))}`);
      const fill = db.prepare('INSERT INTO saved_view_row VALUES (?, hex(randomblob(200000)))');
      expect(() => fill.run('large')).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }));
      expect(db.prepare('SELECT count(*) FROM saved_view_row').pluck().get()).toBe(0);
    } finally {
      db.close();
    }
  });
});
