import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDamaged, openWriter } from '../../electron/storage/open.ts';
import { sharedPages } from '../../electron/storage/pageTrees.ts';
import { foreignStatistics } from '../../electron/storage/plannerStatistics.ts';
import { databaseOfLongRows, repeatRows, writeLogOf } from '../../fixtures/generate/hostileFiles.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwise-trees-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Trees of all kinds, of several levels, with overflow pages and free pages. */
function database(name: string, pageSize = 1024): string {
  const path = join(directory, name);
  const db = new Database(path);
  db.pragma(`page_size = ${pageSize}`);
  db.exec(`CREATE TABLE plain (id INTEGER PRIMARY KEY, word TEXT, long TEXT);
    CREATE INDEX by_word ON plain (word);
    CREATE TABLE keyed (word TEXT PRIMARY KEY, n INT) WITHOUT ROWID;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO plain SELECT i, 'a word ' || i, iif(i % 50 = 0, hex(zeroblob(3000)), 'x') FROM n;
    INSERT INTO keyed SELECT word, id FROM plain;
    DELETE FROM plain WHERE id % 3 = 0;`);
  for (let i = 0; i < 40; i++)
    db.exec(`CREATE VIEW view_${i} AS SELECT ${'1 + '.repeat(10 * i)}1 AS a FROM plain`);
  db.close();
  return path;
}

