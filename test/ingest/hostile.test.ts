/** Files that claim to be larger than they are: each is an issue with its name, and the file beside it is read. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from '@uwdata/flechette';
import Database from 'better-sqlite3';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArrowSource } from '../../electron/ingest/containers/arrow.ts';
import { ByteSource } from '../../electron/ingest/containers/bytes.ts';
import { openFile } from '../../electron/ingest/containers/openFile.ts';
import { ParquetSource } from '../../electron/ingest/containers/parquet.ts';
import { ThriftWalker } from '../../electron/ingest/containers/parquetChecks.ts';
import { SqliteSource } from '../../electron/ingest/containers/sqlite.ts';
import { BatchBuilder } from '../../electron/ingest/packBatch.ts';
import { readTokenizerFile } from '../../electron/ingest/tokenizerFile.ts';
import { openReader } from '../../electron/storage/open.ts';
import { getRollout } from '../../electron/storage/queries/rollout.ts';
import { getRun, listSteps } from '../../electron/storage/queries/runs.ts';
import {
  addGeneratedStatistics,
  archiveOf,
  parquetClaiming,
  parquetOf,
  parquetOfDifferences,
  parquetOfNoSize,
  parquetWithLongRun,
  parquetWithNumbersAsBooleans,
  parquetWithPackedRun,
  repeatRows,
  writeStoreWithGeneratedColumn,
} from '../../fixtures/generate/hostileFiles.ts';
import { zip } from '../../fixtures/generate/zip.ts';
import type { IngestIssue } from '../../shared/domain/model.ts';
import { readJson } from '../../shared/format/lenientJson.ts';
import { callsOf } from '../support/callsOf.ts';
import { askColumns } from '../support/columnQuestion.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

const MLFLOW_STORE = join(import.meta.dirname, '../../fixtures/verl-trace/mlflow-store/input.db');
const TRACKIO_STORE = join(import.meta.dirname, '../../fixtures/verl-trace/trackio-store/edges.db');
const row = { input: 'user\nq\nassistant\n', output: '#### 1', score: 1, step: 1 };

/** Reads the file and a good one beside it. @returns rollouts and messages of the first */
async function readBeside(name: string, content?: Uint8Array | string) {
  if (content !== undefined) place.file(name, content);
  const good = place.file('z-good.jsonl', `${JSON.stringify(row)}\n`);
  const { files } = await ingestHere(place.library, [join(place.directory, name), good]);
  expect(files.at(-1)).toMatchObject({ path: good, rollouts: 1 });
  return { rollouts: files[0]?.rollouts, messages: files[0]?.issues.map(({ message }) => message) ?? [] };
}

it('reads the members of an archive that are whole, and names the damaged one', async () => {
  const archive = Buffer.from(archiveOf([5, 5, 5]));
  const whole = await readBeside('whole.eval', archive);
  const name = 'samples/';
  const members: number[] = [];
  for (let at = archive.indexOf('PK\u0003\u0004'); at >= 0; at = archive.indexOf('PK\u0003\u0004', at + 1))
    if (archive.toString('latin1', at + 30, at + 30 + name.length) === name) members.push(at);
  expect(members).toHaveLength(3);
  const header = members[1] ?? 0;
  archive.fill(
    0xff,
    header + 30 + archive.readUInt16LE(header + 26),
    header + 38 + archive.readUInt16LE(header + 26),
  );
  const damaged = await readBeside('damaged.eval', archive);
  expect([whole.rollouts, damaged.rollouts]).toEqual([3, 2]);
  expect(damaged.messages).toContainEqual(
    expect.stringMatching(/member samples\/.* of the zip archive cannot be read/),
  );
});

describe('blank lines', () => {
  it('are read in a time that depends on their bytes, and count as lines', async () => {
    const lines = 200_000;
    const blank = Buffer.from(`${'\n'.repeat(lines - 3)} \r\n\t\n\n`);
    const record = Buffer.from(`${JSON.stringify(row)}\n`);
    const log = Buffer.concat([record, blank, Buffer.from('  {"broken\n'), blank, record]);
    for (const name of ['a.jsonl', 'a.jsonl.gz']) {
      place.file(name, name.endsWith('.gz') ? gzipSync(log) : log);
      const source = new ByteSource(
        join(place.directory, name),
        name.endsWith('.gz') ? 'gzip' : 'plain',
        'line',
      );
      let records = 0;
      for await (const some of source.records(0)) for (const _ of some) records++;
      // At most one more for each chunk that a run of blank lines reaches into.
      expect(records).toBeLessThan(20);
      const { files } = await ingestHere(place.library, [join(place.directory, name)]);
      expect(files[0]).toMatchObject({ rollouts: 2, issues: [{ line: lines + 2 }] });
    }
    const db = openReader(place.library);
    expect(db.prepare('SELECT max(line) FROM rollout').pluck().get()).toBe(2 * lines + 3);
    db.close();
  });
});

