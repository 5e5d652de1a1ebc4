/** Several libraries of one application: each answers for itself, and none opens without a grant. */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHost } from '../../electron/host/createHost.ts';
import type { LibraryManager } from '../../electron/host/host.ts';
import { createLibraryManager, uniqueId } from '../../electron/host/libraryManager.ts';
import { libraryOfWarehouse } from '../../electron/host/libraryPath.ts';
import { openPaths } from '../../electron/host/openPaths.ts';
import { NEWEST_VERSION } from '../../electron/storage/migrate.ts';
import { type NamedWarehouse, readAddress } from '../../electron/warehouse/namedWarehouse.ts';
import type { HostEvent, LibraryRow, Method, ParamsOf, ResultOf } from '../../shared/api/contract.ts';
import type { Result } from '../../shared/api/errors.ts';
import { readInto } from '../contract/cases.ts';
import { makeOtherLibrary, OTHER_ID, OTHER_LOG } from '../contract/twoLibraries.ts';
import { copyDemoLibrary, copyLibraryOf } from '../support/preparedLibrary.ts';
import { HOSTILE_RUN, writeHostileLog } from '../support/shells/hostileLog.ts';
import { createTemporaryHome } from '../support/shells/temporaryHome.ts';
import { startSmallWarehouse } from '../support/smallWarehouse.ts';

const DEMO = fileURLToPath(new URL('../../fixtures/demo/demo.jsonl', import.meta.url));
const DEMO_RUN = 'synthetic-grpo-roc-demo';
const OPTIONS = { shell: 'browser', version: '0.0.0' } as const;

let home: ReturnType<typeof createTemporaryHome>;
let manager: LibraryManager;
let other: string;
/** A new manager for each test of a `describe`. */
function withManager({ hasDemo }: { readonly hasDemo: boolean }): void {
  beforeEach(async () => {
    home = createTemporaryHome();
    other = await makeOtherLibrary(home.directory);
    if (hasDemo) await copyDemoLibrary(home.libraryPath);
    manager = await createLibraryManager({ libraryPath: home.libraryPath, ...OPTIONS });
  });
  afterEach(async () => {
    await manager.close();
    home.remove();
  });
}

const at = (name: string): string => join(home.directory, name);

async function ask<M extends Method>(method: M, params: ParamsOf<M>, library?: string): Promise<ResultOf<M>> {
  const result = await manager.dispatch(method, params, undefined, library);
  if (!result.ok) throw new Error(`${method}: ${result.failure.message}`);
  return result.value as ResultOf<M>;
}

async function failureOf(answer: Promise<Result<unknown>>) {
  const result = await answer;
  if (result.ok) throw new Error(`it was answered: ${JSON.stringify(result.value)}`);
  return result.failure;
}

async function open(path: string): Promise<LibraryRow> {
  await manager.grant(path);
  return ask('library.open', { path });
}

const runKeys = async (library?: string): Promise<readonly string[]> =>
  (await ask('run.list', {}, library)).map(({ runKey }) => runKey).sort();

