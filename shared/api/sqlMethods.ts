/** The SQL console: statements that read, what they can read from, and queries kept under a name. */
import { z } from 'zod';
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
export const LONGEST_STATEMENT = 1_000_000;
/** Rows of one result that are held. */
export const MOST_SQL_ROWS = 50_000;

const sql = z.string().max(LONGEST_STATEMENT);
const timeoutMs = z.int().min(10).max(3_600_000);
const name = z.string().trim().min(1).max(200);

export const SQL_PARAMS = {
  /**
   * Runs one statement in a process of its own, and answers when it is done, or has as many rows as are held. A
   * statement that is not accepted is an answer; out of time and cancelled are failures. `queryKey` names it in
   * `sql.progress`.
   */
  'sql.run': z.object({
    sql,
    limitRows: z.int().positive().max(MOST_SQL_ROWS).default(10_000),
    timeoutMs: timeoutMs.default(30_000),
    queryKey: z.string().max(100).optional(),
  }),
  /** Rows of a result that is held. */
  'sql.page': z.object({ resultId: id, from: id, limit: z.int().positive().max(5_000).default(1_000) }),
  /** Runs it again for all its rows as text, asked for part by part; forgotten when nobody asks for a minute. */
  'sql.export': z.object({
    sql,
    format: z.enum(['csv', 'tsv', 'jsonl']),
    timeoutMs: timeoutMs.default(600_000),
  }),
  'sql.exportPart': z.object({ exportId: id }),
  'sql.exportStop': z.object({ exportId: id }),
  'sql.schema': z.object({}),
  /** Where a row with this id leads. */
  'sql.target': z.object({ of: z.enum(['rollout', 'group', 'run']), id }),
  'query.list': z.object({}),
  'query.examples': z.object({}),
  /** A query of the same name is replaced; `formerName` renames one. `createdAt` brings a removed one back as it was. */
  'query.save': z.object({
    name,
    sql: sql.min(1),
    formerName: z.string().optional(),
    createdAt: z.int().nonnegative().optional(),
  }),
  'query.remove': z.object({ name: z.string() }),
} as const;

export interface SqlResults {
  'sql.run': SqlAnswer;
  'sql.page': { readonly rows: readonly SqlRow[] };
  'sql.export': SqlExportStart;
  'sql.exportPart': SqlExportPart;
  'sql.exportStop': { readonly stopped: boolean };
  'sql.schema': readonly SqlSource[];
  'sql.target': SqlTarget;
  'query.list': readonly SavedQuery[];
  'query.examples': readonly ExampleQuery[];
  'query.save': SavedQuery;
  'query.remove': { readonly removed: boolean };
}