describe('rewards of any size', () => {
  const logOf = (...rewards: readonly string[]) =>
    rewards.map((reward) => `{"input":"q","output":"a","step":1,"score":${reward}}\n`).join('');
  const rewardsOf = async (log: string) => {
    const { files } = await ingestHere(place.library, [place.file('a.jsonl', log)]);
    const messages = files.flatMap(({ issues }) => issues.map(({ message }) => message));
    const db = openReader(place.library);
    const rewards = db.prepare('SELECT reward FROM rollout ORDER BY rollout_id').pluck().all();
    const runId = Number(db.prepare('SELECT run_id FROM run').pluck().get());
    const series = askColumns(db, { method: 'step.series', runId, filter: 'reward:*' });
    const [step] = listSteps(db, runId);
    db.close();
    return { messages, rewards, series, step };
  };

  it.each(['1e308', '-1e308', '1e151', '1e400'])(
    '%s is unknown with the reason, so that no sum overflows',
    async (reward) => {
      const { rewards, messages, step } = await rewardsOf(logOf(reward, reward, '1'));
      expect(rewards).toEqual([null, null, 1]);
      expect(step?.meanReward).toBe(1);
      expect(messages).toContainEqual(
        expect.stringMatching(/"score" is .*, beyond ±1e\+150, where sums overflow; the reward is unknown/),
      );
    },
  );

  it('the largest have a mean and a deviation', async () => {
    const { rewards, messages, series, step } = await rewardsOf(logOf('1e150', '1e150', '-1e150'));
    expect(rewards).toEqual([1e150, 1e150, -1e150]);
    expect(messages).toEqual([]);
    expect(step?.meanReward).toBeCloseTo(1e150 / 3, -140);
    expect(series).toMatchObject({ value: { steps: [{ reward: { known: 3 } }] } });
    expect(JSON.stringify(series)).not.toContain('null');
  });

  it('whole numbers from 2^53 on are the nearest double', async () => {
    const { rewards, messages } = await rewardsOf(logOf('9007199254740993', '-12345678901234567890'));
    expect(rewards).toEqual([2 ** 53, -12345678901234567000]);
    expect(messages).toEqual([]);
  });
});