describe('the pages of an SQLite file', () => {
  it.each([512, 1024, 8192, 65_536])('of %i bytes have one place each', (pageSize) => {
    const path = database(`whole-${pageSize}.sqlite`, pageSize);
    expect([sharedPages(path), sharedPages(path, 0)]).toEqual([[], []]);
  });

  it.each(['plain', 'sqlite_schema'])('with several places in %s are found', (table) => {
    for (const levels of [1, 2, 5]) {
      const path = database(`repeated-${table}-${levels}.sqlite`);
      repeatRows(path, table, levels);
      const found = [{ table, problem: expect.stringMatching(/^page \d+ has several places in its trees$/) }];
      expect(sharedPages(path)).toEqual(found);
      expect(sharedPages(path, 0)).toEqual(found);
    }
  });

  it.each([
    ['a table', 'CREATE TABLE long (a)'],
    ['an index', 'CREATE TABLE long (a PRIMARY KEY) WITHOUT ROWID'],
  ])('do not hold the bytes that a row of %s claims', (_what, definition) => {
    const path = join(directory, 'claims.sqlite');
    rmSync(path, { force: true });
    const db = new Database(path);
    db.exec(`${definition}; INSERT INTO long VALUES (zeroblob(20000))`);
    db.close();
    expect(sharedPages(path)).toEqual([]);
    const bytes = readFileSync(path);
    // The length of the row, 20,003 or 20,004 bytes, becomes the largest number of three bytes.
    const [start, end] = [4096, 8192];
    const at = bytes
      .subarray(start, end)
      .findIndex((byte, i) => byte === 0x81 && bytes[start + i + 1] === 0x9c);
    bytes.writeUIntBE(0xffff7f, start + at, 3);
    writeFileSync(path, bytes);
    expect(sharedPages(path)).toEqual([
      { table: 'long', problem: 'page 2 has rows of more bytes than the file has room for' },
    ]);
  });

  it.each([20, 300])('do not list a row of %i bytes thousands of times', (length) => {
    const path = join(directory, 'listed.sqlite');
    rmSync(path, { force: true });
    const db = new Database(path);
    db.exec(`CREATE TABLE one (a); INSERT INTO one VALUES (zeroblob(${length}))`);
    db.close();
    const bytes = readFileSync(path);
    const page = bytes.subarray(4096, 8192);
    const cells = 600;
    for (let cell = 1; cell < cells; cell++) page.copy(page, 8 + 2 * cell, 8, 10);
    page.writeUInt16BE(cells, 3);
    writeFileSync(path, bytes);
    expect(sharedPages(path)).toEqual([
      { table: 'one', problem: 'page 2 has rows of more bytes than the file has room for' },
    ]);
  });

  it('are checked in a file that its author touches without end', async () => {
    const path = database('touched.sqlite');
    repeatRows(path, 'plain', 2);
    const toucher = new Worker(
      `const { utimesSync } = require('node:fs');
       const { parentPort, workerData } = require('node:worker_threads');
       for (let time = 1; ; time++) { utimesSync(workerData, time, time); if (time === 1) parentPort.postMessage(0); }`,
      { eval: true, workerData: path },
    );
    await once(toucher, 'message');
    expect(sharedPages(path)).toMatchObject([{ table: 'plain' }]);
    await toucher.terminate();
  });

  it('are those of the last commit in the write-ahead log', () => {
    const path = database('logged.sqlite');
    const copy = join(directory, 'copy.sqlite');
    const db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.pragma('wal_autocheckpoint = 0');
    db.exec('DELETE FROM plain WHERE id > 3000; INSERT INTO keyed SELECT word || word, id FROM plain');
    db.exec('UPDATE plain SET long = word; DROP TABLE keyed');
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
    expect(sharedPages(copy)).toEqual([]);
    db.close();
    // SQLite ignores frames with a wrong checksum, so they must not hide pages of the file.
    const log = readFileSync(`${copy}-wal`);
    log.writeUInt8(log.readUInt8(100) ^ 1, 100);
    const hiding = database('hiding.sqlite');
    repeatRows(hiding, 'plain', 3);
    writeFileSync(`${hiding}-wal`, log);
    expect(sharedPages(hiding)).toMatchObject([{ table: 'plain' }]);
    db.close();
  });

  it.each([
    ['a text that ends with a zero byte', "CAST(rootpage || x'00' || 'a' AS TEXT)"],
    ['a blob', 'CAST(CAST(rootpage AS TEXT) AS BLOB)'],
  ])('are found when SQLite takes the root of their tree from %s', (_what, rootpage) => {
    const path = database('typed.sqlite');
    repeatRows(path, 'plain', 2);
    const db = new Database(path);
    db.unsafeMode(true);
    db.pragma('writable_schema = ON');
    db.exec(`UPDATE sqlite_schema SET rootpage = ${rootpage} WHERE name = 'plain'`);
    db.close();
    expect(sharedPages(path)).toMatchObject([{ table: 'plain' }]);
    rmSync(path);
  });

  it('are found in a last page that is cut off', () => {
    const path = database('short.sqlite');
    repeatRows(path, 'plain', 3);
    // The last page is the one with a child in all places. Its children are listed from its end.
    const bytes = readFileSync(path);
    const at = bytes.byteLength - 1024;
    bytes.copy(bytes, at + 500, bytes.byteLength - 5, bytes.byteLength);
    for (let cell = 0; cell < 40; cell++) bytes.writeUInt16BE(500, at + 12 + 2 * cell);
    bytes.writeUInt16BE(40, at + 3);
    writeFileSync(path, bytes.subarray(0, bytes.byteLength - 300));
    expect(sharedPages(path)).toMatchObject([{ table: 'plain' }]);
  });

  it('are found when the root of their tree is named in an overflow page', () => {
    const path = database('named.sqlite');
    repeatRows(path, 'plain', 2);
    const db = new Database(path);
    db.unsafeMode(true);
    db.pragma('writable_schema = ON');
    const type = 'x'.repeat(3000);
    db.prepare("UPDATE sqlite_schema SET type = ? WHERE name = 'plain'").run(type);
    db.close();
    expect(sharedPages(path)).toMatchObject([{ table: 'plain' }]);
  });

  it('of two tables are shared when the tables have one root', () => {
    const path = database('roots.sqlite');
    const db = new Database(path);
    db.exec('CREATE TABLE other (id INTEGER PRIMARY KEY, word TEXT, long TEXT)');
    db.unsafeMode(true);
    db.pragma('writable_schema = ON');
    db.exec(`UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'plain')
      WHERE name = 'other'`);
    db.close();
    expect(sharedPages(path)).toHaveLength(1);
  });

  it('are not found in a file that is not a database, or is missing', () => {
    expect(sharedPages(import.meta.filename)).toEqual([]);
    expect(sharedPages(join(directory, 'missing.sqlite'))).toEqual([]);
    const path = join(directory, 'cut.sqlite');
    writeFileSync(path, readFileSync(database('to-cut.sqlite')).subarray(0, 50_000));
    expect(sharedPages(path)).toEqual([]);
  });
});

