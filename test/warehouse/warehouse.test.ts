/** What is pushed to a warehouse comes back from it unchanged, whatever happens on the way. */
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ColumnQueryEngine } from '../../electron/columns/queryEngine.ts';
import { writeDataSet } from '../../electron/export/dataSet.ts';
import { createHost } from '../../electron/host/createHost.ts';
import type { Host } from '../../electron/host/host.ts';
import { filterSql } from '../../electron/storage/filterSql.ts';
import { openReader } from '../../electron/storage/open.ts';
import { exportedRuns, placesOf } from '../../electron/storage/queries/exported.ts';
import { rolloutRows } from '../../electron/storage/queries/lists.ts';
import { listSteps } from '../../electron/storage/queries/runs.ts';
import { FREE_TASK } from '../../electron/threads/task.ts';
import { Warehouse } from '../../electron/warehouse/connection.ts';
import { filterCondition } from '../../electron/warehouse/filterSql.ts';
import { warehouseLatencies } from '../../electron/warehouse/latencies.ts';
import { loadDataSet } from '../../electron/warehouse/loadDataSet.ts';
import {
  type Credentials,
  readAddress,
  readCredentials,
  type WarehouseAddress,
} from '../../electron/warehouse/namedWarehouse.ts';
import { pull, warehouseRuns } from '../../electron/warehouse/pull.ts';
import { Push } from '../../electron/warehouse/push.ts';
import { warehouseRollouts } from '../../electron/warehouse/rollouts.ts';
import { warehouseSteps } from '../../electron/warehouse/steps.ts';
import {
  makeTables,
  removeRun,
  removeUnseen,
  tableStatements,
  WAREHOUSE_VERSION,
} from '../../electron/warehouse/tables.ts';
import { MOST_LISTED, type ParsedParams, type StepFacts } from '../../shared/api/contract.ts';
import { type FilterNode, textNodesOf } from '../../shared/domain/filter/node.ts';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { textTest } from '../../shared/domain/filter/textTest.ts';
import { camelCase, SORT_FIELDS } from '../../shared/domain/rolloutFieldRecord.ts';
import { runHere } from '../support/commandLine.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { beginningOfDemo, copyDemoLibrary, copyLibraryOf, DEMO_LOG } from '../support/preparedLibrary.ts';
import { type Engine, hasEngine, openEngine } from './engine.ts';
import { killerOfPushes } from './killedPush.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const DEFAULT: Credentials = readCredentials(process.env, undefined);
const CLUSTER = process.env['TURNWISE_CLICKHOUSE_CLUSTER'];
const DEMO = 'synthetic-grpo-roc-demo';
/** Logs with latencies, retries, tokens, entropies and truncation, and without texts, rewards or correctness. */
const STEPS_OF = [
  'verl',
  'tau2-bench',
  'inspect',
  'openai-logprobs',
  'turnwise/schedule',
  'agentgym/turn-entropies',
  'slime',
].map((name) => join(FIXTURES, name));
const FILTERS = [
  'reward:0 tool_errors:>=1',
  'not reward:0',
  'kept:false or is_correct:true',
  'outcome:timeout',
  'tool:*exec*',
  'tool:none',
  'answer:1*',
  'ordinal:0 step:0..50',
  'p_err:>0.5 not kept:true',
  'latency_ms:>1000',
  'reason:*kept*',
  'problem_id:*7*',
  'policy_tokens:>200 mean_entropy:<0.5',
  'response_chars:>2000',
  'text:wait',
  'text:"let me" reward:0',
  'text:import',
  'not text:because',
  'prompt:integers',
  'text:/\\bassert\\b/',
  'text:/^BE SURE/i',
  'flag:identical_retry or flag:no_answer_tag',
  'flag:no_* not flag:no_boxed',
  'flag:* not flag:n*',
  'flag:none',
];
/** Filters under which the latencies of calls are compared, too. */
const TIMED = new Set(['ordinal:>=0', 'latency_ms:>1000', 'kept:false or is_correct:true', 'text:wait']);
const WORD_FILTERS = [
  ...['text:wait', 'text:"let me"', 'text:await*', 'text:naïve', 'text:NAÏVE', 'text:case', 'text:snake'],
  ...[
    'text:你好',
    'text:好世',
    'text:"你 世"',
    'text:b',
    'text:a',
    'text:σίσυφος',
    'text:"3 14"',
    'text:co*',
  ],
  ...[
    'text:ก',
    'text:código',
    'text:x',
    'text:/wait.let/',
    'text:/wait.let/s',
    'text:/^let/m',
    'text:/WAIT/i',
  ],
  ...['text:Straße', 'text:strasse', 'text:nass', 'text:fine', 'text:as*', 'text:İstanbul', 'text:office'],
  ...['text:yapı', 'text:YAPI', 'text:yapi', 'text:yap*', 'text:ilk', 'text:"ilk yapı"', 'text:işi'],
];
const WORDS = [
  ...[
    'Straße',
    'STRASSE',
    'STRAẞE',
    'naß',
    'nass',
    'ﬁne',
    'ﬁnest',
    'aß',
    'as',
    'İstanbul',
    'istanbul',
    'oﬃce',
  ],
  ...['Wait… let me', 'wait', 'awaiting', '“Wait”', 'await', 'naïve Bayes', 'NAÏVE', 'naïvely', 'naive'],
  ...['你好世界', '你，好', 'a你b', 'let, me -- see', 'let\nme', 'letme', 'snake_case', 'x1', 'x 1'],
  ...['Σίσυφος', 'ΣΊΣΥΦΟΣ', 'código', 'co\u0301digo', '3.14', '314', 'กขค', 'wait\nlet', '🧮wait🧮'],
  ...[
    'yeni yapı burada',
    'YAPI',
    'yapi',
    'yapısal',
    'ılk yapi',
    'İLK YAPI',
    'ilk',
    'İlk',
    'işi',
    'ışı',
    'IŞI',
  ],
];

if (!hasEngine) console.log(`warehouse: ClickHouse's engine has no binary for ${process.platform}`);

