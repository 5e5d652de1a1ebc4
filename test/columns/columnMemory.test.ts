/** Columns in memory are counted, and dropped above the limit of the process. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ColumnMemory } from '../../electron/columns/columnMemory.ts';
import { ColumnStore } from '../../electron/columns/columnStore.ts';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { stepFacts } from '../../electron/columns/series.ts';
import { ARRAY_BYTES, StepTable, sourceOf } from '../../electron/columns/stepTable.ts';
import { type ColumnName, DICTIONARIES, NUMBER_COLUMNS } from '../../electron/storage/columnNames.ts';
import { openReader, openWriter, type ReadableLibrary } from '../../electron/storage/open.ts';
import { readStepColumns, SMALL_STEP, StepColumnWriter } from '../../electron/storage/queries/columns.ts';
import { writeVerlDump } from '../../fixtures/generate/verlDump.ts';
import { askColumns } from '../support/columnQuestion.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const LIMIT_KIB = 400 * 2 ** 10;

let place: Scratch;
let db: ReadableLibrary;
let runIds: readonly number[];
beforeAll(async () => {
  place = scratch();
  const dump = join(place.directory, 'dump');
  writeVerlDump(dump, 1 << 20, { seed: 5, rolloutsPerStep: 2 * SMALL_STEP, steps: 1 });
  await ingestHere(place.library, [dump, join(FIXTURES, 'verl'), join(FIXTURES, 'tau-bench')]);
  db = openReader(place.library);
  runIds = db.prepare('SELECT run_id FROM run WHERE rollouts > 0 ORDER BY run_id').pluck().all() as number[];
});
afterAll(() => {
  db.close();
  place.remove();
});

/** @param othersKib KiB that another thread holds */
function memoryBeside(othersKib: number) {
  const kib = new Int32Array(new SharedArrayBuffer(8));
  kib[1] = othersKib;
  let asked = 0;
  const slot = { shared: kib.buffer as SharedArrayBuffer, slot: 0 };
  const memory = new ColumnMemory(slot, () => asked++);
  return { memory, held: () => kib[0] ?? 0, asked: () => asked };
}

const stepsOf = (runId: number) =>
  db.prepare('SELECT run_id AS runId, step, revision FROM step_revision_row WHERE run_id = ?').all(runId) as {
    runId: number;
    step: number;
    revision: number;
  }[];

const listAll = (engine: ColumnQueryEngine, runId: number) =>
  askColumns(engine, { method: 'rollout.order', runId, filter: 'answer:* or turns:*', sort: [] });

const charsOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);

describe('the weight of a step', () => {
  it('has every column and text that is held, once, unless it is small', () => {
    const writer = openWriter(place.library);
    let large = 0;
    for (const stored of [false, true]) {
      const columnWriter = new StepColumnWriter(writer, (at, all) => stepFacts(sourceOf(at, all)));
      if (stored) while (columnWriter.storeOne());
      for (const each of runIds.flatMap(stepsOf)) {
        const { arrays, dictionaries } = readStepColumns(db, each.runId, each.step);
        if (arrays.rolloutId.length < SMALL_STEP) continue;
        large++;
        const weights = Object.values(arrays).map(({ byteLength }) => ARRAY_BYTES + byteLength);
        const bytes = weights.reduce((sum, weight) => sum + weight, 0);
        const chars = charsOf(Object.values(dictionaries).flat());
        const table = new StepTable(db, each);
        table.column('rolloutId');
        // Without stored columns the first one computes all.
        if (stored) expect(table.weight).toBe(ARRAY_BYTES + arrays.rolloutId.byteLength);
        else expect(table.weight).toBeGreaterThanOrEqual(bytes + chars);
        const first = table.weight;
        for (const name of Object.keys(NUMBER_COLUMNS) as ColumnName[]) table.column(name);
        for (const name of DICTIONARIES) table.dictionary(name);
        const { weight } = table;
        expect(weight).toBeGreaterThanOrEqual(bytes + chars);
        if (!stored) expect(weight).toBe(first);
        table.facts();
        expect(table.weight).toBeGreaterThan(weight);
        // Charts read every step, so their facts must not load its columns.
        const charted = new StepTable(db, each);
        charted.facts();
        expect(charted.weight).toBeLessThan(table.weight - weight + ARRAY_BYTES);
      }
    }
    expect(large).toBe(2);
    writer.close();
  });
});

