/**
 * Migrations are numbered, forward only, one transaction each; the version is set in the
 * same transaction. A library written by a later Turnwise is refused, not guessed at.
 */
import type Database from 'better-sqlite3';
import * as initial from './migrations/0001-initial.ts';
import * as formats from './migrations/0002-formats.ts';
import * as penalties from './migrations/0003-penalties.ts';
import * as poolJoins from './migrations/0004-pool-joins.ts';
import * as tokenizers from './migrations/0005-tokenizers.ts';
import * as columns from './migrations/0006-columns.ts';
import * as savedViews from './migrations/0007-saved-views.ts';
import * as flags from './migrations/0008-flags.ts';
import * as search from './migrations/0009-search.ts';
import * as savedQueries from './migrations/0010-saved-queries.ts';
import * as knownLibraries from './migrations/0011-known-libraries.ts';
import * as metricRuns from './migrations/0012-metric-runs.ts';
import * as timing from './migrations/0013-timing.ts';
import * as annotations from './migrations/0014-annotations.ts';
import { dropViewsSql, viewsSql } from './views.sql.ts';

interface Migration {
  readonly version: number;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  initial,
  formats,
  penalties,
  poolJoins,
  tokenizers,
  columns,
  savedViews,
  flags,
  search,
  savedQueries,
  knownLibraries,
  metricRuns,
  timing,
  annotations,
];
export const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;
/** `TWLB`: tells our file from any other SQLite database (PRAGMA application_id). */
export const APPLICATION_ID = 0x54574c42;

export class NewerDatabaseError extends Error {
  readonly found: number;
  readonly supported = NEWEST_VERSION;
  constructor(found: number) {
    super(`the library has version ${found}; this Turnwise reads up to version ${NEWEST_VERSION}`);
    this.name = 'NewerDatabaseError';
    this.found = found;
  }
}

export class ForeignDatabaseError extends Error {
  constructor(path: string) {
    super(`${path} is an SQLite database, but not a Turnwise library`);
    this.name = 'ForeignDatabaseError';
  }
}

export function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/** @throws NewerDatabaseError, ForeignDatabaseError */
export function assertOurs(db: Database.Database): void {
  // In this order: another process may make it a library in between, tables and id in one transaction.
  const isEmpty = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  const application = Number(db.pragma('application_id', { simple: true }));
  if (!isEmpty && application !== APPLICATION_ID) throw new ForeignDatabaseError(db.name);
  const version = versionOf(db);
  if (version > NEWEST_VERSION) throw new NewerDatabaseError(version);
}

export function migrate(db: Database.Database, to: number = NEWEST_VERSION): void {
  assertOurs(db);
  for (const migration of MIGRATIONS) {
    if (migration.version > to) continue;
    db.transaction(() => {
      // Asked inside the transaction: another process may have been faster.
      if (migration.version <= versionOf(db)) return;
      // The views are of the newest version: while tables change, there are none.
      db.exec(dropViewsSql);
      db.exec(migration.sql);
      if (migration.version === NEWEST_VERSION) db.exec(viewsSql);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${migration.version}`);
    }).immediate();
  }

  // Where another process was faster, this connection still has the tables in mind as they were. A statement that is
  // run looks whether they have changed; one that is only prepared, as an insert into too few columns, does not.
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
}
