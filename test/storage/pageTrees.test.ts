import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDamaged, openWriter } from '../../electron/storage/open.ts';
import { sharedPages } from '../../electron/storage/pageTrees.ts';
import { repeatRows } from '../../fixtures/generate/hostileFiles.ts';

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
