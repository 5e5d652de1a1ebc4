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
import { readStepColumns, storeColumnsOfOneStep } from '../../electron/storage/queries/columns.ts';
import { askColumns } from '../support/columnQuestion.ts';
import { ingestHere, type Scratch, scratch } from '../support/library.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const LIMIT_KIB = 400 * 2 ** 10;

let place: Scratch;
let db: ReadableLibrary;
let runIds: readonly number[];
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [join(FIXTURES, 'verl'), join(FIXTURES, 'tau-bench')]);
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
  it('has every column and text that is held, once', () => {
    const writer = openWriter(place.library);
    for (const stored of [false, true]) {
      if (stored) while (storeColumnsOfOneStep(writer, (at, all) => stepFacts(sourceOf(at, all))));
      for (const each of runIds.flatMap(stepsOf)) {
        const { arrays, dictionaries } = readStepColumns(db, each.runId, each.step);
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
    const weight = engine.store.run(runId).steps.reduce((sum, table) => sum + table.weight, 0);
    expect(weight).toBeGreaterThan(0);
    expect(counted).toBe(Math.ceil(weight / 2 ** 10));
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