describe('Parquet', () => {
  const schemaOf = (change: object) =>
    parquetClaiming(({ schema, row_groups }) => {
      Object.assign(schema.find(({ name }) => name === 'prompt') ?? {}, change);
      // Least and largest values are written by type.
      for (const { columns } of row_groups)
        for (const { meta_data: column } of columns) delete column?.statistics;
    });
  const manyRows = (rows: bigint, bytes?: bigint) =>
    parquetClaiming((footer) => {
      footer.num_rows = rows;
      for (const group of footer.row_groups) {
        group.num_rows = rows;
        if (bytes !== undefined) group.total_byte_size = bytes;
        for (const { meta_data: column } of group.columns) if (column) column.num_values = rows;
      }
    });

  it.each([
    ['10⁹ rows', manyRows(10n ** 9n), /claims 1000000000 rows, in \d+ bytes/],
    ['10¹⁵ rows in 10¹⁸ bytes', manyRows(10n ** 15n, 10n ** 18n), /claims 1000000000000000 rows/],
    ['more rows than its pages hold', manyRows(60_000n), /claims 60000 rows, but its column step has 3/],
    [
      'columns that share their pages',
      parquetClaiming(({ row_groups: [group] }) => {
        const [column] = group?.columns ?? [];
        if (column?.meta_data !== undefined) column.meta_data.total_compressed_size = 10n ** 6n;
      }),
      /columns claim \d+ bytes, and it has \d+/,
    ],
    ['fewer rows than its pages hold', manyRows(2n), /claims 2 rows, but its column step has 3/],
    ['a run longer than its page', parquetWithLongRun(), /page of 200 values with a run of 8191/],
    ['such a run in a compressed page', parquetWithPackedRun(1), /page of 200 values with a run of 8191/],
    ['such a run of values without bits', parquetWithPackedRun(0), /page of 200 values with a run of 8191/],
    ['numbers in the encoding of booleans', parquetWithNumbersAsBooleans(), /200 values of the type INT64/],
    ['a size that is not a number', parquetOfNoSize(), /columns claim NaN bytes/],
    ['blocks without parts', parquetOfDifferences([0x80, 0x01, 0x00]), /blocks of 128 values in 0 parts/],
    [
      'a number without end',
      parquetOfDifferences([0x80, 0x01, 0x04, 0xc8, 0x01, ...Array.from({ length: 12 }, () => 0xff)]),
      /a number of more than 64 bits/,
    ],
    ['a column of fewer than no columns', schemaOf({ num_children: -1 }), /column prompt has -1 children/],
    [
      'values of a fixed length that no page has',
      schemaOf({ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2 ** 30 }),
      /a page of \d values/,
    ],
    [
      'values that share their parts',
      schemaOf({ logical_type: { type: 'VARIANT' } }),
      /column prompt has the type VARIANT/,
    ],
    [
      'decimals of any length',
      schemaOf({ converted_type: 'DECIMAL', logical_type: undefined }),
      /column prompt has decimals of any length/,
    ],
  ])('refuses %s', async (_what, content, message) => {
    expect(await readBeside('a.parquet', content)).toEqual({
      rollouts: 0,
      messages: [expect.stringMatching(message)],
    });
  });

  it('takes no number of more bits than the decoder reads', () => {
    // Field 1, a whole number of 2^35 + 2 and of 2.
    expect(() =>
      new ThriftWalker(Buffer.from([0x15, 0x84, 0x80, 0x80, 0x80, 0x80, 0x02, 0])).struct(),
    ).toThrow('it has a number of more than 32 bits');
    expect(new ThriftWalker(Buffer.from([0x15, 0x04, 0])).struct()).toEqual({ 1: 2 });
  });

  it.each(['DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY'] as const)(
    'reads texts in the encoding %s',
    async (encoding) => {
      const texts = Array.from({ length: 400 }, (_, i) => (i % 3 === 0 ? null : `It is ${i}.`));
      const columnData = [
        { name: 'prompt', data: texts.map((_, i) => `What is ${i}?`), type: 'STRING' as const, encoding },
        { name: 'completion', data: texts.map((_, i) => `It is ${i}.`), type: 'STRING' as const },
        { name: 'note', data: texts, type: 'STRING' as const, encoding, nullable: true },
      ];
      const content = Buffer.from(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' }));
      expect(await readBeside('a.parquet', content)).toEqual({ rollouts: 400, messages: [] });
      // The parts of the first block of lengths.
      const block = content.indexOf(Buffer.from([0x80, 0x01, 0x04]));
      content[block + 2] = 0;
      const { messages } = await readBeside('b.parquet', content);
      expect(messages).toEqual([expect.stringMatching(/blocks of 128 values in 0 parts/)]);
    },
  );

  it('reads numbers that are logged as differences', async () => {
    const { rollouts, messages } = await readBeside('a.parquet', parquetOfDifferences([0x80]));
    expect({ rollouts, messages }).toEqual({ rollouts: 200, messages: [] });
  });

  it('says that a damaged footer cannot be read, not how the decoder failed', async () => {
    const content = parquetOf(3, 'It is 72.');
    // An empty structure has none of the fields that a footer needs.
    content.fill(0, content.length - 8 - content.readUInt32LE(content.length - 8), content.length - 8);
    const { messages } = await readBeside('a.parquet', content);
    expect(messages).toEqual([expect.stringMatching(/damaged Parquet file: its footer cannot be read$/)]);
  });

  it('refuses a footer of more structures than any file has', async () => {
    const content = parquetClaiming((footer) => {
      const [group] = footer.row_groups;
      if (group === undefined) throw new Error('no row group');
      const short = { ...group, columns: group.columns.slice(0, 1) };
      footer.row_groups = Array.from({ length: 300_000 }, () => short);
    });
    const { messages } = await readBeside('a.parquet', content);
    expect(messages).toEqual([expect.stringContaining('too many structures')]);
  });

  it('sums the sizes of columns in one pass over all chunks', async () => {
    const callsFor = async (columns: number): Promise<number> => {
      const columnData = Array.from({ length: columns }, (_, i) => ({
        ...{ name: `c${i}`, type: 'INT32' as const, data: Array.from({ length: 20 }, () => i) },
      }));
      const content = Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 1 }));
      const source = await ParquetSource.open(place.file(`${columns}.parquet`, content));
      try {
        let header: typeof source.header;
        const calls = callsOf(() => {
          header = source.header;
        });
        expect(Object.keys(Object(header?.['columns']))).toHaveLength(columns);
        return calls;
      } finally {
        await source.close();
      }
    };
    expect((await callsFor(80)) / (await callsFor(40))).toBeLessThan(3);
  });

  it('reads the rows before the one that exceeds what a file of its size may hold', async () => {
    const { rollouts, messages } = await readBeside('a.parquet', parquetOf(40_000, 'long '.repeat(2000)));
    expect(rollouts).toBeGreaterThan(20_000);
    expect(messages).toEqual([expect.stringMatching(/repeat more text than a file of its size holds/)]);
  });
});

describe('Arrow', () => {
  it('reads the rows before the one that exceeds what a file of its size may hold', async () => {
    // A dictionary of one text.
    const text = 'long '.repeat(20_000);
    const table = tableFromArrays({ completion: Array.from({ length: 8000 }, () => text) });
    const source = ArrowSource.open(place.file('a.arrow', tableToIPC(table, { format: 'file' }) ?? ''));
    let rows = 0;
    const read = async (): Promise<void> => {
      for await (const records of source.records(0)) for (const _ of records) rows++;
    };
    await expect(read()).rejects.toThrow('repeat more text than a file of its size holds');
    await source.close();
    expect(rows).toBeGreaterThan(2000);
  });

  it('refuses a batch of more rows than a file of its size may have', async () => {
    const whole = readFileSync(join(import.meta.dirname, '../../fixtures/messages/arrow-stream/data.arrow'));
    // The length of the first batch, of its columns, and the offsets: every 2 of 64 bits.
    const two = Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]);
    for (let at = whole.indexOf(two); at >= 0; at = whole.indexOf(two, at + 8)) whole[at + 5] = 1;
    const { messages } = await readBeside('a.arrow', whole);
    expect(messages).toEqual([expect.stringMatching(/claims \d{13,} rows, in \d+ bytes/)]);
  });
});

