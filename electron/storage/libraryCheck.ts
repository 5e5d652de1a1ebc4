/** Looks for damaged pages. SQLite cannot be interrupted, so this runs in a separate process (`worker/sql.ts`). */
import { changesFrom } from './annotationHistory.ts';
import { targetFrom, versionFrom } from './annotationRecords.ts';
import { alteredObject } from './migrate.ts';
import type { ReadableLibrary } from './open.ts';
import { sharedPages } from './pageTrees.ts';
import { wrongStepSum } from './queries/columns.ts';
import { RESCUED_TABLES } from './rescue.ts';
import { number, queryValue, text } from './rows.ts';
import type { UserStatement } from './userStatement.ts';
import { isObject } from './views.sql.ts';

/** The first line of SQLite's report. It only names the database. */
const HEADING = /^\*\*\* in database main \*\*\*\n/;

/** @returns one row per damaged table with its first problem; no rows when the whole file is intact */
export function checkLibrary(db: ReadableLibrary): UserStatement {
  return { columns: ['table', 'problem'], rows: () => damagedTables(db) };
}

function* damagedTables(db: ReadableLibrary): IterableIterator<unknown[]> {
  // SQLite would check such a table without end.
  const shared = sharedPages(db.name);
  if (shared.length > 0) {
    for (const { table, problem } of shared) yield [table, problem];
    return;
  }
  const altered = schemaProblem(db);
  if (altered !== undefined) {
    // A check evaluates expressions of the schema, so an altered schema could make it run for any time.
    yield ['sqlite_schema', altered];
    return;
  }
  const inFile = firstProblem(db, 'quick_check(1)');
  if (inFile === undefined) {
    // The page check does not compare an index with its table, so it misses pages that changed places.
    const wrongSum = wrongStepSum(db);
    if (wrongSum !== undefined) yield ['step_row', wrongSum];
    yield* malformedJson(db);
    return;
  }
  // The check of the whole file names pages, not tables, so check each table for its name.
  let isNamed = false;
  const { tables, problem: ofList } = tablesOf(db);
  if (ofList !== undefined) {
    isNamed = true;
    yield ['sqlite_schema', ofList];
  }
  for (const table of tables) {
    const problem = firstProblem(db, `quick_check("${table}")`);
    if (problem === undefined) continue;
    isNamed = true;
    yield [table, problem];
  }
  if (!isNamed) yield ['free pages', inFile];
}

const MOST_NAMED = 10;

/** Columns that hold a JSON object. */
const OBJECTS: readonly (readonly [string, string])[] = [
  ['run_config_row', 'config'],
  ['stage_row', 'changes'],
  ['mapping_row', 'mapping'],
  ['token_row', 'entropy_of'],
];

/** Columns whose JSON is read in TypeScript. */
const PARSED: readonly (readonly [string, string, (json: string) => unknown])[] = [
  ['annotation_conflict_row', 'theirs', versionFrom],
  ['annotation_history_row', 'changes', changesFrom],
];

/** Queries skip such values, and undo refuses them. */
function* malformedJson(db: ReadableLibrary): IterableIterator<unknown[]> {
  for (const [table, column] of OBJECTS) {
    const sql = `SELECT count(*) FROM ${table} WHERE ${column} IS NOT NULL AND NOT ${isObject(column)}`;
    const rows = queryValue(db, sql, number).get() ?? 0;
    if (rows > 0)
      yield [table, `${rows === 1 ? '1 row has' : `${rows} rows have`} no JSON object in ${column}`];
  }
  yield* malformedTargets(db);
  for (const [table, column, parse] of PARSED) {
    const texts = queryValue(db, `SELECT ${column} FROM ${table}`, text).all();
    const rows = texts.filter((json) => parse(json) === undefined).length;
    if (rows > 0)
      yield [
        table,
        `${rows === 1 ? '1 row has' : `${rows} rows have`} a value in ${column} that cannot be read`,
      ];
  }
}

function* malformedTargets(db: ReadableLibrary): IterableIterator<unknown[]> {
  const targetOf = queryValue(db, 'SELECT target FROM annotation_row WHERE annotation_id = ?', text);
  const ids = queryValue(db, 'SELECT annotation_id FROM annotation_row', text)
    .all()
    .filter((id) => targetFrom(targetOf.get(id) ?? '') === undefined);
  if (ids.length === 0) return;
  const what = ids.length === 1 ? 'the target of 1 annotation' : `the targets of ${ids.length} annotations`;
  const more = ids.length > MOST_NAMED ? ', …' : '';
  yield ['annotation_row', `${what} cannot be read: ${ids.slice(0, MOST_NAMED).join(', ')}${more}`];
}

/** @returns undefined also when the list of tables is damaged; the page check reports that */
function schemaProblem(db: ReadableLibrary): string | undefined {
  try {
    const altered = alteredObject(db);
    return altered === undefined ? undefined : `its ${altered} is not the one that Turnwise creates`;
  } catch {
    return undefined;
  }
}

const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table'`;

/** The listed tables. User tables are always included, even if they are not listed. */
function tablesOf(db: ReadableLibrary): { readonly tables: readonly string[]; readonly problem?: string } {
  const tables = new Set(Object.keys(RESCUED_TABLES));
  try {
    for (const table of queryValue(db, TABLES, text).iterate()) tables.add(table);
  } catch (error) {
    return { tables: [...tables].sort(), problem: error instanceof Error ? error.message : String(error) };
  }
  return { tables: [...tables].sort() };
}

/** @returns undefined when no problem is found */
function firstProblem(db: ReadableLibrary, check: string): string | undefined {
  try {
    const found = String(db.pragma(check, { simple: true }));
    return found === 'ok' ? undefined : (found.replace(HEADING, '').split('\n')[0] ?? found);
  } catch (error) {
    // Some pages stop the check itself.
    return error instanceof Error ? error.message : String(error);
  }
}
