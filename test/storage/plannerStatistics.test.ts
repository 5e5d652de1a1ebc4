import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AlteredDatabaseError } from '../../electron/storage/migrate.ts';
import { openDamaged, openReader, openWriter } from '../../electron/storage/open.ts';
import { foreignStatistics } from '../../electron/storage/plannerStatistics.ts';
import { addGeneratedStatistics } from '../../fixtures/generate/hostileFiles.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnwise-statistics-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('planner statistics of an SQLite file', () => {
  it('are those of ANALYZE in a library that was analysed', () => {
    const path = library('analysed.sqlite', (db) => {
      db.exec('CREATE TABLE IF NOT EXISTS one(a); DROP TABLE one; ANALYZE');
    });
    expect(foreignStatistics(path)).toBeUndefined();
    openReader(path).close();
    openWriter(path).close();
  });

  it('are found in the file and refused by every connection, before SQLite computes them', () => {
    const path = library('generated.sqlite', (db) => addGeneratedStatistics(db));
    expect(foreignStatistics(path)).toBe('table sqlite_stat1');
    for (const open of [openReader, openWriter, openDamaged])
      expect(() => open(path)).toThrow(
        `${path} is not opened: its table sqlite_stat1 is not the one that Turnwise creates`,
      );
  });

  it('are found in the write-ahead log', () => {
    const path = library('logged.sqlite', () => undefined);
    const copy = join(directory, 'copy.sqlite');
    const db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.pragma('wal_autocheckpoint = 0');
    addGeneratedStatistics(db);
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
    db.close();
    expect(foreignStatistics(copy)).toBe('table sqlite_stat1');
    rmSync(`${copy}-wal`);
    expect(foreignStatistics(copy)).toBeUndefined();
  });

  it('are found behind interior pages of the schema', () => {
    const path = join(directory, 'many.sqlite');
    const db = new Database(path);
    db.exec('BEGIN');
    for (let i = 0; i < 3000; i++) db.exec(`CREATE TABLE table_with_a_long_name_${i} (a, b, c, d, e, f)`);
    db.exec('COMMIT');
    expect(foreignStatistics(path)).toBeUndefined();
    addGeneratedStatistics(db);
    db.close();
    expect(foreignStatistics(path)).toBe('table sqlite_stat1');
  });

  it('are not hidden by upper case, by another type, or by UTF-16', () => {
    const trigger = library('trigger.sqlite', (db) => {
      db.exec('CREATE TABLE a(b)');
      insert(
        db,
        'trigger',
        'SQLITE_STAT4',
        'CREATE TRIGGER SQLITE_STAT4 AFTER INSERT ON a BEGIN SELECT 1; END',
      );
    });
    expect(foreignStatistics(trigger)).toBe('trigger SQLITE_STAT4');
    expect(() => openWriter(trigger)).toThrow(AlteredDatabaseError);
    const path = join(directory, 'utf16.sqlite');
    const db = new Database(path);
    db.pragma("encoding = 'UTF-16be'");
    db.exec('CREATE TABLE a(b)');
    db.close();
    expect(foreignStatistics(path)).toBe('text encoding');
  });

  it('are not hidden by a type that moves the name to another page', () => {
    const path = library('typed.sqlite', (db) => {
      insert(
        db,
        `table\0${'x'.repeat(9000)}`,
        'sqlite_stat1',
        'CREATE TABLE sqlite_stat1(tbl,idx,stat AS (1))',
      );
    });
    expect(foreignStatistics(path)).toBe('list of tables');
    expect(() => openReader(path)).toThrow(AlteredDatabaseError);
  });

  it('are not hidden by places in a page that SQLite takes modulo its size', () => {
    const path = join(directory, 'places.sqlite');
    const db = new Database(path);
    db.exec('CREATE TABLE a(b)');
    addGeneratedStatistics(db);
    db.close();
    const bytes = readFileSync(path);
    const cells = bytes.readUInt16BE(103);
    for (let cell = 0; cell < cells; cell++) {
      const at = 108 + 2 * cell;
      bytes.writeUInt16BE(bytes.readUInt16BE(at) | 0x8000, at);
    }
    writeFileSync(path, bytes);
    expect(foreignStatistics(path)).toBe('table sqlite_stat1');
  });

  it('are not hidden in a last page that is cut off', () => {
    const path = join(directory, 'cut.sqlite');
    const db = new Database(path);
    db.pragma('page_size = 512');
    db.exec('CREATE TABLE a(b)');
    addGeneratedStatistics(db);
    // Views have no pages of their own, so the last page is one of the schema.
    for (let i = 0; i < 50; i++) db.exec(`CREATE VIEW view_${i} AS SELECT 1 AS b`);
    db.unsafeMode(true);
    db.pragma('writable_schema = ON');
    db.exec(`INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'sqlite_stat1';
      DELETE FROM sqlite_schema WHERE name = 'sqlite_stat1' AND rowid < 50`);
    db.close();
    expect(foreignStatistics(path)).toBe('table sqlite_stat1');
    writeFileSync(path, readFileSync(path).subarray(0, -9));
    expect(foreignStatistics(path)).toBe('table sqlite_stat1');
  });

  it('are not hidden behind thousands of pages that only a log without a checksum names', () => {
    const path = join(directory, 'flooded.sqlite');
    const db = new Database(path);
    // So many views that page 1 has only the pages below it.
    for (let i = 0; i < 500; i++) db.exec(`CREATE VIEW view_${i} AS SELECT 1 AS b`);
    addGeneratedStatistics(db);
    db.close();
    const frames = Array.from({ length: 20 }, (_, version) => {
      const frame = Buffer.alloc(24 + 4096);
      frame.writeUInt32BE(1, 0);
      const page = frame.subarray(24);
      const cells = 600;
      page[100] = 5;
      page.writeUInt16BE(cells, 103);
      page.writeUInt32BE(1_000_000 + version, 108);
      // The page at each place is numbered by the bytes that are there.
      for (let cell = 0; cell < cells; cell++) {
        const at = 1400 + 4 * cell;
        page.writeUInt16BE(at, 112 + 2 * cell);
        page.writeUInt32BE(2_000_000 + version * cells + cell, at);
      }
      return frame;
    });
    writeFileSync(`${path}-wal`, Buffer.concat([Buffer.alloc(32), ...frames]));
    expect(foreignStatistics(path)).toBe('list of tables');
  });

  it('are not hidden by another name, which SQLite ignores in a library that may be damaged', () => {
    const path = library('named.sqlite', (db) => {
      insert(db, 'table', 'other', `CREATE TABLE /*${'x'.repeat(9000)}*/ SQLITE_STAT1(tbl,idx,stat AS (1))`);
    });
    expect(() => openDamaged(path)).toThrow(/^page \d+ has planner statistics under another name$/);
  });

  it('are unknown for what is no database, and for a missing file', () => {
    expect(foreignStatistics(import.meta.filename)).toBeUndefined();
    expect(foreignStatistics(join(directory, 'missing.sqlite'))).toBeUndefined();
  });
});

function library(name: string, change: (db: Database.Database) => void): string {
  const path = join(directory, name);
  openWriter(path).close();
  const db = new Database(path);
  change(db);
  db.close();
  return path;
}

function insert(db: Database.Database, type: string, name: string, sql: string): void {
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  db.prepare(`INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES (?, ?, 'a', 0, ?)`).run(
    ...[type, name, sql],
  );
}
