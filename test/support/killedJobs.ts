/**
 * Labelling, indexing, moving, exporting and compacting, killed at seeded points and repeated; the caller chooses the
 * number (`test/faults`, `npm run soak`). `kills.ts` does the same for ingest.
 */
import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LibraryWriter } from '../../electron/storage/libraryWriter.ts';
import { openWriter, type WritableLibrary } from '../../electron/storage/open.ts';
import { saveView } from '../../electron/storage/savedViews.ts';
import { indexPiece } from '../../electron/storage/searchIndex.ts';
import { Random } from '../../fixtures/generate/random.ts';
import { Labelled } from './labelled.ts';
import { contents, ingestHere, rows, scratch } from './library.ts';
import { packHere } from './packed.ts';
import { DEMO_LOG } from './preparedLibrary.ts';

export type KilledJob = 'label' | 'index' | 'move' | 'export' | 'compact';

const CHILD = join(import.meta.dirname, 'killedJob.ts');
const JOBS: readonly KilledJob[] = ['label', 'index', 'move', 'export', 'compact'];
const MOVED = 'synthetic-grpo-roc-demo';

interface Case {
  readonly library: string;
  /** Path of the file, for jobs that write one. */
  readonly output: string;
}

/** @returns number of kills; nothing was lost by any of them */
export async function killJobs({ seed, points }: { seed: number; points: number }): Promise<number> {
  const place = scratch();
  try {
    await prepare(place.library);
    const random = new Random(seed);
    const library = join(place.directory, 'killed.sqlite');
    const steps = new Map<KilledJob, number>();
    let killed = 0;
    for (let round = 0; killed < points; round += 1) {
      const job = JOBS[round % JOBS.length] ?? 'label';
      const output = join(place.directory, job === 'move' ? 'moved.sqlite' : 'pack.jsonl');
      for (const path of [library, output]) removeLibrary(path);
      copyFileSync(place.library, library);
      const all = steps.get(job) ?? stepsOf(job, library, output);
      steps.set(job, all);
      for (const path of [library, output]) removeLibrary(path);
      copyFileSync(place.library, library);
      const point = random.int(1, all);
      const { signal, answered, error } = run(job, library, point, output);
      const where = `seed ${seed}, ${job} killed at ${point} of ${all}`;
      assert.ok(signal === 'SIGKILL' || job === 'compact', `${where}: ${error}`);
      await CHECKS[job]({ library, output }, answered, where);
      killed += 1;
    }
    return killed;
  } finally {
    place.remove();
  }
}

async function prepare(library: string): Promise<void> {
  await ingestHere(library, [DEMO_LOG]);
  const on = new Labelled(library);
  for (const rolloutId of on.rollouts().slice(20, 40))
    on.apply('ann', { put: { rolloutId, target: { kind: 'rollout' }, label: 'loops', note: 'before' } });
  saveView(on.db, { name: 'wrong', filter: 'reward:0' });
  on.close();
}

function run(job: KilledJob, library: string, point: number, output: string) {
  const child = spawnSync(process.execPath, [CHILD, job, library, String(point), output], {
    encoding: 'utf8',
  });
  const answered = child.stdout.split('\n').slice(0, -1);
  return { signal: child.signal, answered, error: child.stderr };
}

/** Steps of the whole job; of compaction, bytes of its write-ahead log. */
function stepsOf(job: KilledJob, library: string, output: string): number {
  const { answered, error } = run(job, library, 0, output);
  assert.equal(error, '');
  return job === 'compact' ? statSync(library).size : Number(answered.at(-1));
}

const CHECKS: {
  readonly [J in KilledJob]: (one: Case, answered: readonly string[], where: string) => Promise<void> | void;
} = {
  label({ library }, answered, where) {
    const there = new Set(idsOf(library));
    assert.deepEqual(
      answered.filter((id) => !there.has(id)),
      [],
      where,
    );
    // The last label may have been written without being answered.
    assert.ok(there.size - 20 - answered.length <= 1, where);
    const on = onWhole(library, where);
    new LibraryWriter(on).annotations.undo();
    on.close();
  },
  index({ library }, _answered, where) {
    const db = onWhole(library, where);
    while (indexPiece(db));
    assert.equal(db.prepare('SELECT indexed FROM search_state_row').pluck().get(), 1981, where);
    const resumed = foundWords(db);
    db.exec("INSERT INTO search_text (search_text) VALUES ('delete-all')");
    db.exec('UPDATE search_state_row SET rollouts_to = 0, prompts_to = 0, indexed = 0');
    db.exec("INSERT INTO search_prompt (search_prompt) VALUES ('delete-all')");
    while (indexPiece(db));
    assert.deepEqual(resumed, foundWords(db), where);
    db.close();
  },
  move({ library, output }, _answered, where) {
    const isMoved = rolloutsOf(library, MOVED) === 0;
    if (existsSync(output)) onWhole(output, where).close();
    assert.equal(rolloutsOf(isMoved ? output : library, MOVED), 1821, where);
    if (!isMoved) removeLibrary(output);
    const db = onWhole(library, where);
    const watch = { isCancelled: () => false, onProgress: () => undefined };
    if (!isMoved) assert.ok(typeof new LibraryWriter(db).removal.move(MOVED, output, watch) === 'object');
    db.close();
    assert.deepEqual([rolloutsOf(library, MOVED), rolloutsOf(output, MOVED)], [0, 1821], where);
    assert.equal(idsOf(library).length + idsOf(output).length, 20, where);
  },
  async export({ library, output }, _answered, where) {
    onWhole(library, where).close();
    // If the file has its final name, it must be complete. The manifest at its beginning counts the rest.
    const before = existsSync(output) ? readFileSync(output, 'utf8') : undefined;
    for (const suffix of ['', '.partial', '.whole.partial']) rmSync(output + suffix, { force: true });
    await packHere(library, 'jsonl', output, { isAll: true });
    if (before !== undefined) assert.equal(before.length, readFileSync(output, 'utf8').length, where);
  },
  compact({ library }, _answered, where) {
    const db = onWhole(library, where);
    assert.ok(!('refusal' in new LibraryWriter(db).whole.compact()), where);
    db.close();
    onWhole(library, where).close();
    assert.equal(contents(library)['rollouts']?.length, 1981, where);
    assert.equal(idsOf(library).length, 20, where);
  },
};

const WORDS = ['answer', 'print', 'wait'];

function foundWords(db: WritableLibrary): readonly unknown[] {
  const found = db.prepare<[string]>('SELECT count(*) FROM search_text WHERE search_text MATCH ?').pluck();
  return WORDS.map((word) => found.get(word));
}

function onWhole(library: string, where: string): WritableLibrary {
  const db = openWriter(library);
  assert.equal(db.pragma('integrity_check', { simple: true }), 'ok', where);
  return db;
}

const idsOf = (library: string): readonly string[] =>
  rows(library, 'SELECT annotation_id AS id FROM annotation').map(({ id }) => String(id));

function rolloutsOf(library: string, runKey: string): number {
  if (!existsSync(library)) return 0;
  const [row] = rows(
    library,
    `SELECT count(*) AS n FROM rollout JOIN run USING (run_id) WHERE run_key = '${runKey}'`,
  );
  return Number(row?.['n']);
}

function removeLibrary(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '.partial', '.partial-wal', '.partial-shm'])
    rmSync(path + suffix, { force: true });
}