describe('two libraries', () => {
  withManager({ hasDemo: false });

  test('each answer for themselves, and their events name them', async () => {
    await readInto(manager, DEMO);
    const row = await open(other);
    expect(row).toMatchObject({ id: OTHER_ID, name: 'other runs', isHome: false, isOpen: true, path: other });
    const [here, there] = [await runKeys(), await runKeys(OTHER_ID)];
    expect(here).toContain(DEMO_RUN);
    expect(there.length).toBeGreaterThan(0);
    expect(there.filter((key) => here.includes(key))).toEqual([]);
    expect(await runKeys('home')).toEqual(here);

    const seen: HostEvent[] = [];
    manager.subscribe((event) => seen.push(event));
    await readInto(manager, DEMO, OTHER_ID);
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen.map(({ library }) => library))).toEqual(new Set([OTHER_ID]));
    seen.length = 0;
    await readInto(manager, DEMO);
    expect(new Set(seen.map(({ library }) => library))).toEqual(new Set([undefined]));
    expect(await runKeys(OTHER_ID)).toEqual([...there, ...here].sort());
  });

  test('are listed with their content, the home library first', async () => {
    await open(other);
    const [first, second, ...more] = await ask('library.list', {});
    expect(first).toMatchObject({ id: 'home', isHome: true, isOpen: true, runs: 0, rollouts: 0 });
    expect(second).toMatchObject({ id: OTHER_ID, isHome: false, isOpen: true });
    expect(second?.runs).toBe((await runKeys(OTHER_ID)).length);
    expect(second?.sizeBytes).toBeGreaterThan(10_000);
    expect(more).toEqual([]);
    // The list is the same for every library that is asked.
    expect(await ask('library.list', {}, OTHER_ID)).toEqual(await ask('library.list', {}));
  });

  test('one that the system gives opens beside the logs; the content decides, not the name', async () => {
    const named = at('june.turnwise');
    renameSync(other, named);
    const pack = at('a pack.turnwise');
    copyFileSync(writeHostileLog(home.directory), pack);
    expect(await openPaths(manager, [named, pack])).toEqual({ ok: true, value: { library: 'june' } });
    await expect.poll(() => runKeys()).toEqual([HOSTILE_RUN]);
    expect(await openPaths(manager, [home.libraryPath])).toEqual({ ok: true, value: { library: 'home' } });
    expect(await openPaths(manager, [pack])).toEqual({ ok: true, value: {} });
    expect(await failureOf(openPaths(manager, [named, at('none.turnwise')]))).toMatchObject({
      code: 'not_found',
    });
    await ask('library.close', { id: 'june' });
    new Database(named).exec(`PRAGMA user_version = ${NEWEST_VERSION + 1}`).close();
    expect(await failureOf(openPaths(manager, [named]))).toMatchObject({ code: 'newer_database' });
  });

  test('a closed one is named in the failure', async () => {
    expect(await failureOf(manager.dispatch('run.list', {}, undefined, 'no such'))).toEqual({
      code: 'not_found',
      message: 'no library "no such" is open',
    });
  });

  test('the same file opens once, by any path, at any moment', async () => {
    symlinkSync(other, at('link.sqlite'));
    linkSync(other, at('hard.sqlite'));
    await manager.grant(home.directory);
    const rows = await Promise.all(
      [
        other,
        other,
        at('hard.sqlite'),
        at('link.sqlite'),
        join(home.directory, '.', 'other runs.sqlite'),
      ].map((path) => ask('library.open', { path })),
    );
    rows.push(await ask('library.open', { path: at('hard.sqlite') }));
    expect(rows.map(({ id }) => id)).toEqual(rows.map(() => OTHER_ID));
    expect(await ask('library.list', {})).toHaveLength(2);
    expect((await ask('library.open', { path: home.libraryPath })).id).toBe('home');
  });
});

describe('opening', () => {
  withManager({ hasDemo: false });

  test('a path that nobody granted is refused', async () => {
    const failure = await failureOf(manager.dispatch('library.open', { path: other }));
    expect(failure.code).toBe('not_granted');
    expect(failure.message).toContain(other);
  });

  test('a path that nobody granted is refused alike whether it exists or not', async () => {
    const refusals = async (path: string) => {
      const failures = await Promise.all([
        failureOf(manager.dispatch('library.open', { path })),
        failureOf(manager.dispatch('follow.start', { paths: [path] })),
        failureOf(manager.dispatch('file.inspect', { path })),
        failureOf(manager.dispatch('run.move', { runKey: DEMO_RUN, path: join(path, 'x.sqlite') })),
        failureOf(manager.dispatch('run.export', { path: join(path, 'x') })),
      ]);
      return failures.map(({ code, message }) => [code, message.replaceAll(path, 'PATH')]);
    };
    // The temporary directory of this machine may be a link, whose target is no business of a page either.
    symlinkSync(home.directory, at('link'));
    const missing = await refusals(at('no such directory'));
    expect(new Set(missing.map(([code]) => code))).toEqual(new Set(['not_granted']));
    expect(await refusals(at('link'))).toEqual(missing);
    expect(await refusals(home.directory)).toEqual(missing);
  });

  test('a file that is not a library is refused and unchanged', async () => {
    await manager.grant(home.directory);
    writeFileSync(at('text.sqlite'), 'a text that calls itself a library, and is long enough to be one');
    writeFileSync(at('empty.sqlite'), '');
    mkdirSync(at('folder.sqlite'));
    const foreign = new Database(at('foreign.sqlite'));
    foreign.exec('CREATE TABLE notes (text)');
    foreign.close();
    const newer = new Database(other);
    newer.pragma(`user_version = ${NEWEST_VERSION + 1}`);
    newer.close();
    const said: [string, string, RegExp][] = [
      ['text.sqlite', 'refused', /not an SQLite database/],
      ['empty.sqlite', 'refused', /not an SQLite database/],
      ['folder.sqlite', 'refused', /is a directory/],
      ['foreign.sqlite', 'refused', /not a Turnwise library/],
      ['other runs.sqlite', 'newer_database', new RegExp(`version ${NEWEST_VERSION + 1}`)],
      ['missing.sqlite', 'not_found', /there is no file/],
    ];
    for (const [name, code, message] of said) {
      const failure = await failureOf(manager.dispatch('library.open', { path: at(name) }));
      expect([name, failure.code]).toEqual([name, code]);
      expect(failure.message).toMatch(message);
    }
    expect(await ask('library.list', {})).toHaveLength(1);
    const left = new Database(at('foreign.sqlite'), { readonly: true });
    expect(left.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['notes']);
    expect(left.pragma('journal_mode', { simple: true })).toBe('delete');
    left.close();
  });

  test('one locked by another program is abandoned with a message', { timeout: 60_000 }, async () => {
    const holder = new Database(other);
    holder.pragma('journal_mode = DELETE');
    holder.pragma('locking_mode = EXCLUSIVE');
    holder.exec('BEGIN EXCLUSIVE');
    await manager.grant(other);
    const failure = await failureOf(manager.dispatch('library.open', { path: other }));
    expect(failure.message).toMatch(/is in use: another program has been writing/);
    holder.exec('ROLLBACK');
    holder.close();
    expect((await open(other)).isOpen).toBe(true);
  });
});

