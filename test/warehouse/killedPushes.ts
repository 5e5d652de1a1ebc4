/**
 * Two processes that push the same logs at once and are killed again and again (`npm run soak -- pushes`). What the
 * warehouse has afterwards is what one undisturbed push sends, and what a library of the same logs holds.
 *
 * Real logs, if their folder exists (TURNWISE_REALDATA names it); otherwise the fixtures.
 */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Warehouse } from '../../electron/warehouse/connection.ts';
import { readAddress, readCredentials } from '../../electron/warehouse/namedWarehouse.ts';
import { pull, warehouseRuns } from '../../electron/warehouse/pull.ts';
import { makeTables } from '../../electron/warehouse/tables.ts';
import { Random } from '../../fixtures/generate/random.ts';
import { contents, ingestHere, type Scratch, scratch } from '../support/library.ts';
import { hasEngine, openEngine } from './engine.ts';
import { killerOfPushes } from './killedPush.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const REAL = process.env['TURNWISE_REALDATA'] ?? join(ROOT, '..', 'shared', 'realdata');

/** The rows of each view, sorted, without the ids and times of loads, which differ from push to push. */
const SEEN: Readonly<Record<string, string>> = {
  runs: 'SELECT * EXCEPT (loaded_at) FROM run ORDER BY run',
  loads: 'SELECT * EXCEPT (load, loaded_at) FROM load ORDER BY run, step, source',
  rollouts: 'SELECT * EXCEPT (load) FROM rollout ORDER BY run, step, path, rollout',
  'stages and metrics': 'SELECT DISTINCT run, line FROM run_line ORDER BY run, line',
  issues: 'SELECT * FROM issue ORDER BY source, line, code, message',
};

/** Highest number of the request at which a push is killed. */
const LAST_REQUEST = 80;

/** @returns a line for each table, and the number of kills */
export async function killPushes({ seed, kills }: { seed: number; kills: number }): Promise<string> {
  if (!hasEngine) return `pushes are left out, because ClickHouse's engine has no binary for this platform`;
  const logs = existsSync(REAL) ? realpathSync(REAL) : join(ROOT, 'fixtures');
  const place = scratch();
  const engine = await openEngine();
  try {
    const once = `${engine.server}/turnwise_test_once`;
    const again = `${engine.server}/turnwise_test_again`;
    for (const to of [once, again]) await make(to);
    const nodes = await Promise.all([again, again].map((to, number) => nodeOf(place, to, `node-${number}`)));
    const alone = await nodeOf(place, once, 'alone');
    assert.equal(await alone.push(logs, 0), 'ended');

    const random = new Random(seed);
    let killed = 0;
    while (killed < kills) {
      const ends = await Promise.all(nodes.map((node) => node.push(logs, random.int(1, LAST_REQUEST))));
      killed += ends.filter((end) => end === 'killed').length;
    }
    assert.deepEqual(await Promise.all(nodes.map((node) => node.push(logs, 0))), ['ended', 'ended']);
    for (const node of [...nodes, alone]) await node.close();

    const lines: string[] = [];
    const [expected, found] = [await seen(once), await seen(again)];
    for (const [table, rows] of Object.entries(expected)) {
      assert.deepEqual(found[table], rows, table);
      lines.push(`${table} ${rows.length} (${checksum(rows)})`);
    }
    return `${killed} kills of two pushes at once, and the warehouse is whole: ${lines.join(', ')}; ${await inLibraries(place, logs, again)}`;
  } finally {
    await engine.remove();
    place.remove();
  }
}

async function nodeOf(place: Scratch, to: string, name: string) {
  const home = join(place.directory, name);
  mkdirSync(home);
  const killer = await killerOfPushes(to);
  return {
    push: (logs: string, at: number) => killer.push([logs], at, { ...process.env, TURNWISE_HOME: home }),
    close: () => killer.close(),
  };
}

const open = (to: string, more: { isNew?: boolean } = {}): Warehouse =>
  new Warehouse(readAddress(to), { credentials: readCredentials(process.env, undefined), ...more });

async function make(to: string): Promise<void> {
  const warehouse = open(to, { isNew: true });
  await makeTables(warehouse);
  await warehouse.close();
}

async function seen(to: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const warehouse = open(to);
  try {
    const tables: Record<string, readonly unknown[]> = {};
    for (const [table, select] of Object.entries(SEEN)) tables[table] = await warehouse.rows(select);
    return tables;
  } finally {
    await warehouse.close();
  }
}

/** Rollouts and segments of a library that reads the logs, and of one that reads what the warehouse gives back. */
async function inLibraries(place: Scratch, logs: string, to: string): Promise<string> {
  const direct = join(place.directory, 'direct.sqlite');
  const back = join(place.directory, 'back.sqlite');
  await ingestHere(direct, [logs]);
  const warehouse = open(to);
  try {
    const directories: string[] = [];
    for (const { run } of await warehouseRuns(warehouse)) {
      const directory = join(place.directory, 'pulled', String(directories.length));
      await pull(warehouse, { run, directory });
      directories.push(directory);
    }
    await ingestHere(back, directories);
  } finally {
    await warehouse.close();
  }
  const [expected, found] = [contents(direct), contents(back)];
  const lines: string[] = [];
  for (const table of ['rollouts', 'segments', 'steps'] as const) {
    assert.deepEqual(found[table]?.map(unplaced), expected[table]?.map(unplaced), table);
    lines.push(`${table} ${found[table]?.length}`);
  }
  return lines.join(', ');
}

/** Without what belongs to the file that was read. */
const unplaced = ({ line: _, content_hash: __, ...row }: Readonly<Record<string, unknown>>) => row;

const checksum = (rows: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(rows)).digest('hex').slice(0, 12);