describe('a list of tables', () => {
  it.each([
    ['repeated', 2, /^page \d+ lists tables in places that overlap$/],
    ['circle', 2, /^page 4 comes twice in a row of the list of tables$/],
    // 60 pages with 4 rows each; each row is read again.
    ['line', 59, /^page 1 leads to a list of tables that is longer than the file$/],
  ] as const)('that takes more bytes than the file has is damage: %s', (shape, leaves, problem) => {
    const path = join(directory, `${shape}.sqlite`);
    writeFileSync(path, databaseOfLongRows(leaves, shape));
    expect(sharedPages(path)).toEqual([{ table: 'sqlite_schema', problem: expect.stringMatching(problem) }]);
    expect(foreignStatistics(path)).toBeUndefined();
    expect(() => openWriter(path)).toThrow(problem);
  });
});

describe('the header of an SQLite file', () => {
  /** @param change of the header in the file, while the log has the true one */
  function logged(name: string, change: (bytes: Buffer) => void): string {
    const path = database(name);
    repeatRows(path, 'plain', 3);
    const bytes = readFileSync(path);
    bytes.set([2, 2], 18);
    writeLogOf(path, bytes.subarray(0, 1024), bytes.length / 1024);
    change(bytes);
    writeFileSync(path, bytes);
    return path;
  }

  it.each<[string, (bytes: Buffer) => void, string]>([
    ['magic', (bytes) => bytes.fill(0, 0, 16), 'the header of the file is damaged'],
    ['page size', (bytes) => bytes.writeUInt16BE(256, 16), 'the header of the file is damaged'],
    ['size', (bytes) => bytes.writeUInt16BE(2048, 16), 'its header is another one in its write-ahead log'],
    ['reserved', (bytes) => bytes.writeUInt8(32, 20), 'its header is another one in its write-ahead log'],
    ['encoding', (bytes) => bytes.writeUInt32BE(2, 56), 'its header is another one in its write-ahead log'],
  ])('must agree with that of the log: %s', (what, change, problem) => {
    const path = logged(`header-${what}.sqlite`, change);
    expect(sharedPages(path)).toEqual([{ table: 'sqlite_schema', problem }]);
    expect(() => foreignStatistics(path)).toThrow(problem);
    expect(() => openWriter(path)).toThrow(problem);
  });

  it('may be only in the log, or be older in the file', () => {
    const path = logged('header-older.sqlite', (bytes) => bytes.writeUInt32BE(0, 56));
    expect(sharedPages(path)).toMatchObject([{ table: 'plain' }]);
    const from = join(directory, 'new.sqlite');
    const copy = join(directory, 'new-copy.sqlite');
    const db = openWriter(from);
    for (const suffix of ['', '-wal']) copyFileSync(from + suffix, copy + suffix);
    db.close();
    expect(sharedPages(copy)).toEqual([]);
    expect(foreignStatistics(copy)).toBeUndefined();
    openWriter(copy).close();
    const empty = join(directory, 'empty.sqlite');
    const again = openWriter(empty);
    copyFileSync(`${empty}-wal`, `${copy}-wal`);
    again.close();
    truncateSync(copy);
    expect(sharedPages(copy)).toEqual([]);
    expect(foreignStatistics(copy)).toBeUndefined();
    openWriter(copy).close();
  });
});

it('a library with such pages is not opened, nor its list of tables to save it', () => {
  const path = join(directory, 'library.sqlite');
  openWriter(path).close();
  repeatRows(path, 'label_row', 3);
  expect(() => openWriter(path)).toThrow(
    /^page \d+ has several places in its trees, one of them in label_row$/,
  );
  openDamaged(path).close();
  repeatRows(path, 'sqlite_schema', 3);
  expect(() => openDamaged(path)).toThrow('has several places in its trees');
});