describe('the memory limit', () => {
  it('counts what an answer has loaded when it is given', () => {
    const { memory, held } = memoryBeside(0);
    const engine = new ColumnQueryEngine(db, memory);
    const [runId = 0] = runIds;
    expect(listAll(engine, runId).ok).toBe(true);
    const counted = held();
    const { steps } = engine.store.run(runId);
    const holders = new Set([...steps, ...steps.flatMap(({ block }) => block ?? [])]);
    const weight = [...holders].reduce((sum, holder) => sum + holder.weight, 0);
    expect(weight).toBeGreaterThan(0);
    expect(counted).toBe(Math.ceil(weight / 2 ** 10));
  });

  it('holds many small steps in little memory, in blocks that are kept until one of their steps changes', async () => {
    const steps = 5000;
    const small = scratch();
    const line = (step: number) => `${JSON.stringify({ input: 'q', output: 'a', score: step % 2, step })}\n`;
    const log = small.file('steps.jsonl', Array.from({ length: steps }, (_, step) => line(step)).join(''));
    await ingestHere(small.library, [log]);
    const library = openWriter(small.library);
    const { memory, held } = memoryBeside(0);
    let prepared = 0;
    const prepare = library.prepare.bind(library);
    library.prepare = ((sql: string) => {
      prepared++;
      return prepare(sql);
    }) as typeof library.prepare;
    const engine = new ColumnQueryEngine(library, memory);
    const runId = Number(library.prepare('SELECT run_id FROM run').pluck().get());
    const columnWriter = new StepColumnWriter(library, (at, all) => stepFacts(sourceOf(at, all)));
    while (columnWriter.storeOne());
    const filtered = { method: 'step.series' as const, runId, filter: 'reward:1' };
    expect(askColumns(engine, filtered)).toMatchObject({ ok: true });
    expect(held() * 2 ** 10).toBeLessThan(steps * 1500);
    const charts = askColumns(engine, { ...filtered, filter: '' });
    expect(charts).toMatchObject({ ok: true, value: { steps: { length: steps } } });
    // SQLite's memory of a statement is freed late, so no step may have one of its own.
    expect(prepared).toBeLessThan(50);
    // Nothing but the chart data is stored of a small step.
    const stored = prepare('SELECT count(*) FROM step_column_row').pluck().get();
    expect(stored).toBe(2 * steps);

    const blocksOf = () => engine.store.run(runId).steps.map(({ block }) => block);
    const before = blocksOf();
    prepare('UPDATE step_revision_row SET revision = revision + 1 WHERE step = ?').run(steps - 1);
    const after = blocksOf();
    expect(after[0]).toBe(before[0]);
    expect(after.at(-1)).not.toBe(before.at(-1));
    expect(new Set(after).size).toBe(2);
    library.close();
    small.remove();
  });

  it('counts the groups of a run', () => {
    const { memory, held } = memoryBeside(0);
    const store = new ColumnStore(db, memory);
    const [runId = 0] = runIds;
    const groups = store.transaction(() => store.run(runId).groups());
    const chars = charsOf([...groups.values()].flatMap(({ groupKey, problemId }) => [groupKey, problemId]));
    expect(held() * 2 ** 10).toBeGreaterThan(chars);
  });

  it('asks other threads after an answer that exceeds it, and keeps the last run', () => {
    const { memory, held, asked } = memoryBeside(LIMIT_KIB);
    const engine = new ColumnQueryEngine(db, memory);
    const alone = runIds.slice(0, 2).map((runId) => {
      const own = memoryBeside(0);
      listAll(new ColumnQueryEngine(db, own.memory), runId);
      return own.held();
    });
    listAll(engine, runIds[0] ?? 0);
    expect(asked()).toBe(1);
    expect(held()).toBe(alone[0]);
    listAll(engine, runIds[1] ?? 0);
    expect(held()).toBe(alone[1]);
    engine.store.makeRoom();
    expect(held()).toBe(0);
  });

  it('counts a request that fails', () => {
    const { memory, held } = memoryBeside(0);
    const store = new ColumnStore(db, memory);
    const fail = () => {
      store.run(runIds[0] ?? 0).groups();
      throw new Error('too late');
    };
    expect(() => store.transaction(fail)).toThrow('too late');
    expect(held()).toBeGreaterThan(0);
  });
});
