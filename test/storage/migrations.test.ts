/** Creating a library in a file, and migrating it from one version to the next. */
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ForeignDatabaseError,
  MIGRATIONS,
  type Migration,
  migrate,
  NEWEST_VERSION,
  NewerDatabaseError,
  versionOf,
} from '../../electron/storage/migrate.ts';
import { openReader, openWriter } from '../../electron/storage/open.ts';
import { PUBLIC_VIEWS } from '../../electron/storage/views.sql.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

function withDatabase<T>(path: string, use: (db: Database.Database) => T): T {
  const db = new Database(path);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

type Row = Readonly<Record<string, unknown>>;

/** Our own tables, without those of the full-text index. */
function tablesOf(db: Database.Database): readonly string[] {
  const named = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
  return db
    .prepare<[], string>(`${named} AND name NOT LIKE 'search_text%' AND name NOT LIKE 'search_prompt%'`)
    .pluck()
    .all();
}

function rowsOf(db: Database.Database): Readonly<Record<string, readonly Row[]>> {
  return Object.fromEntries(
    tablesOf(db).map((table) => [table, db.prepare<[], Row>(`SELECT * FROM "${table}"`).all()]),
  );
}

/** Every column as `table.column type`, with ` NOT NULL`; every index, trigger and virtual table by its name. */
function schemaOf(db: Database.Database): ReadonlySet<string> {
  const columns = db.prepare<[string], { name: string; type: string; notnull: number }>(
    'SELECT name, type, "notnull" FROM pragma_table_xinfo(?)',
  );
  const others = db.prepare<[], string>(
    "SELECT type || ' ' || name FROM sqlite_schema WHERE type NOT IN ('table', 'view') OR sql LIKE 'CREATE VIRTUAL%'",
  );
  return new Set([
    ...others.pluck().all(),
    ...tablesOf(db).flatMap((table) =>
      columns
        .all(table)
        .map(({ name, type, notnull }) => `${table}.${name} ${type}${notnull === 1 ? ' NOT NULL' : ''}`),
    ),
  ]);
}

describe('migrations', () => {
  it('are numbered without gaps, from 1', () => {
    expect(MIGRATIONS.map((migration) => migration.version)).toEqual(MIGRATIONS.map((_, i) => i + 1));
  });

  it('turn an empty file into a library, once', () => {
    const db = openWriter(place.library);
    expect(versionOf(db)).toBe(NEWEST_VERSION);
    migrate(db);
    expect(versionOf(db)).toBe(NEWEST_VERSION);
    db.close();
  });

  it('refuse a newer library, with both numbers, and leave it unchanged', () => {
    const db = openWriter(place.library);
    db.pragma(`user_version = ${NEWEST_VERSION + 5}`);
    db.close();
    expect(() => openWriter(place.library)).toThrow(NewerDatabaseError);
    expect(() => openReader(place.library)).toThrow(
      `version ${NEWEST_VERSION + 5}; this Turnwise reads up to version ${NEWEST_VERSION}`,
    );
    expect(withDatabase(place.library, versionOf)).toBe(NEWEST_VERSION + 5);
  });

  it('refuse a foreign database', () => {
    const foreign = new Database(place.library);
    foreign.exec('CREATE TABLE runs (id)');
    foreign.close();
    expect(() => openWriter(place.library)).toThrow(ForeignDatabaseError);
  });
});

/**
 * The template. Each migration after the first gets a block like this one, with its own rows and differences:
 *
 * 1. Build a library at N−1 from `MIGRATIONS.slice(0, N - 1)`, and insert rows by SQL into every table it changes and
 *    into one it does not: ingest writes the newest version only.
 * 2. Step to N.
 * 3. Compare rows and schema: exactly the announced differences, and nothing else.
 */
describe('from version 1 to 2 (an example)', () => {
  const BEFORE = MIGRATIONS.slice(0, 1);
  /**
   * Adds a column with a default for old rows, and rebuilds a table with a NOT NULL that SQLite cannot add.
   */
  const SECOND: Migration = {
    version: 2,
    sql: `
      ALTER TABLE saved_view_row ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
      UPDATE saved_view_row SET position = (SELECT count(*) FROM saved_view_row o WHERE o.name < saved_view_row.name);
      CREATE TABLE new_group_rule_row (
        run_key TEXT PRIMARY KEY,
        rule    TEXT NOT NULL,
        size    INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_group_rule_row SELECT run_key, rule, coalesce(size, 0) FROM group_rule_row;
      DROP TABLE group_rule_row;
      ALTER TABLE new_group_rule_row RENAME TO group_rule_row;
      CREATE INDEX run_by_name ON run_row (name);`,
  };
  const AFTER = [...BEFORE, SECOND];

  const ROWS = `
    INSERT INTO saved_view_row VALUES ('wrong', 'correct:no'), ('long', 'turns:>10');
    INSERT INTO group_rule_row VALUES ('r1', 'order', 8), ('r2', 'prompt', NULL);
    INSERT INTO run_row (run_id, run_key, key_source, logged_id, scope, name, kind, format, directory, home, has_steps)
      VALUES (1, 'r1', 'logged', 'r1', 'r1', 'first', 'train', 'turnwise', '/logs', '/logs', 1),
        (2, 'verl-0123456789', 'derived', NULL, 'directory:/logs/a', 'a', 'eval', 'verl', '/logs/a', '/logs/a', 0);
    INSERT INTO run_config_row VALUES ('r1', '{"name": "named"}');`;

  function libraryBefore(): void {
    withDatabase(place.library, (db) => {
      migrate(db, BEFORE);
      db.exec(ROWS);
    });
  }

  it('keeps every row, with the announced differences', () => {
    libraryBefore();
    const before = withDatabase(place.library, rowsOf);
    const after = withDatabase(place.library, (db) => {
      migrate(db, AFTER);
      expect(versionOf(db)).toBe(2);
      return rowsOf(db);
    });
    expect(after).toEqual({
      ...before,
      saved_view_row: [
        { name: 'long', filter: 'turns:>10', position: 0 },
        { name: 'wrong', filter: 'correct:no', position: 1 },
      ],
      group_rule_row: [
        { run_key: 'r1', rule: 'order', size: 8 },
        { run_key: 'r2', rule: 'prompt', size: 0 },
      ],
    });
  });

  it('has the schema of a library created at version 2, with the announced differences', () => {
    libraryBefore();
    const before = withDatabase(place.library, schemaOf);
    const after = withDatabase(place.library, (db) => {
      migrate(db, AFTER);
      return schemaOf(db);
    });
    const created = withDatabase(`${place.library}.created`, (db) => {
      migrate(db, AFTER);
      return schemaOf(db);
    });
    expect(after).toEqual(created);
    expect([...before].filter((each) => !after.has(each))).toEqual(['group_rule_row.size INTEGER']);
    expect([...after].filter((each) => !before.has(each))).toEqual([
      'index run_by_name',
      'saved_view_row.position INTEGER NOT NULL',
      'group_rule_row.size INTEGER NOT NULL',
    ]);
  });

  it('leaves a sound file with every view readable', () => {
    libraryBefore();
    withDatabase(place.library, (db) => {
      migrate(db, AFTER);
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(db.pragma('foreign_key_check')).toEqual([]);
      const views = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").pluck().all();
      expect(views.sort()).toEqual([...PUBLIC_VIEWS].sort());
      expect(db.prepare('SELECT name, rollouts FROM run ORDER BY run_id').all()).toEqual([
        { name: 'named', rollouts: 0 },
        { name: 'a', rollouts: 0 },
      ]);
    });
  });

  it('leaves the library unchanged when a statement fails halfway', () => {
    libraryBefore();
    withDatabase(place.library, (db) => {
      const before = { rows: rowsOf(db), schema: schemaOf(db) };
      const broken = { ...SECOND, sql: `${SECOND.sql} INSERT INTO no_such_table VALUES (1);` };
      expect(() => migrate(db, [...BEFORE, broken])).toThrow(/no_such_table/);
      expect(versionOf(db)).toBe(1);
      expect({ rows: rowsOf(db), schema: schemaOf(db) }).toEqual(before);
      // The views were dropped in the same transaction.
      expect(db.prepare('SELECT count(*) FROM run').pluck().get()).toBe(2);
    });
  });

  it('is refused by a program that supports only version 1', () => {
    withDatabase(place.library, (db) => {
      migrate(db, AFTER);
      expect(() => migrate(db, BEFORE)).toThrow('version 2; this Turnwise reads up to version 1');
    });
  });

  it('shows a slower process the tables as a faster one left them', () => {
    withDatabase(place.library, (slower) =>
      withDatabase(place.library, (faster) => {
        migrate(slower, BEFORE);
        // SQLite caches the schema of version 1 in this connection.
        slower.prepare('INSERT INTO saved_view_row VALUES (?, ?)');
        // The faster writer migrates after the slower one has checked that the library is ours.
        const transaction = slower.transaction.bind(slower);
        slower.transaction = ((work: () => void) => {
          migrate(faster, AFTER);
          return transaction(work);
        }) as typeof slower.transaction;
        migrate(slower, AFTER);
        expect(() => slower.prepare('INSERT INTO saved_view_row VALUES (?, ?, ?)')).not.toThrow();
      }),
    );
  });
});

/** Each makes a file that a double click would open. */
const ALTERED: readonly (readonly [object: string, sql: string])[] = [
  [
    'view run',
    `DROP VIEW run;
     CREATE VIEW run AS WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT x AS run_id FROM c WHERE x < 0`,
  ],
  ['view more', 'CREATE VIEW more AS SELECT 1'],
  [
    'trigger maps',
    `CREATE TRIGGER maps AFTER INSERT ON mapping_row BEGIN INSERT OR IGNORE INTO mapping_row VALUES ('x', '/'); END`,
  ],
  ['table run_row', 'ALTER TABLE run_row ADD COLUMN more TEXT AS (hex(zeroblob(400000000))) VIRTUAL'],
  ['index more', 'CREATE INDEX more ON run_row (hex(zeroblob(1000)))'],
  ['table more', 'CREATE TABLE more (x CHECK (length(x) > 1))'],
];

describe('a library whose schema another program has changed', () => {
  it.each(ALTERED)('is refused: %s', (object, sql) => {
    openWriter(place.library).close();
    withDatabase(place.library, (db) => db.exec(sql));
    expect(() => openWriter(place.library)).toThrow(
      `${place.library} is not opened: its ${object} is not the one that Turnwise creates`,
    );
  });

  it('is refused when it says that it has no schema yet', () => {
    openWriter(place.library).close();
    withDatabase(place.library, (db) => db.pragma('user_version = 0'));
    expect(() => openWriter(place.library)).toThrow('is not opened');
  });

  it('is opened when only rows and settings were changed', () => {
    openWriter(place.library).close();
    withDatabase(place.library, (db) => {
      db.exec(`INSERT INTO saved_view_row VALUES ('mine', 'reward:0'); VACUUM; ANALYZE`);
    });
    openWriter(place.library).close();
  });
});
