/** Changes of a person survive a power failure. Ingest may lose its last commits, because logs can be read again. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openWriter, type WritableLibrary, withoutSync, withSync } from '../../electron/storage/open.ts';
import { FREE_TASK } from '../../electron/threads/task.ts';
import { ParserProcess } from '../../electron/worker/parserProcess.ts';
import { writerHandlers } from '../../electron/worker/writerHandlers.ts';
import { type Scratch, scratch } from '../support/library.ts';
import { copyDemoLibrary } from '../support/preparedLibrary.ts';

const NORMAL = 1;
const FULL = 2;

let place: Scratch;
let db: WritableLibrary;
beforeEach(async () => {
  place = scratch();
  await copyDemoLibrary(place.library);
  db = openWriter(place.library);
});
afterEach(() => {
  db.close();
  place.remove();
});

const sync = (): unknown => db.pragma('synchronous', { simple: true });

/** Collects the level of synchronisation at every writing statement. */
function watchWrites(): Set<unknown> {
  const levels = new Set<unknown>();
  const prepare = db.prepare.bind(db);
  db.prepare = ((source: string) => {
    const statement = prepare(source);
    const run = statement.run.bind(statement);
    statement.run = (...params: unknown[]) => {
      levels.add(sync());
      return run(...params);
    };
    return statement;
  }) as typeof db.prepare;
  return levels;
}

it.each([
  [
    'annotation.apply',
    { author: 'ann', changes: [{ put: { rolloutId: 1, target: { kind: 'rollout' }, label: 'loops' } }] },
  ],
  ['view.save', { name: 'wrong', filter: 'reward:0' }],
  ['query.save', { name: 'all', sql: 'SELECT 1' }],
  ['taxonomy.set', { taxonomy: { name: 'mine', choice: 'many', labels: [] } }],
  ['mapping.remove', { name: 'none' }],
] as const)('syncs %s before it answers', async (method, params) => {
  const levels = watchWrites();
  const handlers = writerHandlers(db, new LibraryWriter(db), new ParserProcess());
  const handler = handlers[method] as (params: unknown, task: unknown, changes: unknown) => unknown;
  await handler(params, FREE_TASK, { runs: () => undefined, annotations: () => undefined });
  expect([...levels]).toEqual([FULL]);
});

it('syncs a label that is put while logs are read', async () => {
  await withoutSync(db, async () => {
    await Promise.resolve();
    expect(withSync(db, sync)).toBe(FULL);
    expect(sync()).toBe(NORMAL);
  });
  expect(sync()).toBe(FULL);
});

it('syncs less while logs are read, and again afterwards', async () => {
  expect(sync()).toBe(FULL);
  expect(withoutSync(db, sync)).toBe(NORMAL);
  expect(sync()).toBe(FULL);
  await expect(
    withoutSync(db, async () => {
      await Promise.resolve();
      expect(sync()).toBe(NORMAL);
      throw new Error('unreadable');
    }),
  ).rejects.toThrow('unreadable');
  expect(sync()).toBe(FULL);
});