describe('an archive', () => {
  it('with a long member names it and reads the others', async () => {
    const { rollouts, messages } = await readBeside('a.eval', archiveOf([5, 70_000_000, 5]));
    expect(rollouts).toBe(2);
    expect(messages).toEqual([expect.stringMatching(/has 7\d{7} bytes; the limit is 67108864/)]);
  });

  it('with a padded header is refused', async () => {
    const { messages } = await readBeside('a.eval', archiveOf([5], 70_000_000));
    expect(messages).toEqual([expect.stringMatching(/header.json .* has 70000000 bytes/)]);
  });

  it('that unpacks to more than an archive of its size may is read up to there', async () => {
    const sizes = [5, ...Array.from({ length: 7 }, () => 40_000_000), 5];
    const { rollouts, messages } = await readBeside('a.eval', archiveOf(sizes, 0, 'zstd'));
    expect(rollouts).toBe(7);
    expect(messages).toContainEqual(
      expect.stringMatching(
        /unpack to more than \d+; the members from samples\/7_epoch_1.json on are not read/,
      ),
    );
  });

  it('whose messages name one attachment thousands of times has it as often as messages, input and output may name it', async () => {
    const header = JSON.stringify({
      version: 2,
      status: 'success',
      eval: { eval_id: 'e', task: 't', model: 'm' },
    });
    const sample = JSON.stringify({
      ...{ id: 1, epoch: 1, input: 'q', target: '1', attachments: { h: 'long '.repeat(20_000) } },
      messages: Array.from({ length: 1_000 }, () => ({ role: 'assistant', content: 'attachment://h' })),
    });
    const members = {
      '_journal/start.json': header,
      'samples/1_epoch_1.json': sample,
      'header.json': header,
    };
    const { rollouts, messages } = await readBeside('a.eval', zip(members, 'deflated'));
    expect(rollouts).toBe(1);
    expect(messages).toEqual([expect.stringMatching(/^992 references to attachments were left as they are/)]);
    const [{ chars } = {}] = rows(place.library, 'SELECT max(response_chars) AS chars FROM rollout_row');
    expect(chars).toBeLessThan(1 << 20);
  });

  it('whose members are longer than it says is not unpacked to their end', async () => {
    const content = archiveOf([5, 60_000_000, 5], 0, 'zstd');
    const entry = content.indexOf('samples/1_epoch_1.json', content.indexOf('PK\u0001\u0002', 'latin1')) - 46;
    content.writeUInt32LE(300, entry + 24);
    const { rollouts, messages } = await readBeside('a.eval', content);
    expect(rollouts).toBe(2);
    expect(messages).toEqual([
      expect.stringMatching(/samples\/1_epoch_1.json .*(?:larger|more) than 300 bytes/),
    ]);
  });

  it('whose members overlap is refused', async () => {
    const content = archiveOf([200_000]);
    // The directory claims that the sample is as long as the archive.
    const entry = content.indexOf('samples/0_epoch_1.json', content.indexOf('PK\u0001\u0002', 'latin1')) - 46;
    content.writeUInt32LE(content.byteLength, entry + 20);
    const { messages } = await readBeside('a.eval', content);
    expect(messages).toEqual([expect.stringContaining('its members overlap')]);
  });
});

describe('zstd', () => {
  it('that unpacks to more than a file of its size may is read up to there', async () => {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    const bomb = zstdCompressSync(Buffer.concat([line, Buffer.alloc(300 << 20, '\n'), line]));
    const { rollouts, messages } = await readBeside('a.jsonl.zst', bomb);
    expect(rollouts).toBe(1);
    expect(messages).toContainEqual(expect.stringMatching(/its \d+ bytes unpack to more than \d+; the rest/));
  });
});

