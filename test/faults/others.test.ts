/** Other processes on the same library, a clock that is set back, threads that crash, file systems without locks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { Annotations } from '../../electron/storage/annotations.ts';
import { listKnownLibraries, rememberLibrary } from '../../electron/storage/knownLibraries.ts';
import { openWriter } from '../../electron/storage/open.ts';
import { storageFailure } from '../../electron/storage/storageFailure.ts';
import type { Runner } from '../../electron/threads/runner.ts';
import type { ParsedParams } from '../../shared/api/contract.ts';
import { CLI } from '../support/commandLine.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary, DEMO_LOG } from '../support/preparedLibrary.ts';

const JOB = join(import.meta.dirname, '../support/killedJob.ts');

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

async function ended(...argv: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

const integrity = (): unknown => {
  const db = openWriter(place.library);
  try {
    return db.pragma('integrity_check', { simple: true });
  } finally {
    db.close();
  }
};

it('survives that another process cuts the library off while it is read', async () => {
  await copyDemoLibrary(place.library);
  const script = place.file(
    'read.ts',
    `import { truncateSync } from 'node:fs';
     import { openReader } from ${JSON.stringify(join(import.meta.dirname, '../../electron/storage/open.ts'))};
     const db = openReader(process.argv[2]);
     try {
       for (const _ of db.prepare('SELECT * FROM rollout_row').iterate()) truncateSync(process.argv[2], 65536);
     } catch (error) {
       process.exitCode = error.code.startsWith('SQLITE_') ? 7 : 1;
     }`,
  );
  expect(await ended(script, place.library)).toBe(7);
});

describe('several processes', () => {
  it('label one library, and lose nothing', async () => {
    await copyDemoLibrary(place.library);
    const codes = await Promise.all([1, 2, 3].map(() => ended(JOB, 'label', place.library, '0')));
    expect(codes).toEqual([0, 0, 0]);
    // Each labels the same rollouts in the same way, so one label is left of three.
    expect(
      rows(place.library, 'SELECT count(*) AS n, count(DISTINCT rollout_id) AS of FROM annotation'),
    ).toEqual([{ n: 12, of: 12 }]);
    expect(integrity()).toBe('ok');
  });

  it('read the same logs into one library, without doubles', async () => {
    const expected = scratch();
    try {
      await ingestHere(expected.library, [DEMO_LOG]);
      const argv = [CLI, 'ingest', DEMO_LOG, '--library', place.library];
      const codes = await Promise.all([1, 2].map(() => ended(...argv)));
      // The second refuses to write what the first is reading, or finds it read.
      expect(codes).toContain(0);
      expect(await ended(...argv)).toBe(0);
      expect(contents(place.library)).toEqual(contents(expected.library));
      expect(integrity()).toBe('ok');
    } finally {
      expected.remove();
    }
  });
});

describe('a clock that is set back', () => {
  it('keeps the order of changes', async () => {
    await copyDemoLibrary(place.library);
    const db = openWriter(place.library);
    const annotations = new Annotations(db);
    const put = (label: string, rolloutId: number, now: number) => {
      const changes = [{ put: { rolloutId, target: { kind: 'rollout' }, label } }];
      annotations.apply({ author: 'ann', changes } as unknown as ParsedParams<'annotation.apply'>, now);
    };
    put('loops', 1, 2_000_000);
    put('loops', 2, 1_000);
    expect(annotations.undo({ author: 'ann' }).value.rolloutIds).toEqual([2]);
    expect(annotations.undo({ author: 'ann' }).value.rolloutIds).toEqual([1]);
    expect(annotations.redo({ author: 'ann' }).value.rolloutIds).toEqual([1]);
    db.close();
  });

  it('lists the library that was opened last first', () => {
    const db = openWriter(place.library);
    for (let i = 0; i < 30; i += 1)
      rememberLibrary(db, { path: `/${i}.sqlite`, id: `id-${i}`, openedAt: 2_000_000 + i });
    rememberLibrary(db, { path: '/now.sqlite', id: 'now', openedAt: 1_000 });
    expect(listKnownLibraries(db)[0]?.path).toBe('/now.sqlite');
    // Somebody else's library may have any number.
    db.exec(`INSERT INTO known_library_row (path, id, opened_at)
      SELECT value, value, value FROM json_each('[${Array.from({ length: 99 }, (_, i) => i).join()}]')`);
    expect(listKnownLibraries(db)).toHaveLength(30);
    db.close();
  });
});

describe('a thread that crashes', () => {
  type Threads = Record<string, { readonly threads: readonly { readonly runner: Runner }[] }>;

  /** Ends a thread of the host from outside, while it has nothing to do. */
  async function crash(host: Host, name: string): Promise<void> {
    const { clients } = (host as unknown as { readonly threads: { readonly clients: Threads } }).threads;
    const ended = (clients[name]?.threads ?? []).map(({ runner }) => {
      runner.terminate();
      return runner.exited;
    });
    await Promise.all(ended);
  }

  it('is replaced, and everything answered before is there', async () => {
    await copyDemoLibrary(place.library);
    const host = await createHost({ libraryPath: place.library, shell: 'browser', version: 'test' });
    try {
      const save = (name: string) => host.dispatch('view.save', { name, filter: 'reward:0' });
      for (const thread of ['writer', 'reader']) {
        expect(await save(`before ${thread}`)).toMatchObject({ ok: true });
        expect(await host.dispatch('view.list', {})).toMatchObject({ ok: true });
        await crash(host, thread);
      }
      expect(await save('after')).toMatchObject({ ok: true });
      expect(await host.dispatch('view.list', {})).toMatchObject({
        value: [{ name: 'after' }, { name: 'before reader' }, { name: 'before writer' }],
      });
    } finally {
      await host.close();
    }
  });
});

describe('a file system without locks', () => {
  const { statfsSync } = fs;
  afterEach(() => {
    fs.statfsSync = statfsSync;
    syncBuiltinESMExports();
  });

  it('is named when the library cannot be locked', () => {
    const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
    expect(storageFailure(busy, place.library)?.message).toContain('is in use');
    const NFS = 0x6969;
    fs.statfsSync = ((path: string) => ({ ...statfsSync(path), type: NFS })) as typeof statfsSync;
    syncBuiltinESMExports();
    expect(storageFailure(busy, place.library)?.message).toBe(
      `the library ${place.library} is on a file system without file locks or shared memory, such as a network drive. Copy it to a local disk and open the copy`,
    );
  });
});
