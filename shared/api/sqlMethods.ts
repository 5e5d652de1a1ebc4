/** The SQL console: read-only statements, the sources they can query, and saved queries. */
import { z } from 'zod';
import { defineMethod, resultOf } from './method.ts';
import { id } from './paramTypes.ts';
import type {
  ExampleQuery,
  SavedQuery,
  SqlAnswer,
  SqlExportPart,
  SqlExportStart,
  SqlRow,
  SqlSource,
  SqlTarget,
} from './sqlRows.ts';

/** UTF-16 code units. */
const LONGEST_STATEMENT = 1_000_000;
/** Maximum number of result rows kept in memory. */
const MOST_SQL_ROWS = 50_000;

const sql = z.string().max(LONGEST_STATEMENT);
const timeoutMs = z.int().min(10).max(3_600_000);
const name = z.string().trim().min(1).max(200);
/** The database that runs the statement: this library (SQLite's SQL), or the warehouse that the user has named (ClickHouse's). */
const store = z.enum(['library', 'warehouse']).default('library');

export const SQL_METHODS = {
  /**
   * Runs one statement in a separate process until it ends or reaches the row limit. A rejected statement is
   * a result; a timeout and a cancellation are failures. `queryKey` names it in `sql.progress`.
   */
  'sql.run': defineMethod({
    params: z.object({
      sql,
      store,
      limitRows: z.int().positive().max(MOST_SQL_ROWS).default(10_000),
      timeoutMs: timeoutMs.default(30_000),
      queryKey: z.string().max(100).optional(),
    }),
    result: resultOf<SqlAnswer>(),
    runsOn: 'host',
  }),
  /** Rows of a stored result. */
  'sql.page': defineMethod({
    params: z.object({ resultId: id, from: id, limit: z.int().positive().max(5_000).default(1_000) }),
    result: resultOf<{ readonly rows: readonly SqlRow[] }>(),
    runsOn: 'host',
  }),
  /**
   * Reruns the statement and returns all its rows as text, part by part. Dropped after a minute without a
   * request.
   */
  'sql.export': defineMethod({
    params: z.object({
      sql,
      store,
      format: z.enum(['csv', 'tsv', 'jsonl']),
      timeoutMs: timeoutMs.default(600_000),
    }),
    result: resultOf<SqlExportStart>(),
    runsOn: 'host',
  }),
  'sql.exportPart': defineMethod({
    params: z.object({ exportId: id }),
    result: resultOf<SqlExportPart>(),
    runsOn: 'host',
  }),
  'sql.exportStop': defineMethod({
    params: z.object({ exportId: id }),
    result: resultOf<{ readonly stopped: boolean }>(),
    runsOn: 'host',
  }),
  'sql.schema': defineMethod({
    params: z.object({}),
    result: resultOf<readonly SqlSource[]>(),
    runsOn: 'reader',
  }),
  /** The link target of a row with this id. */
  'sql.target': defineMethod({
    params: z.object({ of: z.enum(['rollout', 'group', 'run']), id }),
    result: resultOf<SqlTarget>(),
    runsOn: 'reader',
  }),
  'query.list': defineMethod({
    params: z.object({}),
    result: resultOf<readonly SavedQuery[]>(),
    runsOn: 'reader',
  }),
  'query.examples': defineMethod({
    params: z.object({}),
    result: resultOf<readonly ExampleQuery[]>(),
    runsOn: 'reader',
  }),
  /**
   * Replaces a query of the same name; `formerName` renames one. `createdAt` restores a removed query
   * unchanged.
   */
  'query.save': defineMethod({
    params: z.object({
      name,
      sql: sql.min(1),
      formerName: z.string().optional(),
      createdAt: z.int().nonnegative().optional(),
    }),
    result: resultOf<SavedQuery>(),
    runsOn: 'writer',
  }),
  'query.remove': defineMethod({
    params: z.object({ name: z.string() }),
    result: resultOf<{ readonly removed: boolean }>(),
    runsOn: 'writer',
  }),
} as const;