describe('a store', () => {
  it('with a generated column is refused', async () => {
    writeStoreWithGeneratedColumn(join(place.directory, 'a.db'), 8);
    const { messages } = await readBeside('a.db');
    expect(messages).toEqual([
      expect.stringContaining('the column big of the table trace_info is generated'),
    ]);
  });

  it('without the indexes of its program is refused, because each trace would need all rows', async () => {
    const db = new Database(join(place.directory, 'a.db'));
    db.exec(`
      CREATE TABLE trace_info (request_id TEXT PRIMARY KEY, timestamp_ms INTEGER);
      CREATE TABLE trace_tags (key TEXT, value TEXT, request_id TEXT, PRIMARY KEY (key, request_id));
      INSERT INTO trace_info VALUES ('t', 1);`);
    db.close();
    const { messages } = await readBeside('a.db');
    expect(messages).toEqual([expect.stringContaining('trace_tags has no index on request_id')]);
  });

  it.each([
    ['traces of one id', 'request_id TEXT', 'BINARY', 'request_id is not a key of the table trace_info'],
    [
      'an index that does not help',
      'request_id TEXT PRIMARY KEY',
      'NOCASE',
      'trace_tags has no index on request_id',
    ],
    [
      'a column rowid',
      'request_id TEXT PRIMARY KEY, rowid INTEGER',
      'BINARY',
      'hides the number of its rows',
    ],
  ])(
    'with %s is refused, because rows would be read again and again',
    async (_what, info, collation, message) => {
      const db = new Database(join(place.directory, 'a.db'));
      db.exec(`
      CREATE TABLE trace_info (${info}, timestamp_ms INTEGER);
      CREATE TABLE trace_tags (key TEXT, value TEXT, request_id TEXT);
      CREATE INDEX by_id ON trace_tags (request_id COLLATE ${collation});
      INSERT INTO trace_info (request_id) VALUES ('t');`);
      db.close();
      const { messages } = await readBeside('a.db');
      expect(messages).toEqual([expect.stringContaining(message)]);
    },
  );

  it.each([
    ['numbers as ids', 'request_id INTEGER UNIQUE', 'request_id TEXT'],
    ['ids without case', 'request_id TEXT UNIQUE', 'request_id TEXT COLLATE NOCASE'],
  ])('with %s is read by its index, because each trace would else need all rows', async (_what, id, tag) => {
    const db = new Database(join(place.directory, 'a.db'));
    db.exec(`
      CREATE TABLE trace_info (${id}, timestamp_ms INTEGER);
      CREATE TABLE trace_tags (key TEXT, value TEXT, ${tag});
      CREATE INDEX by_id ON trace_tags (request_id COLLATE BINARY);
      INSERT INTO trace_info VALUES (1, 1), (2, 1);
      INSERT INTO trace_tags VALUES ('', '', 'other');`);
    const spies = [vi.spyOn(Database.prototype, 'prepare'), vi.spyOn(Database.prototype, 'exec')];
    try {
      const { messages } = await readBeside('a.db');
      expect(messages.filter((message) => /busy|cannot be read/.test(message))).toEqual([]);
      const executed = spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql));
      const read = executed.filter((sql) => /FROM \S*trace_tags/.test(sql));
      const plans = read.flatMap((sql) =>
        db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', "'1'")}`).all(),
      );
      const steps = plans.map(({ detail }) => detail).filter((detail) => detail.includes('trace_tags'));
      expect(steps.length).toBeGreaterThan(1);
      expect(steps.filter((step) => !/^SEARCH \S+ USING INDEX by_id/.test(step))).toEqual([]);
    } finally {
      for (const spy of spies) spy.mockRestore();
      db.close();
    }
  });

  it('whose traces share an artifact is refused, because it could be read for each', async () => {
    const db = new Database(join(place.directory, 'a.db'));
    db.exec(`
      CREATE TABLE trace_info (request_id TEXT PRIMARY KEY, timestamp_ms INTEGER);
      CREATE TABLE trace_tags (key TEXT, value TEXT, request_id TEXT, PRIMARY KEY (request_id, key));`);
    for (const id of ['t1', 't2'])
      db.exec(`INSERT INTO trace_info VALUES ('${id}', 1);
        INSERT INTO trace_tags VALUES ('mlflow.artifactLocation', 'art', '${id}');`);
    db.close();
    mkdirSync(join(place.directory, 'art'));
    place.file('art/traces.json', '{"spans": []}');
    const { messages } = await readBeside('a.db');
    expect(messages).toContainEqual(expect.stringContaining('the traces t1 and t2 name the same file'));
  });

  it('may take as long as the bytes of its artifacts permit', async () => {
    const db = new Database(join(place.directory, 'a.db'));
    db.exec(`
      CREATE TABLE trace_info (request_id TEXT PRIMARY KEY, timestamp_ms INTEGER);
      CREATE TABLE trace_tags (key TEXT, value TEXT, request_id TEXT, PRIMARY KEY (request_id, key));
      INSERT INTO trace_info VALUES ('t', 1);
      INSERT INTO trace_tags VALUES ('mlflow.artifactLocation', 'art', 't');`);
    db.close();
    mkdirSync(join(place.directory, 'art'));
    place.file('art/traces.json', '{"spans": []}');
    const source = await SqliteSource.open(join(place.directory, 'a.db'));
    for await (const records of source.records(0)) for (const _ of records);
    await source.close();
    expect(source.otherBytes).toBe(13);
  });

  it.skipIf(process.platform === 'win32')('with a pipe as its journal is refused', async () => {
    cpSync(MLFLOW_STORE, join(place.directory, 'a.db'));
    execFileSync('mkfifo', [join(place.directory, 'a.db-journal')]);
    const { messages } = await readBeside('a.db');
    expect(messages).toContainEqual(expect.stringMatching(/a.db-journal is not a regular file/));
  });

  it('with a write-ahead log is read, and no file is created beside it', async () => {
    const path = join(place.directory, 'a.db');
    cpSync(MLFLOW_STORE, path);
    const db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.close();
    expect((await readBeside('a.db')).rollouts).toBe(2);
    expect(readdirSync(place.directory).filter((name) => name.startsWith('a.db'))).toEqual(['a.db']);
  });

  it.each(['traces', 'sqlite_schema'])(
    'that repeats the pages of %s without end is refused',
    async (table) => {
      const path = join(place.directory, 'a.db');
      cpSync(TRACKIO_STORE, path);
      repeatRows(path, table, 5);
      const { messages, rollouts } = await readBeside('a.db');
      expect(rollouts).toBe(0);
      expect(messages).toEqual([
        expect.stringMatching(
          new RegExp(`its page \\d+ has several places in its trees, one of them in ${table}`),
        ),
      ]);
    },
  );

  it('whose rows all have one long default, which they do not store, is refused', async () => {
    const path = join(place.directory, 'a.db');
    cpSync(TRACKIO_STORE, path);
    const db = new Database(path);
    const copied = db.prepare(
      `INSERT INTO traces SELECT ? || id, run_id, timestamp, run_name, step, key, trace_index, messages, metadata, search_text,
        log_id, space_id FROM traces WHERE rowid = 1`,
    );
    for (let i = 0; i < 100; i++) copied.run(`${i} `);
    db.exec(`ALTER TABLE traces ADD COLUMN note DEFAULT '${'long '.repeat(100_000)}'`);
    db.close();
    const { messages } = await readBeside('a.db');
    expect(messages).toEqual([expect.stringMatching(/its rows claim \d+ bytes, in \d+ bytes/)]);
  });

  it('whose rows all repeat the long name of a column is refused', async () => {
    const path = join(place.directory, 'a.db');
    cpSync(TRACKIO_STORE, path);
    const db = new Database(path);
    db.exec(`ALTER TABLE traces ADD COLUMN "${'long '.repeat(1000)}"`);
    db.close();
    const { messages } = await readBeside('a.db');
    expect(messages).toEqual([
      expect.stringMatching(/names of the columns of the table traces have \d+ char/),
    ]);
  });

  it('with planner statistics that would be computed is refused before SQLite opens it', async () => {
    const path = join(place.directory, 'a.db');
    writeStoreWithGeneratedColumn(path, 0);
    const db = new Database(path);
    addGeneratedStatistics(db);
    db.close();
    const { messages } = await readBeside('a.db');
    expect(messages).toEqual([
      expect.stringContaining('its table sqlite_stat1 is not the one that SQLite creates'),
    ]);
  });
});