describe.runIf(hasEngine)('a warehouse', () => {
  let engine: Engine;
  let place: Scratch;
  let warehouse: Warehouse;
  let databases = 0;

  beforeAll(async () => {
    engine = await openEngine();
  }, 300_000);
  afterAll(() => engine?.remove());

  beforeEach(async () => {
    place = scratch();
    databases += 1;
    await making((made) => makeTables(made, CLUSTER));
    warehouse = open();
  });
  afterEach(async () => {
    await warehouse.close();
    place.remove();
  });

  const address = () => readAddress(`${engine.server}/turnwise_test_${databases}`);
  const open = (more: { credentials?: Credentials; isReadOnly?: boolean; isNew?: boolean } = {}) =>
    new Warehouse(address(), { credentials: DEFAULT, ...more });

  async function making<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
    const made = open({ isNew: true });
    try {
      return await work(made);
    } finally {
      await made.close();
    }
  }

  async function onHost(
    library: string,
    of: WarehouseAddress,
    work: (host: Host) => Promise<void>,
  ): Promise<void> {
    process.env['TURNWISE_WAREHOUSE'] = `${of.server}/${of.database}`;
    const host = await createHost({ libraryPath: library, shell: 'browser', version: 'test' });
    try {
      await work(host);
    } finally {
      delete process.env['TURNWISE_WAREHOUSE'];
      await host.close();
    }
  }

  async function push(library = place.library, as?: string) {
    const sender = new Push(library, warehouse, as === undefined ? {} : { as });
    try {
      return await sender.send();
    } finally {
      sender.close();
    }
  }

  /** Two steps of the demo run: 318 rollouts. */
  const beginning = () => copyLibraryOf(place.library, [beginningOfDemo()]);

  const seen = (): Promise<readonly unknown[]> =>
    warehouse.rows('SELECT * EXCEPT (load) FROM rollout ORDER BY run, step, path, rollout');

  it('gives back everything: texts, segments, calls, tokens, decisions, stages, metrics', async () => {
    await copyDemoLibrary(place.library);
    expect(await push()).toMatchObject({ runs: 2, sent: 16, known: 0, rollouts: 1981 });
    const exported = exportAll();
    const pulled = join(place.directory, 'pulled');
    for (const { run } of await warehouseRuns(warehouse)) {
      await pull(warehouse, { run, directory: join(pulled, run) });
      expect(readFileSync(join(pulled, run, 'runs', `${run}.jsonl`), 'utf8')).toBe(
        readFileSync(join(exported, 'runs', `${run}.jsonl`), 'utf8'),
      );
      await expectSame(join(pulled, run), exported, run);
    }
  });

  it('reads a data set itself, once', async () => {
    await copyDemoLibrary(place.library);
    const exported = exportAll();
    const load = () => loadDataSet(warehouse, { from: exported });
    expect(await load()).toEqual({ runs: 2, loaded: 16, known: 0, rollouts: 1981, tooLarge: [] });
    for (const { run } of await warehouseRuns(warehouse)) {
      const directory = join(place.directory, 'pulled', run);
      await pull(warehouse, { run, directory });
      expect(readFileSync(join(directory, 'runs', `${run}.jsonl`), 'utf8')).toBe(
        readFileSync(join(exported, 'runs', `${run}.jsonl`), 'utf8'),
      );
      await expectSame(directory, exported, run);
    }
    expect(await load()).toEqual({ runs: 2, loaded: 0, known: 16, rollouts: 0, tooLarge: [] });
    await expect(loadDataSet(warehouse, { from: join(place.directory, 'nothing') })).rejects.toThrow(
      /no data set at|no files|CANNOT_STAT|doesn't exist/,
    );
    await expect(loadDataSet(warehouse, { from: exported, collection: 'a, b' })).rejects.toThrow(
      'a named collection of the server has letters, digits and _',
    );
  });

  it('leaves out the steps of a data set that are too large for it', async () => {
    const of = (step: number) => ({ v: 1, type: 'rollout', run: 'r', step, group: 'g', index: 0, text: 't' });
    const log = [1, 2 ** 32 + 1].map((step) => JSON.stringify({ ...of(step), reward: 1 })).join('\n');
    await ingestHere(place.library, [place.file('log.jsonl', log)]);
    const { tooLarge, ...report } = await loadDataSet(warehouse, { from: exportAll() });
    expect(report).toEqual({ runs: 1, loaded: 1, known: 0, rollouts: 1 });
    expect(tooLarge).toEqual([expect.stringContaining('step=4294967297')]);
  });

  it.each([
    'tau2-bench',
    'nemo-gym',
    'inspect',
    'tir',
    'openai-logprobs',
    'verl',
    'turnwise/schedule',
    'agentgym/turn-entropies',
    'slime',
    'langsmith',
  ])('gives back %s', async (name) => {
    const logs = join(FIXTURES, name);
    await ingestHere(
      place.library,
      readdirSync(logs).map((each) => join(logs, each)),
    );
    await push();
    const exported = exportAll();
    const runs = await warehouseRuns(warehouse);
    expect(runs.map(({ run }) => run)).toEqual(
      rows(place.library, 'SELECT run_key FROM run WHERE rollouts > 0 ORDER BY 1').map(
        ({ run_key }) => run_key,
      ),
    );
    for (const [i, { run }] of runs.entries()) {
      const directory = join(place.directory, `pulled-${i}`);
      await pull(warehouse, { run, directory });
      await expectSame(directory, exported, run);
    }
    const issues = 'SELECT path, line, severity, code, message FROM';
    expect(sorted(await warehouse.rows(`${issues} issue`))).toEqual(
      sorted(rows(place.library, `${issues} ingest_issue`)),
    );
  });

  it('takes a pulled data set as the same rollouts, so a library can be read from it', async () => {
    await beginning();
    await push();
    const directory = join(place.directory, 'pulled');
    await pull(warehouse, { run: DEMO, directory, steps: { first: 1, last: 100 } });
    const other = scratch();
    try {
      const { files } = await ingestHere(other.library, [directory]);
      expect(files.flatMap(({ issues }) => issues)).toEqual([]);
      const sql = `SELECT r.step, r.problem_id, r.ordinal, r.reward, r.kept, r.penalty, r.turns, r.mean_entropy, r.flags
        FROM rollout r JOIN run n USING (run_id) WHERE n.run_key = '${DEMO}' AND step BETWEEN 1 AND 100 ORDER BY 1, 2, 3`;
      expect(rows(other.library, sql)).toEqual(rows(place.library, sql));
    } finally {
      other.remove();
    }
  });

  it('adds copies of steps to a directory, and keeps what a filter chose as a run of its own', async () => {
    await beginning();
    await push();
    const [first = 0, second = 0] = (await warehouseSteps(warehouse, DEMO, { kind: 'all' })).map(
      ({ summary }) => summary.step,
    );
    const directory = join(place.directory, 'kept');
    const keep = (step: number, text: string) =>
      pull(warehouse, { run: DEMO, directory, isAdded: true, steps: [step], filter: filterOf(text).node });
    await keep(first, '');
    const chosen = await keep(second, 'reward:0');
    await keep(second, '');
    const other = scratch();
    try {
      await ingestHere(other.library, [directory]);
      const counts = `SELECT n.run_key AS run, n.name, step, count(*) AS n FROM rollout r JOIN run n USING (run_id)
        GROUP BY 1, 2, 3 ORDER BY 1, 3`;
      const whole = rows(place.library, counts);
      expect(rows(other.library, counts)).toEqual([
        ...whole,
        {
          ...{ run: `${DEMO} [reward:0]`, name: 'demo (synthetic) [reward:0]' },
          ...{ step: second, n: chosen.rollouts },
        },
      ]);
      expect(
        rows(other.library, `SELECT run_key, config ->> 'chosen_by' AS chosen FROM run ORDER BY 1`),
      ).toEqual([
        { run_key: DEMO, chosen: null },
        { run_key: `${DEMO} [reward:0]`, chosen: 'reward:0' },
      ]);
    } finally {
      other.remove();
    }
  });

  it('keeps copies of two warehouses apart that have runs of the same key', async () => {
    await beginning();
    await push();
    const first = address();
    databases += 1;
    await making((made) => makeTables(made, CLUSTER));
    await warehouse.close();
    warehouse = open();
    await push();
    const copies = scratch();
    const copy = { run: DEMO, filter: '', progressKey: 'copy' };
    try {
      await onHost(copies.library, first, async (host) => {
        const kept = (await host.dispatch('warehouse.keep', copy)) as { value: { path: string } };
        await host.ingest([kept.value.path]);
        expect(await host.dispatch('warehouse.runs', {})).not.toMatchObject({
          value: { runs: [{ isOwn: true }] },
        });
      });
      await onHost(copies.library, address(), async (host) => {
        expect(await host.dispatch('warehouse.runs', {})).toMatchObject({
          value: { runs: [{ isOwn: true }] },
        });
        expect(await host.dispatch('warehouse.keep', copy)).toMatchObject({
          failure: { message: expect.stringContaining('from its own logs or another warehouse') },
        });
        // Another run with the id of this one would change it.
        const columns = 'step, source, load, run_id, split, rollouts, content, summary, facts';
        await warehouse.run(
          `INSERT INTO load_row (run, ${columns}) SELECT 'other', ${columns} FROM load_row`,
        );
        expect(await host.dispatch('warehouse.keep', { ...copy, run: 'other' })).toMatchObject({
          failure: { message: expect.stringContaining(`this library has run ${DEMO} from its own logs`) },
        });
      });
    } finally {
      copies.remove();
    }
  });

  it('recognises its copies beside a library below a symbolic link, and copies again after a move', async () => {
    await beginning();
    await push();
    const [first, second] = (await warehouseSteps(warehouse, DEMO, { kind: 'all' })).map(
      ({ summary }) => summary.step,
    );
    const copies = scratch();
    const link = join(place.directory, 'link');
    symlinkSync(copies.directory, link);
    const keep = async (host: Host, step: number | undefined) => {
      const steps = step === undefined ? [] : [step];
      const copy = { run: DEMO, steps, filter: '', progressKey: 'copy' };
      const kept = (await host.dispatch('warehouse.keep', copy)) as { value: { path: string } };
      expect(kept).toMatchObject({ ok: true });
      await host.ingest([kept.value.path]);
    };
    const isOwn = async (host: Host) =>
      JSON.stringify(await host.dispatch('warehouse.runs', {})).includes('"isOwn":true');
    const moved = join(place.directory, 'moved');
    try {
      await onHost(join(link, 'library.sqlite'), address(), async (host) => {
        await keep(host, first);
        expect(await isOwn(host)).toBe(false);
        await keep(host, second);
      });
      renameSync(copies.directory, moved);
      await onHost(join(moved, 'library.sqlite'), address(), async (host) => {
        expect(await isOwn(host)).toBe(true);
        expect(await host.dispatch('run.remove', { runKey: DEMO })).toMatchObject({ ok: true });
        expect(await isOwn(host)).toBe(false);
        await keep(host, first);
      });
      expect(rows(join(moved, 'library.sqlite'), 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: 318 }]);
    } finally {
      copies.remove();
    }
  });

  it('names copied steps that were sent again, also with the same sums', async () => {
    const log = (texts: readonly string[]) =>
      texts
        .map((text, i) => ({
          ...{ v: 1, type: 'rollout', run: 'delta', step: i >> 1, group: 'g', index: i % 2, reward: i % 2 },
          ...{ problem: { id: 'p', prompt: 'q' }, text },
        }))
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
    const path = place.file('delta.jsonl', log(['a', 'b', 'c', 'd']));
    const send = async () => {
      await ingestHere(place.library, [path]);
      await push();
    };
    await send();
    const copies = scratch();
    try {
      await onHost(copies.library, address(), async (host) => {
        const replaced = async () => {
          const answer = await host.dispatch('warehouse.steps', { run: 'delta', filter: '' });
          const { value } = answer as { value: readonly { readonly replacedBy?: string }[] };
          return value.map(({ replacedBy }) => replacedBy !== undefined);
        };
        const keep = async (steps: readonly number[]) => {
          const copy = { run: 'delta', steps, filter: '', progressKey: 'copy' };
          const kept = (await host.dispatch('warehouse.keep', copy)) as { value: { path: string } };
          await host.ingest([kept.value.path]);
        };
        expect(await replaced()).toEqual([false, false]);
        await keep([0, 1]);
        expect(await replaced()).toEqual([false, false]);
        const hashes = () =>
          rows(copies.library, 'SELECT content_hash FROM rollout_row ORDER BY step, ordinal');
        const [a, b, c, d] = hashes();
        writeFileSync(path, log(['a', 'b', 'c', 'D']));
        await send();
        expect(await replaced()).toEqual([false, true]);
        // Another log of a group may come before those that were copied, and then its rollouts have other numbers.
        const labelled = async (index: number) => {
          const [row] = rows(copies.library, `SELECT rollout_id AS id FROM rollout WHERE step = ${index}`);
          const target = { kind: 'rollout' };
          const changes = [{ put: { rolloutId: row?.['id'], target, label: 'loops' } }];
          await host.dispatch('annotation.apply', { author: 'ann', changes });
          return host.dispatch('warehouse.steps', { run: 'delta', filter: 'label:any' });
        };
        expect(await labelled(0)).toMatchObject({ ok: true, value: [{ summary: { step: 0 } }] });
        expect(await labelled(1)).toMatchObject({
          ok: false,
          failure: { code: 'refused', message: expect.stringContaining('step 1 was sent again') },
        });
        await keep([1]);
        expect(await replaced()).toEqual([false, false]);
        const found = await host.dispatch('warehouse.steps', { run: 'delta', filter: 'label:any' });
        expect(found).toMatchObject({
          ok: true,
          value: [{ summary: { step: 0 } }, { summary: { step: 1 } }],
        });
        expect(hashes()).toEqual([a, b, c, expect.not.objectContaining({ ...d })]);
        expect(rows(copies.library, 'SELECT path FROM ingest_issue')).toEqual([]);
      });
    } finally {
      copies.remove();
    }
  });

  it('keeps a label at its rollout when another log of its group comes before', async () => {
    const log = (text: string) =>
      [0, 1]
        .map((i) => ({
          ...{ v: 1, type: 'rollout', run: 'delta', step: 1, group: 'g', index: i, reward: i },
          ...{ problem: { id: 'p', prompt: 'q' }, text: `${text}${i}` },
        }))
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
    const send = async (name: string) => {
      await ingestHere(place.library, [place.file(name, log(name))]);
      await push();
    };
    await send('n1.jsonl');
    const copies = scratch();
    try {
      await onHost(copies.library, address(), async (host) => {
        const keep = async () => {
          const copy = { run: 'delta', steps: [1], filter: '', progressKey: 'copy' };
          const kept = (await host.dispatch('warehouse.keep', copy)) as { value: { path: string } };
          await host.ingest([kept.value.path]);
        };
        await keep();
        const [row] = rows(copies.library, 'SELECT rollout_id AS id FROM rollout');
        const changes = [{ put: { rolloutId: row?.['id'], target: { kind: 'rollout' }, label: 'loops' } }];
        await host.dispatch('annotation.apply', { author: 'ann', changes });
        await send('a0.jsonl');
        await keep();
        // Its rollout is the third of the group now.
        const labelled = `SELECT r.ordinal, r.response_chars, a.state FROM annotation a JOIN rollout r USING (rollout_id)`;
        expect(rows(copies.library, labelled)).toEqual([{ ordinal: 2, response_chars: 9, state: 'exact' }]);
        const found = await host.dispatch('warehouse.rollouts', {
          run: 'delta',
          filter: 'label:any',
        });
        expect(found).toMatchObject({ ok: true, value: { rollouts: [{ ordinal: 2 }] } });
      });
    } finally {
      copies.remove();
    }
  });

  it('brings a warehouse of version 1 to this version, whose former rollouts have no sums', async () => {
    const computed = ['outcomes', 'latencies', 'logged_latencies'];
    for (const name of [
      ...['policy_tokens', 'response_chars', 'mean_entropy', 'entropy_tokens', 'flags'],
      ...computed,
    ])
      await warehouse.run(`ALTER TABLE rollout_row DROP COLUMN ${name}`);
    await warehouse.run('CREATE OR REPLACE VIEW warehouse AS SELECT toUInt32(1) AS version');
    await beginning();
    await expect(push()).rejects.toThrow(`turnwise warehouse init brings it to version ${WAREHOUSE_VERSION}`);
    await making((made) => makeTables(made, CLUSTER));
    await push();
    const [{ summary } = { summary: undefined }] = await warehouseSteps(warehouse, DEMO, { kind: 'all' });
    expect(summary?.meanResponseChars).toBeGreaterThan(0);
    const [counted] = await warehouse.rows(
      `SELECT countIf(calls.outcome != []) AS called, countIf(outcomes != calls.outcome) AS otherwise FROM rollout`,
    );
    expect(Number(counted?.['called'])).toBeGreaterThan(0);
    expect(counted?.['otherwise']).toBe(0);
  });

  it('counts the steps of a run as a library does, under any filter', async () => {
    await copyDemoLibrary(place.library);
    await ingestHere(place.library, STEPS_OF);
    await push();
    const db = openReader(place.library);
    try {
      const engine = new ColumnQueryEngine(db);
      for (const { runId, runKey } of exportedRuns(db)) {
        const valuesOf = (filter: string) =>
          engine
            .answer('step.series', { runId, filter }, FREE_TASK)
            .steps.filter(({ rollouts }) => rollouts > 0);
        const summaries = listSteps(db, runId);
        const all = await warehouseSteps(warehouse, runKey, { kind: 'all' });
        const expected = valuesOf('').map((facts, i) => ({ summary: summaries[i], facts }));
        // A step in one log is as the library has sent it, others are counted.
        const isSent = (i: number) => all[i]?.facts.repeats !== undefined;
        expect(all).toEqual(
          expected.map((step, i) => (isSent(i) ? step : nearly({ ...step, facts: counted(step.facts) }))),
        );
        if (runKey === DEMO) expect(all.every((_, i) => isSent(i))).toBe(true);
        // Counted by the engine.
        const every = await warehouseSteps(warehouse, runKey, filterOf('ordinal:>=0').node);
        expect(every.map(({ summary }) => summary)).toEqual(summaries.map(nearly));
        for (const filter of ['ordinal:>=0', ...(runKey === DEMO ? FILTERS : [])]) {
          const matching = await warehouseSteps(warehouse, runKey, filterOf(filter).node);
          expect([filter, matching.map(({ facts }) => facts)]).toEqual([
            filter,
            valuesOf(filter).map((facts) => nearly(counted(facts))),
          ]);
          if (!TIMED.has(filter)) continue;
          const range = filter === 'ordinal:>=0' ? {} : { from: 0, to: 60 };
          expect([
            filter,
            await warehouseLatencies(warehouse, { run: runKey, ...range, filter: filterOf(filter).node }),
          ]).toEqual([
            filter,
            nearly(engine.answer('run.latencies', { runId, ...range, filter }, FREE_TASK)),
          ]);
        }
      }
    } finally {
      db.close();
    }
    const shares: number[] = [];
    await warehouseSteps(warehouse, DEMO, filterOf('reward:0').node, {
      onShare: (share) => shares.push(share),
    });
    // The engine reports as often as it likes; the last report is of everything.
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
    await expect(warehouseSteps(warehouse, 'none', { kind: 'all' })).rejects.toThrow('has no run none');
  });

  it('lists rollouts in the order of a library, by any field and under a filter', async () => {
    await copyDemoLibrary(place.library);
    await push();
    const db = openReader(place.library);
    try {
      const engine = new ColumnQueryEngine(db);
      const orders = [
        [],
        ...['order', ...SORT_FIELDS.map(camelCase)].flatMap((by) =>
          (['ascending', 'descending'] as const).map((direction) => [{ by, direction }]),
        ),
        [
          { by: 'toolErrors', direction: 'descending' },
          { by: 'reward', direction: 'ascending' },
        ],
      ] as readonly ParsedParams<'rollout.order'>['sort'][];
      for (const [i, sort] of orders.entries()) {
        const filter = i % 3 === 0 ? 'reward:0 tool_calls:>0' : '';
        const { ids } = engine.answer('rollout.order', { runKey: DEMO, filter, sort }, FREE_TASK);
        const first = rolloutRows(db, [...ids.subarray(0, MOST_LISTED)]);
        const listed = await warehouseRollouts(warehouse, { run: DEMO, filter: filterOf(filter).node, sort });
        expect([sort, listed.matching]).toEqual([sort, ids.length]);
        expect([sort, listed.rollouts]).toEqual([
          sort,
          first.map(({ rolloutId: _, groupId: __, labels: ___, rerun: ____, ...row }) => row),
        ]);
      }
    } finally {
      db.close();
    }
    const byScore = {
      run: DEMO,
      filter: filterOf('').node,
      sort: [{ by: 'scores.match', direction: 'ascending' }],
    };
    await expect(warehouseRollouts(warehouse, byScore as never)).rejects.toThrow(
      'is not sorted by scores.match',
    );
  });

  it('selects what a library selects, by the fields that it has', async () => {
    await beginning();
    await push();
    const runId = Number(rows(place.library, 'SELECT run_id FROM run')[0]?.['run_id']);
    for (const [i, text] of FILTERS.entries()) {
      const { node } = filterOf(text);
      const expected = rows(place.library, filterSql(node, runId)).length;
      const directory = join(place.directory, `pulled-${i}`);
      const taken = await pull(warehouse, { run: DEMO, directory, filter: node }).catch(
        (error: Error) => error.message,
      );
      expect([text, typeof taken === 'string' ? taken : taken.rollouts]).toEqual([
        text,
        expected === 0 ? 'the filter matches no rollout' : expected,
      ]);
    }
    for (const [text, sentence] of [
      ['code:import', 'write text: instead of code:'],
      ['label:any', 'is not filtered by label'],
      ['text:/(?=wait)/', 'must be one of RE2'],
    ] as const) {
      const directory = join(place.directory, 'refused');
      await expect(pull(warehouse, { run: DEMO, directory, filter: filterOf(text).node })).rejects.toThrow(
        sentence,
      );
      expect(existsSync(directory)).toBe(false);
    }
  });

  it('filters by scores as a library does', async () => {
    const rewards = [
      { 'a<b': 2, ok: true, 'it\'s "so"': 1e300 },
      { 'a<b': -2, ok: false },
      { 'a<b': 0.5 },
      // The engine's parsers refuse numbers beyond 64 bits and half a surrogate pair.
      { acc: 1, 'a<b': 1e20 },
      { acc: 1, 'a<b': -1e19 },
      { acc: 1, '\udc00': 2, '\\udc00': 3 },
    ];
    const line = (each: object, index: number) => {
      const of = { v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index };
      return JSON.stringify({ ...of, text: `t ${index}`, reward: 1, rewards: each });
    };
    const log = place.file('log.jsonl', rewards.map(line).join('\n'));
    const graded = join(import.meta.dirname, '../../fixtures/inspect/archive-deflated/input.eval');
    await ingestHere(place.library, [log, graded]);
    await push();
    const found: (readonly number[])[] = [];
    for (const filter of [
      ...[
        'scores:match=C',
        'scores:match=c,match=P',
        'scores:match>0.5',
        'scores:match<=0.75',
        'scores:match=0.750',
      ],
      ...[
        'scores:match=*',
        'not scores:match=I',
        'scores:judge.polite=true',
        'scores:judge.polite=T*',
        'scores:other=none',
      ],
      ...[
        'scores:match=',
        'scores:match',
        'scores:none',
        'scores:any',
        'scores:judge.notes',
        "scores:it's=C",
      ],
      ...[
        'scores:"\\"a<b\\""',
        'scores:"\\"a<b\\"=2"',
        'scores:"\\"a<b\\"<0.5"',
        'scores:ok=true',
        'scores:ok>0',
      ],
      ...['scores:acc=1', 'not scores:acc', 'scores:"\\"a<b\\">9e18"', 'scores:"\\\\udc00"=3'],
    ]) {
      const { node } = filterOf(filter);
      const counts: number[] = [];
      for (const { run_id, run_key } of rows(
        place.library,
        'SELECT run_id, run_key FROM run ORDER BY run_id',
      )) {
        const expected = rows(place.library, filterSql(node, Number(run_id))).length;
        const listed = await warehouseRollouts(warehouse, { run: String(run_key), filter: node, sort: [] });
        expect([filter, run_key, listed.matching]).toEqual([filter, run_key, expected]);
        counts.push(expected);
      }
      found.push(counts);
    }
    // Filters that select nothing, or everything, would be equal for any reason.
    expect(new Set(found.map(String)).size).toBeGreaterThan(7);
  });

  it('filters by labels and notes of the reader', async () => {
    const line = (step: number, group: string, text: string) =>
      `${JSON.stringify({ v: 1, type: 'rollout', run: 'r', step, group, text, reward: 1 })}\n`;
    mkdirSync(join(place.directory, 'logs'));
    // Two logs with rollouts of one group, which a library numbers one after the other.
    for (const log of ['a', 'b'])
      place.file(
        `logs/${log}.jsonl`,
        [1, 2]
          .flatMap((step) =>
            ["it's \\ g", 'h'].flatMap((group) =>
              [0, 1].map((i) => line(step, group, `${log} ${i} ${step} ${group}`)),
            ),
          )
          .join(''),
      );
    await ingestHere(place.library, [join(place.directory, 'logs')]);
    await push();
    const all = rows(
      place.library,
      'SELECT rollout_id AS id, step, problem_id, ordinal FROM rollout ORDER BY step, problem_id, ordinal',
    );
    expect(all).toHaveLength(16);
    for (const [id, ...rest] of [
      [all[3]?.['id'], 'wrong-tool-use', '--note', 'look here'],
      [all[9]?.['id'], 'wrong-tool-use'],
      [all[15]?.['id'], 'wrong-tool-use'],
    ]) {
      const { code, err } = await runHere(place.directory, [
        'label',
        String(id),
        ...rest.map(String),
        '--library',
        place.library,
      ]);
      expect([code, err]).toEqual([0, '']);
    }
    const reader = openReader(place.library);
    const own = (node: FilterNode) => placesOf(reader, 1, node);
    for (const text of [
      'label:wrong-tool-use',
      'label:none',
      'note:look',
      'label:any step:2',
      'NOT label:wrong-tool-use OR note:any',
      'author:nobody',
    ]) {
      const { node } = filterOf(text);
      const expected = rows(place.library, filterSql(node, 1)).map(({ step, problem_id, ordinal }) => [
        step,
        problem_id,
        ordinal,
      ]);
      const { rollouts } = await warehouseRollouts(warehouse, { run: 'r', filter: node, own, sort: [] });
      expect([
        text,
        sorted(rollouts.map(({ step, problemId, ordinal }) => [step, problemId, ordinal])),
      ]).toEqual([text, sorted(expected)]);
      const steps = await warehouseSteps(warehouse, 'r', node, { own });
      expect([text, steps.reduce((sum, { summary }) => sum + summary.rollouts, 0)]).toEqual([
        text,
        expected.length,
      ]);
    }
    const directory = join(place.directory, 'labelled');
    expect(
      await pull(warehouse, { run: 'r', directory, filter: filterOf('label:any').node, own }),
    ).toMatchObject({ rollouts: 3 });
    reader.close();
  });

  it('finds words as a library does', async () => {
    const found = async (text: string, responses: readonly string[]) => {
      const { sql, params } = filterCondition(filterOf(text).node);
      const given = `SELECT '' AS prompt, arrayJoin({responses:Array(String)}) AS response`;
      const rows = await warehouse.rows(`SELECT response FROM (${given}) WHERE ${sql}`, {
        ...params,
        responses,
      });
      return rows.map(({ response }) => response);
    };
    for (const text of WORD_FILTERS) {
      const [node] = textNodesOf(filterOf(text).node);
      if (node === undefined) throw new Error(`${text} looks for no words`);
      const test = textTest(node);
      expect([text, await found(text, WORDS)]).toEqual([
        text,
        WORDS.filter((response) => test.holds(response)),
      ]);
    }
    // A library searches the code of a call, whose line feeds are escaped in the response.
    expect(await found('text:print', ['{"code": "x = 1\\nprint(x)"}'])).toHaveLength(1);
  });

  it('sends nothing twice, and replaces a step that grew', async () => {
    const log = place.file('run.jsonl', '');
    const lines = readFileSync(DEMO_LOG, 'utf8').split('\n');
    const end = lines.findIndex((line) => line.includes('"type":"metric"'));
    writeFileSync(log, `${lines.slice(0, end >> 1).join('\n')}\n`);
    await ingestHere(place.library, [log]);
    const first = await push();
    expect(await push()).toMatchObject({ sent: 0, known: first.sent, rollouts: 0 });
    writeFileSync(log, `${lines.slice(0, end).join('\n')}\n`);
    await ingestHere(place.library, [log]);
    const { rollouts } = await push();
    expect(rollouts).toBeGreaterThan(first.rollouts);
    expect((await warehouseRuns(warehouse))[0]).toMatchObject({ rollouts, sources: 1 });
    expect(await seen()).toHaveLength(rollouts);
    expect(await removeUnseen(warehouse)).toBe(first.rollouts);
    expect(await seen()).toHaveLength(rollouts);
  });

  it('leaves out what was copied from a warehouse, in a library and at a path', async () => {
    await beginning();
    await push();
    const before = await warehouseRuns(warehouse);
    const node = scratch();
    try {
      const directory = join(node.directory, 'from-warehouse', 'server', 'run');
      await pull(warehouse, { run: DEMO, directory, isAdded: true });
      await ingestHere(node.library, [directory]);
      expect(await push(node.library)).toMatchObject({ runs: 0, sent: 0, rollouts: 0, copies: 318 });
      const { server, database } = address();
      const to = ['--to', `${server}/${database}`];
      const { out } = await runHere(node.directory, ['warehouse', 'push', directory, ...to], {
        TURNWISE_HOME: node.directory,
      });
      expect(out).toMatch(
        /^0 rollouts of 0 runs sent .*; 318 rollouts were left out, because they are copies/,
      );
      expect(await warehouseRuns(warehouse)).toEqual(before);
      await ingestHere(node.library, [join(FIXTURES, 'slime')]);
      expect(await push(node.library)).toMatchObject({ runs: 6, copies: 318 });
    } finally {
      node.remove();
    }
  });

  it('sends what has a step or an index that is too large for it not at all', async () => {
    const line = (step: number, index: number) =>
      `${JSON.stringify({ v: 1, type: 'rollout', run: 'large', step, group: 'g', index, text: `at ${step} ${index}` })}\n`;
    const log = place.file('large.jsonl', [line(1, 0), line(2 ** 32 + 1, 0), line(2, 3e9)].join(''));
    await ingestHere(place.library, [log]);
    const { rollouts, tooLarge } = await push();
    expect(rollouts).toBe(1);
    expect(tooLarge.map(({ step }) => step)).toEqual([2, 2 ** 32 + 1]);
    expect(await seen()).toHaveLength(1);
    const { server, database } = address();
    const to = ['--to', `${server}/${database}`];
    const { code, err } = await runHere(place.directory, [
      'warehouse',
      'push',
      '--library',
      place.library,
      ...to,
    ]);
    expect(code).toBe(3);
    expect(err).toContain(
      `step 2 of run large (${log}) is not sent: a warehouse takes steps and indexes up to 2147483647`,
    );
  });

  it('shows no step of a push that did not end', async () => {
    await beginning();
    const controller = new AbortController();
    const sender = new Push(place.library, warehouse, {
      signal: controller.signal,
      onProgress: ({ sent }) => sent === 1 && controller.abort(),
    });
    await expect(sender.send()).rejects.toThrow();
    sender.close();
    const half = await warehouse.rows('SELECT step, count() AS rollouts FROM rollout GROUP BY step');
    expect(half).toHaveLength(1);
    await push();
    expect(await seen()).toHaveLength(318);
  });

  it('is the same after two pushes at once as after one', async () => {
    await beginning();
    await push();
    const once = await seen();
    databases += 1;
    await making((made) => makeTables(made, CLUSTER));
    await warehouse.close();
    warehouse = open();
    await Promise.all([push(), push()]);
    expect(await seen()).toEqual(once);
  });

  it('is the same after a push that was killed again and again as after one', async () => {
    await beginning();
    await push();
    const once = await seen();
    databases += 1;
    await making((made) => makeTables(made, CLUSTER));
    await warehouse.close();
    warehouse = open();
    // Each push is killed one request later than the one before it, until one comes to its end.
    let kills = 0;
    const killer = await killerOfPushes(`${engine.server}/turnwise_test_${databases}`);
    while ((await killer.push(['--library', place.library], kills + 2)) === 'killed') kills += 1;
    await killer.close();
    expect(kills).toBeGreaterThan(5);
    expect(await seen()).toEqual(once);
  });

  it('joins the groups that two nodes each hold a part of, also from equal paths', async () => {
    const lines = readFileSync(DEMO_LOG, 'utf8').split('\n').slice(0, 60);
    const head = lines.filter((line) => !line.includes('"type":"rollout"'));
    const rollouts = lines.filter((line) => line.includes('"type":"rollout"'));
    const half = rollouts.length >> 1;
    for (const part of [rollouts.slice(0, half), rollouts.slice(half)]) {
      const node = scratch();
      try {
        const log = place.file('node.jsonl', `${[...head, ...part].join('\n')}\n`);
        await ingestHere(node.library, [log]);
        await push(node.library);
      } finally {
        node.remove();
      }
    }
    const directory = join(place.directory, 'pulled');
    const { run, sources } = (await warehouseRuns(warehouse))[0] ?? { run: '', sources: 0 };
    expect(sources).toBe(2);
    expect(await pull(warehouse, { run, directory })).toMatchObject({ rollouts: rollouts.length });
    const { files } = await ingestHere(place.library, [directory]);
    expect(files.flatMap(({ issues }) => issues)).toEqual([]);
    expect(rows(place.library, 'SELECT count(*) AS n FROM rollout')).toEqual([{ n: rollouts.length }]);
    const db = openReader(place.library);
    try {
      // The list names each rollout by its position in a copy.
      const { rollouts: listed } = await warehouseRollouts(warehouse, {
        ...{ run, filter: { kind: 'all' } },
        sort: [{ by: 'responseChars', direction: 'descending' }],
      });
      const named = (row: { readonly groupKey: string; readonly ordinal: number }) =>
        `${row.groupKey} ${row.ordinal}`;
      const chars = new Map(
        rows(place.library, 'SELECT group_key, ordinal, response_chars FROM rollout').map((row) => [
          `${row['group_key']} ${row['ordinal']}`,
          row['response_chars'],
        ]),
      );
      expect(listed.map((row) => [named(row), row.responseChars])).toEqual(
        listed.map((row) => [named(row), chars.get(named(row))]),
      );
      expect(new Set(listed.map(named)).size).toBe(rollouts.length);
      const steps = await warehouseSteps(warehouse, run, { kind: 'all' });
      expect(steps.map(({ summary }) => summary)).toEqual(listSteps(db, 1).map(nearly));
    } finally {
      db.close();
    }
  });

  it('names a run, with its evaluation, and never two runs alike', async () => {
    await copyDemoLibrary(place.library);
    await expect(push(place.library, 'release-7')).rejects.toThrow('there are 2 runs');
    const sender = new Push(place.library, warehouse, { as: 'release-7', runKeys: [DEMO] });
    await sender.send();
    sender.close();
    expect((await warehouseRuns(warehouse)).map(({ run }) => run)).toEqual(['release-7']);
  });

  it('removes a run', async () => {
    await beginning();
    await push();
    await removeRun(warehouse, DEMO);
    expect(await warehouseRuns(warehouse)).toEqual([]);
    await push();
    expect(await seen()).toHaveLength(318);
  });

  it('makes its tables once; a later version is refused', async () => {
    await making((made) => makeTables(made, CLUSTER));
    await warehouse.run('CREATE OR REPLACE VIEW warehouse AS SELECT toUInt32(99) AS version');
    await beginning();
    await expect(push()).rejects.toThrow(
      `the warehouse has version 99; this Turnwise knows up to ${WAREHOUSE_VERSION}`,
    );
    await expect(making((made) => makeTables(made, CLUSTER))).rejects.toThrow('version 99');
  });

  it('has statements for a cluster that the engine can parse', async () => {
    for (const statement of tableStatements('team', 'three'))
      expect(await warehouse.rows(`EXPLAIN AST ${statement}`)).not.toEqual([]);
  });

  describe('in trouble', () => {
    it('names a wrong password, a missing warehouse and a server that is not there', async () => {
      const failure = async (other: Warehouse): Promise<string> => {
        const message = await warehouseRuns(other).catch((error: Error) => error.message);
        await other.close();
        return String(message);
      };
      const wrong = open({ credentials: { user: 'writer', password: 'top-secret' } });
      expect(await failure(wrong)).toMatch(
        /refused the user writer with this password; both come from TURNWISE_WAREHOUSE_USER/,
      );
      const missing = new Warehouse(readAddress(`${engine.server}/nothing_here`), { credentials: DEFAULT });
      expect(await failure(missing)).toMatch(/there is no warehouse in the database nothing_here/);
      const nobody = new Warehouse(readAddress('http://127.0.0.1:1/team'), { credentials: DEFAULT });
      expect(await failure(nobody)).toMatch(/does not answer; is the server running there/);
    });

    it('takes a password only from a file that nobody else can read', () => {
      const path = place.file('credentials.json', '{"user": "writer", "password": "secret"}');
      expect(() => readCredentials({}, path)).toThrow('can be read by other users');
      writeFileSync(path, '', { flag: 'r+' });
      const bad = place.file('bad.json', 'top-secret');
      chmodSync(bad, 0o600);
      expect(() => readCredentials({}, bad)).toThrow(/^(?!.*top-secret).*must be \{"user"/);
    });

    it('lets a reader read and not write', async () => {
      await beginning();
      await push();
      const reader = open({ isReadOnly: true });
      expect(await warehouseRuns(reader)).toHaveLength(1);
      await expect(removeRun(reader, DEMO)).rejects.toThrow(/readonly/i);
      await reader.close();
    });

    it('leaves nothing when the server ends in the middle of an answer', async () => {
      const liar = createServer((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
          socket.write('10\r\n{"version":1}\n{"a\r\n');
          socket.destroySoon();
        });
      }).listen(0, '127.0.0.1');
      await once(liar, 'listening');
      const at = liar.address();
      const port = typeof at === 'object' ? at?.port : 0;
      const other = new Warehouse(readAddress(`http://127.0.0.1:${port}/team`), { credentials: DEFAULT });
      const directory = join(place.directory, 'pulled');
      await expect(pull(other, { run: DEMO, directory })).rejects.toThrow(`127.0.0.1:${port}`);
      expect(readdirSync(place.directory)).toEqual([]);
      await other.close();
      liar.close();
    });

    it('continues when the server was restarted', async () => {
      await beginning();
      const sender = new Push(place.library, warehouse);
      await engine.stop();
      await expect(sender.send()).rejects.toThrow('does not answer');
      await engine.restart();
      expect(await sender.send()).toMatchObject({ rollouts: 318 });
      sender.close();
    });
  });

  const filterOf = (text: string) => {
    const filter = readFilter(text);
    if (!filter.ok) throw new Error(`${text}: ${filter.fault.message}`);
    return filter;
  };

  function exportAll(): string {
    const directory = join(place.directory, 'exported');
    const db = openReader(place.library);
    try {
      for (const _ of writeDataSet(db, { directory }));
    } finally {
      db.close();
    }
    return directory;
  }
});

