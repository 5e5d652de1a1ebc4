/**
 * Migrations are numbered, forward only, one transaction each; the version is set in the same transaction. A library
 * written by a later Turnwise is refused.
 *
 * To change the schema after a release: add a numbered file in `migrations/` and a test of the form in
 * `test/storage/migrations.test.ts`. A migration that was released is never edited.
 */
import Database from 'better-sqlite3';
import * as initial from './migrations/0001-initial.ts';
import { STATISTICS_SQL } from './plannerStatistics.ts';
import { number, query, queryValue, type RowSpec, text } from './rows.ts';
import { doctorCommand } from './storageFailure.ts';
import { dropViewsSql, viewsSql } from './views.sql.ts';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [initial];
export const NEWEST_VERSION = newestOf(MIGRATIONS);
/** `TWLB`: marks a Turnwise library among SQLite databases (PRAGMA application_id). */
export const APPLICATION_ID = 0x54574c42;

export class NewerDatabaseError extends Error {
  readonly found: number;
  readonly supported: number;
  constructor(path: string, found: number, supported: number) {
    super(
      `the library ${path} was written by a newer Turnwise: it has version ${found}; this Turnwise reads up to version ${supported}. Update Turnwise, or name another library with --library`,
    );
    this.name = 'NewerDatabaseError';
    this.found = found;
    this.supported = supported;
  }
}

export class ForeignDatabaseError extends Error {
  constructor(path: string) {
    super(`${path} is an SQLite database, but not a Turnwise library`);
    this.name = 'ForeignDatabaseError';
  }
}

/** A table, index, trigger or view differs from what Turnwise creates. It could run endlessly. */
export class AlteredDatabaseError extends Error {
  constructor(path: string, altered: string) {
    super(
      `${path} is not opened: its ${altered} is not the one that Turnwise creates, so another program has changed the library. If it is yours, save it into a new one: ${doctorCommand(path)}`,
    );
    this.name = 'AlteredDatabaseError';
  }
}

export function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** @throws NewerDatabaseError, ForeignDatabaseError */
export function assertOurs(db: Database.Database, newest: number = NEWEST_VERSION): void {
  // The order matters: another process may create the library in between, with tables and id in one
  // transaction.
  const isEmpty = queryValue(db, 'SELECT count(*) FROM sqlite_schema', number).get() === 0;
  if (!isEmpty) assertOursByHeader(db, newest);
}

/**
 * Reads only the file's header, because the list of tables may be damaged.
 *
 * @throws NewerDatabaseError, ForeignDatabaseError
 */
export function assertOursByHeader(db: Database.Database, newest: number = NEWEST_VERSION): void {
  const application = Number(db.pragma('application_id', { simple: true }));
  if (application !== APPLICATION_ID) throw new ForeignDatabaseError(db.name);
  const version = versionOf(db);
  if (version > newest) throw new NewerDatabaseError(db.name, version, newest);
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

const SCHEMA_OBJECT: RowSpec<SchemaObject> = { type: text, name: text, sql: text };
/** Excludes the statistics of `ANALYZE`, which only guide the planner. */
const SCHEMA = `SELECT type, name, coalesce(sql, '') AS sql FROM sqlite_schema
  WHERE type <> 'table' OR sql IS NULL OR sql NOT IN (${STATISTICS_SQL.map((sql) => `'${sql}'`).join(', ')}) ORDER BY type, name`;

const schemaOf = (db: Database.Database): ReadonlyMap<string, string> =>
  new Map(
    query(db, SCHEMA, SCHEMA_OBJECT)
      .all()
      .map(({ type, name, sql }) => [`${type} ${name}`, sql]),
  );

/**
 * Compares the schema with that of a new library of the same version. Views of older versions are not compared,
 * because a migration replaces them.
 *
 * @returns type and name of the first table, index, trigger or view that differs; undefined when none does
 */
export function alteredObject(
  db: Database.Database,
  migrations: readonly Migration[] = MIGRATIONS,
): string | undefined {
  const version = versionOf(db);
  const isNewest = version === newestOf(migrations);
  const template = new Database(':memory:');
  try {
    for (const migration of migrations) if (migration.version <= version) template.exec(migration.sql);
    if (isNewest) template.exec(viewsSql);
    const made = schemaOf(template);
    const found = schemaOf(db);
    return [...new Set([...made.keys(), ...found.keys()])].find(
      (object) => made.get(object) !== found.get(object) && (isNewest || !object.startsWith('view ')),
    );
  } finally {
    template.close();
  }
}

/**
 * Migrates a library to the last version. An empty file becomes a library.
 *
 * @param migrations in ascending order; tests pass shorter or longer lists
 * @throws NewerDatabaseError, ForeignDatabaseError, AlteredDatabaseError, SqliteError; a failed migration is rolled back
 */
export function migrate(db: Database.Database, migrations: readonly Migration[] = MIGRATIONS): void {
  const newest = newestOf(migrations);
  assertOurs(db, newest);
  assertUnaltered(db, migrations);
  for (const { version, sql } of migrations) {
    db.transaction(() => {
      // Checked inside the transaction, because another process may have migrated in the meantime.
      if (version <= versionOf(db)) return;
      // The views only match the newest tables, so they are dropped while tables change.
      db.exec(dropViewsSql);
      db.exec(sql);
      if (version === newest) db.exec(viewsSql);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${version}`);
    }).immediate();
  }

  // If another process migrated, this connection still caches the old schema. Executing a statement reloads
  // it; preparing one, such as an insert into too few columns, does not.
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/** An empty file has no schema to compare. Another process may be creating the library in it. */
function assertUnaltered(db: Database.Database, migrations: readonly Migration[]): void {
  const altered = db.transaction(() => {
    const isEmpty = queryValue(db, 'SELECT count(*) FROM sqlite_schema', number).get() === 0;
    return isEmpty ? undefined : alteredObject(db, migrations);
  })();
  if (altered !== undefined) throw new AlteredDatabaseError(db.name, altered);
}