describe('refused lines', () => {
  it('are listed up to 10,000 per file, and the rest is counted', async () => {
    const bad = '{"a":1}\n'.repeat(15_000);
    const path = place.file('a.jsonl', `${JSON.stringify(row)}\n${bad}`);
    const first = await ingestHere(place.library, [path]);
    expect(first.files[0]?.rollouts).toBe(1);
    expect(issuesByCode(first.files[0]?.issues)).toEqual({
      refused: 10_000,
      more: ['5,000 more issues of this file are not listed'],
    });
    appendFileSync(path, `${JSON.stringify(row)}\n${bad}{"a`);
    const second = await ingestHere(place.library, [path]);
    expect(second.files[0]?.rollouts).toBe(2);
    expect(issuesByCode(second.files[0]?.issues)).toEqual({
      refused: 10_001,
      more: ['20,000 more issues of this file are not listed'],
    });
    expect(second.files[0]?.issues.some(({ code }) => code === 'incomplete_line')).toBe(true);
  });

  const issuesByCode = (issues: readonly IngestIssue[] = []) => ({
    refused: issues.filter(({ code, severity }) => severity === 'refused' && code !== 'more_issues').length,
    more: issues.filter(({ code }) => code === 'more_issues').map(({ message }) => message),
  });
});

describe('a record', () => {
  it('of too many values is refused before it is parsed', () => {
    const text = `[${'{},'.repeat(9_000_000)}0]`;
    expect(readJson(text)).toEqual({
      ok: false,
      message: 'it has more than 8388608 objects, lists and fields',
    });
    expect(readJson(`["${'{'.repeat(9_000_000)}"]`).ok).toBe(true);
  });

  it('of 65 MB is refused, also when it is compressed', async () => {
    const long = JSON.stringify({ ...row, output: 'x'.repeat(68_000_000) });
    const { rollouts, messages } = await readBeside(
      'a.jsonl.gz',
      gzipSync(`${JSON.stringify(row)}\n${long}\n`),
    );
    expect(rollouts).toBe(1);
    expect(messages).toEqual([expect.stringMatching(/the limit is 67108864/)]);
  });

  it('of 100,000 tool calls is read', async () => {
    const calls = Array.from({ length: 100_000 }, (_, i) => [
      { role: 'assistant', tool_calls: [{ id: `c${i}`, function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: `c${i}`, content: `${i}` },
    ]).flat();
    const messages = [{ role: 'user', content: 'q' }, ...calls];
    expect(await readBeside('a.jsonl', `${JSON.stringify({ messages })}\n`)).toEqual({
      rollouts: 1,
      messages: [],
    });
  });

  const answers = ',{"role":"assistant","content":"a"}'.repeat(800_001);
  it.each([
    ['messages', `{"messages": [{"role": "user", "content": "q"}${answers}]}\n`],
    ['answers in a text', `${JSON.stringify({ ...row, output: '<answer>a</answer>'.repeat(800_001) })}\n`],
  ])('of more than 800,000 %s is refused', async (_what, content) => {
    expect(await readBeside('a.jsonl', content)).toEqual({
      rollouts: 0,
      messages: [expect.stringContaining('it has more than 800000 messages and tool calls')],
    });
  });
});

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  const pipe = (name: string): string => {
    const path = join(place.directory, name);
    execFileSync('mkfifo', [path]);
    return path;
  };

  it('is not waited for as a log or a tokenizer', async () => {
    const path = pipe('a.jsonl');
    expect((await readBeside('a.jsonl')).messages).toEqual(['neither a file nor a directory']);
    expect(readTokenizerFile(path)).toEqual({
      ok: false,
      message: `${path}: neither a file nor a directory`,
    });
  });

  it.each(['pipe', 'link'])('is not waited for as the artifact of a trace (%s)', async (kind) => {
    const db = new Database(join(place.directory, 'a.db'));
    db.exec(`
      CREATE TABLE trace_info (request_id TEXT PRIMARY KEY, timestamp_ms INTEGER);
      CREATE TABLE trace_tags (key TEXT, value TEXT, request_id TEXT, PRIMARY KEY (request_id, key));
      INSERT INTO trace_info VALUES ('t', 1);
      INSERT INTO trace_tags VALUES ('mlflow.artifactLocation', 'art', 't');`);
    db.close();
    mkdirSync(join(place.directory, 'art'));
    if (kind === 'pipe') pipe('art/traces.json');
    else symlinkSync(pipe('real'), join(place.directory, 'art', 'traces.json'));
    const { messages } = await readBeside('a.db');
    expect(messages).toEqual([expect.stringMatching(/neither a file|not a regular file|spans/)]);
  });
});