/** Compares every row of every step. An array has no NULL in a warehouse, so an empty one equals it. */
async function expectSame(pulled: string, exported: string, run: string): Promise<void> {
  const partition = readdirSync(join(pulled, 'rollouts'));
  expect(partition).toHaveLength(1);
  const [of = ''] = partition;
  const steps = readdirSync(join(exported, 'rollouts', of)).sort();
  expect([run, readdirSync(join(pulled, 'rollouts', of)).sort()]).toEqual([run, steps]);
  for (const step of steps) {
    const [a, b] = await Promise.all(
      [pulled, exported].map((directory) => rowsOf(join(directory, 'rollouts', of, step, 'part-0.parquet'))),
    );
    expect(a).toEqual(b);
  }
}

async function rowsOf(path: string): Promise<readonly unknown[]> {
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const records = await parquetReadObjects({ file, compressors });
  return records.map(({ rollout: _, ...row }) => JSON.stringify(row, asKnown)).sort();
}

/** The values that the engine counts. */
const counted = ({ schedule: _, repeats: __, ...facts }: StepFacts) => facts;

/** Means may differ in the last digits, because the engine adds up in another order. */
function nearly(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : expect.closeTo(value, 9);
  if (Array.isArray(value)) return value.map(nearly);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, nearly(each)]));
}

const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort();

const asKnown = (_: string, value: unknown): unknown =>
  value === undefined || (Array.isArray(value) && value.length === 0) ? null : value;