describe('closing', () => {
  withManager({ hasDemo: false });

  test('it is remembered, and the next start offers it under the same id', async () => {
    await open(other);
    expect(await ask('library.close', { id: OTHER_ID })).toEqual({ closed: true });
    expect((await failureOf(manager.dispatch('run.list', {}, undefined, OTHER_ID))).code).toBe('not_found');
    await manager.close();
    manager = await createLibraryManager({ libraryPath: home.libraryPath, ...OPTIONS });
    const [, remembered] = await ask('library.list', {});
    expect(remembered).toMatchObject({ id: OTHER_ID, path: other, isOpen: false });
    expect(remembered).not.toHaveProperty('runs');
    // The user opened it before, so neither its path nor its id needs another grant.
    expect(await ask('library.open', { id: OTHER_ID })).toMatchObject({ id: OTHER_ID, isOpen: true });
    expect((await failureOf(manager.dispatch('library.forget', { id: OTHER_ID }))).code).toBe('refused');
    await ask('library.close', { id: OTHER_ID });
    expect(await ask('library.forget', { id: OTHER_ID })).toEqual({ forgotten: true });
    expect(await ask('library.list', {})).toHaveLength(1);
    expect((await failureOf(manager.dispatch('library.open', { path: other }))).code).toBe('not_granted');
  });

  test('pending requests are answered', async () => {
    await copyLibraryOf(other, [OTHER_LOG, DEMO]);
    const { id } = await open(other);
    await manager.grant(DEMO);
    const [run] = (await ask('run.list', {}, id)).filter(({ runKey }) => runKey === DEMO_RUN);
    const questions: readonly (readonly [string, object])[] = [
      ['step.series', { runId: run?.runId, filter: 'is_correct:true' }],
      ['roc.report', { runId: run?.runId }],
      ['library.sizes', {}],
      ['rollout.order', { runId: run?.runId, filter: 'tool_errors:>0' }],
      ['run.list', {}],
      ['ingest.start', { paths: [DEMO] }],
    ];
    const asked = questions.map(([method, params]) => manager.dispatch(method, params, undefined, id));
    const closed = ask('library.close', { id });
    for (const answer of await Promise.all(asked)) {
      if (answer.ok) continue;
      expect(['closed', 'internal', 'cancelled']).toContain(answer.failure.code);
      expect(answer.failure.message).toMatch(/closed/);
    }
    expect(await closed).toEqual({ closed: true });
    // It can be reopened at once.
    expect((await open(other)).id).toBe(id);
    expect(await runKeys(id)).toContain(DEMO_RUN);
  });

  test('opening, closing and opening again ends in one open library', async () => {
    await manager.grant(other);
    await ask('library.open', { path: other });
    const [, , last] = await Promise.all([
      ask('library.close', { id: OTHER_ID }),
      ask('library.open', { path: other }),
      ask('library.open', { path: other }),
    ]);
    expect(last).toMatchObject({ id: OTHER_ID, isOpen: true });
    expect(await ask('library.list', {})).toHaveLength(2);
  });

  test('the application closes every library, even if another one cannot be opened', async () => {
    new Database(at('foreign.sqlite')).exec('CREATE TABLE notes (text)').close();
    await manager.grant(home.directory);
    await ask('library.open', { path: other });
    const opening = manager.dispatch('library.open', { path: at('foreign.sqlite') });
    // The thread that opens the file has been started, and takes much longer than this.
    await new Promise((resolve) => setImmediate(resolve));
    await manager.close();
    expect((await failureOf(opening)).message).toMatch(/not a Turnwise library/);
    for (const path of [home.libraryPath, other]) expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test('the application opens no library again that is being closed', async () => {
    await open(other);
    const closed = ask('library.close', { id: OTHER_ID });
    const opening = manager.dispatch('library.open', { path: other });
    await manager.close();
    expect(await closed).toEqual({ closed: true });
    expect((await failureOf(opening)).code).toBe('closed');
  });

  test('the home library cannot be closed', async () => {
    expect((await failureOf(manager.dispatch('library.close', { id: 'home' }))).code).toBe('refused');
  });

  test('a deleted file is listed as gone', async () => {
    await open(other);
    await ask('library.close', { id: OTHER_ID });
    renameSync(other, at('elsewhere.sqlite'));
    expect((await ask('library.list', {}))[1]).toMatchObject({ id: OTHER_ID, isOpen: false, isGone: true });
    expect((await failureOf(manager.dispatch('library.open', { id: OTHER_ID }))).code).toBe('not_found');
  });
});

describe('a run that is moved to its own library', () => {
  withManager({ hasDemo: true });
  beforeEach(() => manager.grant(DEMO));

  test('is there, and no longer here', async () => {
    const before = await ask('run.get', { runKey: DEMO_RUN });
    const moved = await ask('run.move', { runKey: DEMO_RUN, path: 'the demo' });
    expect(moved).toMatchObject({
      path: at('the demo.turnwise'),
      library: 'the-demo',
      rollouts: before.rollouts,
    });
    expect(await runKeys()).not.toContain(DEMO_RUN);
    expect(await runKeys('the-demo')).toEqual([DEMO_RUN]);
    const after = await ask('run.get', { runKey: DEMO_RUN }, 'the-demo');
    expect(after).toEqual(before);
    const rollouts = await ask('rollout.order', { runId: after.runId }, 'the-demo');
    const replay = await ask('rollout.get', { rolloutId: rollouts.ids[0] ?? 0 }, 'the-demo');
    expect(replay.segments.length).toBeGreaterThan(1);
    // The log it came from may still be read there.
    expect(await ask('rollout.record', { rolloutId: rollouts.ids[0] ?? 0 }, 'the-demo')).toMatchObject({
      offset: 0,
    });
  });

  test('goes only to a path the user chose, and never over a file', async () => {
    const elsewhere = createTemporaryHome();
    try {
      const move = (path: string) => failureOf(manager.dispatch('run.move', { runKey: DEMO_RUN, path }));
      expect((await move(join(elsewhere.directory, 'x.sqlite'))).code).toBe('not_granted');
      expect((await move('/no/such/directory/x.sqlite')).code).toBe('not_granted');
      expect((await move('other runs.sqlite')).message).toMatch(/already exists/);
      expect((await move(home.libraryPath)).code).toBe('not_granted');
      for (const path of ['../x.sqlite', '..', '.', './x', '.x'])
        expect([path, (await move(path)).code]).toEqual([path, 'not_granted']);
      expect(await runKeys()).toContain(DEMO_RUN);
      await manager.grant(elsewhere.directory);
      expect((await move(join(elsewhere.directory, 'none', 'x.sqlite'))).code).toBe('not_found');
      const path = join(elsewhere.directory, 'x.sqlite');
      expect((await ask('run.move', { runKey: DEMO_RUN, path })).path).toBe(path);
      await ask('library.close', { id: 'x' });
    } finally {
      elsewhere.remove();
    }
  });

  test('cancelled before the removal, nothing changes', async () => {
    const abort = new AbortController();
    const stop = manager.subscribe(({ event }) => {
      if (event === 'analysis.progress') abort.abort();
    });
    const params = { runKey: DEMO_RUN, path: 'x', progressKey: 'move' };
    const failure = await failureOf(manager.dispatch('run.move', params, abort.signal));
    stop();
    expect(failure.code).toBe('cancelled');
    expect(await runKeys()).toContain(DEMO_RUN);
    expect(await ask('library.list', {})).toHaveLength(1);
    expect((await ask('run.move', { runKey: DEMO_RUN, path: 'x' })).library).toBe('x');
  });

  test('the old library can be compacted, and its sizes add up', async () => {
    const sizes = await ask('library.sizes', {});
    const ofRuns = sizes.runs.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(ofRuns + sizes.shared + sizes.free).toBe(sizes.file);
    expect(sizes.runs[0]).toMatchObject({ runKey: DEMO_RUN });
    const { freed } = await ask('run.move', { runKey: DEMO_RUN, path: 'x' });
    expect(freed).toBeGreaterThan(sizes.runs[0]?.parts.rows ?? 0);
    const { before, after } = await ask('library.compact', {});
    expect(after).toBeLessThanOrEqual(before);
    expect((await ask('library.sizes', {})).free).toBe(0);
  });
});

describe('one library', () => {
  withManager({ hasDemo: false });

  test('during ingest, a library is neither compacted nor can a run leave it', async () => {
    await manager.grant(DEMO);
    const ended = new Promise<void>((resolve) => {
      manager.subscribe(({ event, payload }) => {
        if (event === 'ingest.progress' && payload.state !== 'running') resolve();
      });
    });
    await ask('ingest.start', { paths: [DEMO] });
    const said = { code: 'refused', message: expect.stringContaining('ingest job is running') };
    expect(await failureOf(manager.dispatch('library.compact', {}))).toMatchObject(said);
    expect(await failureOf(manager.dispatch('run.move', { runKey: DEMO_RUN, path: 'x' }))).toMatchObject(
      said,
    );
    await ended;
    expect((await manager.dispatch('library.compact', {})).ok).toBe(true);
  });

  test('a host alone has no library manager', async () => {
    const host = await createHost({ libraryPath: at('alone.sqlite'), ...OPTIONS });
    expect(await host.dispatch('library.list', {})).toMatchObject({
      ok: false,
      failure: { code: 'refused' },
    });
    await host.close();
  });
});

test('ids are the names of files, made unique and fit for a URL', () => {
  const taken = new Set(['home', 'runs', 'runs-2']);
  expect(uniqueId('/a/runs.sqlite', taken)).toBe('runs-3');
  expect(uniqueId('/a/home.sqlite', taken)).toBe('home-2');
  expect(uniqueId('/a/../%2f?#.sqlite', taken)).toBe('2f');
  expect(uniqueId('/a/прогон 1.sqlite', taken)).toBe('прогон-1');
  expect(uniqueId('/a/….sqlite', taken)).toBe('library');
});

describe('a warehouse', () => {
  withManager({ hasDemo: false });
  let warehouse: Awaited<ReturnType<typeof startSmallWarehouse>>;
  beforeEach(async () => {
    warehouse = await startSmallWarehouse();
  });
  afterEach(() => warehouse.close());

  const named = (password: string): NamedWarehouse => ({
    address: readAddress(warehouse.address),
    credentials: { user: 'ann', password },
  });
  /** A manager whose user has named it for this library. */
  const managerOf = (library: string, password?: string): Promise<LibraryManager> => {
    const isOf = (path: string): boolean => password !== undefined && path.endsWith(library);
    const warehouses = {
      has: isOf,
      of: async (path: string) => (isOf(path) ? named(password ?? '') : undefined),
    };
    return createLibraryManager({ libraryPath: home.libraryPath, ...OPTIONS, warehouses });
  };

  test('opens once it has answered, and is remembered', async () => {
    const library = at('warehouses/far.sqlite');
    const refusal = await failureOf(manager.openWarehouse(library, named('wrong')));
    expect(refusal.message).toContain('refused the user ann with this password');
    expect(existsSync(library)).toBe(false);
    expect(await manager.openWarehouse(library, named('right'))).toEqual({
      ok: true,
      value: { library: 'far' },
    });
    await manager.close();
    manager = await managerOf('far.sqlite', 'right');
    expect(await ask('library.list', {})).toContainEqual(expect.objectContaining({ id: 'far' }));
    await ask('library.open', { id: 'far' });
    expect((await ask('warehouse.runs', {}, 'far')).runs).toHaveLength(1);
    expect(await ask('host.info', {}, 'far')).toMatchObject({ hasWarehouse: true });
    expect(await ask('host.info', {})).not.toHaveProperty('hasWarehouse');
    expect(await ask('warehouse.runs', {})).toEqual({ runs: [] });
  });

  test('is not shown by the library of another one', async () => {
    vi.stubEnv('TURNWISE_HOME', home.directory);
    vi.stubEnv('TURNWISE_WAREHOUSE', 'http://127.0.0.1:1/other');
    try {
      const library = libraryOfWarehouse(warehouse.address);
      const opened = await manager.openWarehouse(library, named('right'));
      if (!opened.ok) throw new Error(opened.failure.message);
      expect(await ask('warehouse.runs', {}, opened.value.library)).toEqual({ runs: [] });
      expect(await ask('host.info', {}, opened.value.library)).not.toHaveProperty('hasWarehouse');
      expect(await ask('host.info', {})).toMatchObject({ hasWarehouse: true });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