describe('A file of 150 MB without a line end', () => {
  const BYTES = 150_000_000;
  const LIMIT = 'the limit is 67108864';
  /** Sparse after its text, so that it takes no time to write. */
  const long = (text: string): void => {
    const path = place.file('a.jsonl', `${text}${'a'.repeat(10_000)}`);
    truncateSync(path, BYTES);
  };
  const found = async () => (await ingestHere(place.library, [join(place.directory, 'a.jsonl')])).files[0];

  it.each(['', '{"input": "', '["'])('is refused with its size and line (%s)', async (text) => {
    long(text);
    expect(await found()).toMatchObject({
      status: 'refused',
      issues: [
        { line: 1, message: expect.stringMatching(`no records: the \\w+ has ${BYTES} bytes; ${LIMIT}`) },
      ],
    });
  });

  it('is read up to its last line', async () => {
    long(`${JSON.stringify(row)}\n{"input": "`);
    const bytes = BYTES - JSON.stringify(row).length - 1;
    const issue = { line: 2, message: `the last line does not end and has ${bytes} bytes; ${LIMIT}` };
    expect(await found()).toMatchObject({ rollouts: 1, issues: [issue] });
    // It is reported once however often it is found.
    truncateSync(join(place.directory, 'a.jsonl'), BYTES + 1);
    expect((await found())?.issues).toHaveLength(1);
  });
});

describe('a file that became a link after it was found', () => {
  it('is not read', async () => {
    mkdirSync(join(place.directory, 'secret'));
    const secret = place.file('secret/log.jsonl', `${JSON.stringify(row)}\n`);
    for (const [path, link] of [
      [join(place.directory, 'a.jsonl'), secret],
      [join(place.directory, 'sub/log.jsonl'), join(place.directory, 'secret')],
    ] as const) {
      symlinkSync(link, path.endsWith('a.jsonl') ? path : join(place.directory, 'sub'));
      expect(() => openFile(path)).toThrow(`${path} leads through a link`);
    }
    closeSync(openFile(secret));
  });
});

it('a batch is full of long texts, of whatever kind they are', () => {
  const note = 'a'.repeat(600_000);
  const fills: readonly ((batch: BatchBuilder) => void)[] = [
    (batch) => batch.addStage({ fromStep: 1, name: 's', changes: { note } }),
    (batch) => batch.addRun({ config: { deep: [{ note }] } }),
    (batch) => batch.add({ kind: 'metric', metric: { step: 1, metrics: { [note]: 1 } } }),
  ];
  for (const fill of fills) {
    const batch = new BatchBuilder();
    expect(batch.isFull).toBe(false);
    fill(batch);
    expect(batch.isFull).toBe(true);
  }
});

it('a run shows as much of its stages and its configuration as a page can', async () => {
  const note = 'a'.repeat(900_000);
  const stages = Array.from({ length: 20 }, (_, i) => ({
    ...{ v: 1, type: 'stage', run: 'r', from_step: i, name: `s${i}`, note },
  }));
  const config = {
    short: 7,
    long: 'b'.repeat(2 << 20),
    ...Object.fromEntries(stages.map((_, i) => [i, note])),
  };
  const lines = [
    { v: 1, type: 'run', run: 'r', ...config },
    ...stages,
    {
      ...{ v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index: 0, text: 't' },
      problem: { id: 'p', prompt: '?' },
    },
  ];
  await ingestHere(place.library, [
    place.file('log.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  ]);
  const db = openReader(place.library);
  const run = getRun(db, 'r');
  db.close();
  expect(run?.stages.length).toBe(20);
  expect(run?.stages.at(0)?.changes).toEqual({ note });
  expect(run?.stages.at(-1)?.changes).toEqual({ changes: '900011 characters, too long to show' });
  expect(run?.config).toMatchObject({ short: 7, long: '2097154 characters, too long to show' });
  expect(JSON.stringify(run).length).toBeLessThan(18 << 20);
});

it('refuses a configuration of more values than can be stored, and reads what is beside it', async () => {
  const lists = (count: number) => `[${'{},'.repeat(count)}{}]`;
  const rollout = (index: number) => ({
    ...{ v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index, text: 't' },
    problem: { id: 'p', prompt: '?' },
  });
  const outcome = await ingestHere(place.library, [
    place.file(
      'log.jsonl',
      [
        `{"v":1,"type":"run","run":"r","few":${lists(1_000)}}`,
        `{"v":1,"type":"run","run":"r","many":${lists(300_000)}}`,
        `{"v":1,"type":"stage","run":"r","name":"s","from_step":1,"many":${lists(300_000)}}`,
        ...[0, 1].map((index) => JSON.stringify(rollout(index))),
      ]
        .map((line) => `${line}\n`)
        .join(''),
    ),
  ]);
  const message = 'the record cannot be read: its configuration has more than 300,000 values';
  expect(outcome.files).toMatchObject([
    { rollouts: 2, issues: [2, 3].map((line) => ({ code: 'unreadable_record', line, message })) },
  ]);
});

it('leaves out extra fields of a rollout with more values than a page can show', async () => {
  const lists = (count: number) => `[${'[],'.repeat(count)}[]]`;
  const words = 'a, b: [c] {d} '.repeat(100_000);
  const line = JSON.stringify({
    ...{ v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index: 0, text: 't', words, note: [1, 2] },
    problem: { id: 'p', prompt: '?' },
  });
  const text = [300_000, 3_000_000].map((count) => `${line.slice(0, -1)},"lists":${lists(count)}}\n`);
  await ingestHere(place.library, [place.file('log.jsonl', text.join(''))]);
  const db = openReader(place.library);
  const [some, many] = [1, 2].map((id) => getRollout(db, id)?.extra);
  db.close();
  const left = (values: string) => `${values} values, too many to show; the raw record has them`;
  expect(some).toEqual({ words, note: [1, 2], lists: left('600,002') });
  expect(many).toEqual({ 'extra fields': left('6,000,010') });
});

it('shows 10,000 extra fields, and says how many there are more', async () => {
  const names = Array.from({ length: 60_000 }, (_, n) => [`field_${n}`, n]);
  const line = { v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index: 0, text: 't' };
  const problem = { id: 'p', prompt: '?' };
  const log = place.file(
    'log.jsonl',
    `${JSON.stringify({ ...line, problem, ...Object.fromEntries(names) })}\n`,
  );
  await ingestHere(place.library, [log]);
  const db = openReader(place.library);
  const extra = getRollout(db, 1)?.extra ?? {};
  db.close();
  expect(Object.keys(extra).length).toBe(10_001);
  expect(extra['more extra fields']).toBe('50,000 values, too many to show; the raw record has them');
});

it('an issue quotes only the beginning of what a log says', async () => {
  const rollout = { v: 1, type: 'rollout', run: 'r', step: 1, group: 'g', index: 0, text: 't' };
  const first = JSON.stringify({ ...rollout, problem: { id: 'p', prompt: '?' } });
  const unknown = JSON.stringify({ v: 1, type: 'x'.repeat(500_000), run: 'r' });
  await ingestHere(place.library, [place.file('log.jsonl', [first, unknown, unknown, ''].join('\n'))]);
  const lengths = rows(place.library, 'SELECT max(length(message)) AS most FROM issue_row');
  expect(lengths).toEqual([{ most: 2001 }]);
});
