/**
 * The statement rule of the SQL console: one statement that only reads. A read-only connection is not
 * enough, since it still permits ATTACH and VACUUM INTO.
 */
import type { ReadableLibrary } from './open.ts';

export interface UserStatement {
  readonly columns: readonly string[];
  rows(): IterableIterator<unknown[]>;
}

export interface StatementPlace {
  readonly start: number;
  readonly end: number;
}

/** A refused statement, with the reason and the position. */
export class RefusedStatementError extends Error {
  readonly at: StatementPlace | undefined;
  constructor(message: string, at?: StatementPlace) {
    super(message);
    this.name = 'RefusedStatementError';
    this.at = at;
  }
}

/** UTF-16 units. SQLite's own limit is the same number of bytes. */
const LONGEST_USER_STATEMENT = 1_000_000;

const READS = new Set(['SELECT', 'WITH', 'VALUES']);
/** Pragma functions that describe the library. The others change settings or expose the environment. */
const DESCRIBING = new Set(
  [
    'table_info',
    'table_xinfo',
    'table_list',
    'index_list',
    'index_info',
    'index_xinfo',
    'function_list',
    'module_list',
    'collation_list',
    'compile_options',
  ].map((name) => `pragma_${name}`),
);

/**
 * @param options `isExact`: integers are returned as bigint
 * @throws RefusedStatementError, with SQLite's message if SQLite refuses the statement
 */
export function prepareUserStatement(
  db: ReadableLibrary,
  sql: string,
  options: { readonly isExact?: boolean } = {},
): UserStatement {
  checkWords(sql);
  const statement = prepared(db, sql);
  if (!statement.reader || !statement.readonly) {
    throw new RefusedStatementError('only statements that read are allowed');
  }
  statement.raw(true).safeIntegers(options.isExact === true);
  return {
    columns: statement.columns().map((column) => column.name),
    rows: () => statement.iterate(),
  };
}

/** @throws RefusedStatementError for statements that SQLite would accept */
function checkWords(sql: string): void {
  if (sql.length > LONGEST_USER_STATEMENT)
    throw new RefusedStatementError(
      `the statement has ${sql.length} characters; the limit is ${LONGEST_USER_STATEMENT}`,
    );
  const nul = sql.indexOf('\0');
  // SQLite ends the statement at NUL and ignores the rest silently.
  if (nul >= 0)
    throw new RefusedStatementError('a NUL character is not allowed', { start: nul, end: nul + 1 });
  const words: SqlWord[] = [];
  for (const word of sqlWords(sql)) {
    // Skips empty statements at the beginning.
    if (words.length === 0 && word.text === ';') continue;
    if (words.length < 4) words.push(word);
    checkName(word);
  }
  let [first] = words;
  if (first === undefined) throw new RefusedStatementError('no statement given');
  if (keyword(first) === 'EXPLAIN') {
    // Some pragmas take effect when they are compiled, so an explained statement follows the same rule.
    const isPlan = keyword(words[1]) === 'QUERY' && keyword(words[2]) === 'PLAN';
    first = words[isPlan ? 3 : 1];
    if (first === undefined) throw new RefusedStatementError('EXPLAIN needs a statement', placeOf(words[0]));
  }
  if (READS.has(keyword(first))) return;
  throw new RefusedStatementError(
    `only SELECT, WITH, VALUES and EXPLAIN are allowed; this statement begins with ${keyword(first).slice(0, 40)}`,
    placeOf(first),
  );
}

function checkName(word: SqlWord): void {
  if (word.kind !== 'word' && word.kind !== 'quoted' && word.kind !== 'text') return;
  const name = (word.kind === 'word' ? word.text : word.text.slice(1, -1)).toLowerCase();
  // SQLite also accepts a string as a name. The check therefore covers strings, which rarely contain such a
  // word.
  if (!name.startsWith('pragma_') || DESCRIBING.has(name) || !/^pragma_\w+$/.test(name)) return;
  throw new RefusedStatementError(
    `${name} is not allowed; allowed pragma functions: ${[...DESCRIBING].join(', ')}`,
    placeOf(word),
  );
}

function prepared(db: ReadableLibrary, sql: string) {
  try {
    return db.prepare<unknown[], unknown[]>(sql);
  } catch (error) {
    const message = messageOf(error);
    throw new RefusedStatementError(message, placeOfError(db, sql, message));
  }
}

/** Limit of occurrences of the word that are tried as the error position. */
const MOST_TRIED = 200;

/** Finds the position of an error. SQLite names the word that it failed at, not the position. */
function placeOfError(db: ReadableLibrary, sql: string, message: string): StatementPlace | undefined {
  if (message === 'incomplete input')
    return { start: Math.max(0, sql.trimEnd().length - 1), end: sql.length };
  const near = /^near "([\s\S]*)": syntax error$/.exec(message)?.[1];
  if (near !== undefined) {
    // A statement cut before the wrong word is only incomplete, so its error message differs.
    return placesOf(sql, near).find(({ end }) => refusal(db, sql.slice(0, end)) === message);
  }
  const named =
    /^unrecognized token: "([\s\S]*)"$/.exec(message) ??
    /^(?:no such (?:column|table|function|module)|ambiguous column name): ([\s\S]+)$/.exec(message) ??
    /^wrong number of arguments to function (\w+)\(\)$/.exec(message) ??
    /^misuse of (?:aggregate|window) function:? (\w+)\(\)$/.exec(message);
  const name = named?.[1];
  if (name === undefined) {
    const more = /more than one statement/.test(message) ? endOfFirst(sql) : undefined;
    return more === undefined ? undefined : { start: more, end: sql.length };
  }
  return placesOf(sql, name)[0] ?? placesOf(sql, name.split('.').at(-1) ?? name)[0];
}

function placesOf(sql: string, text: string): readonly StatementPlace[] {
  const wanted = text.toLowerCase();
  const places: StatementPlace[] = [];
  for (const word of sqlWords(sql)) {
    const own = word.text.toLowerCase();
    const isIt = own === wanted || (word.kind === 'quoted' && own.slice(1, -1) === wanted);
    if (isIt || (word.kind === 'text' && wanted.startsWith("'") && own.startsWith(wanted))) {
      places.push({ start: word.start, end: word.start + word.text.length });
    }
    if (places.length === MOST_TRIED) break;
  }
  if (places.length > 0) return places;
  // `r.reward` is three tokens.
  const at = sql.toLowerCase().indexOf(wanted);
  return at < 0 || wanted === '' ? [] : [{ start: at, end: at + wanted.length }];
}

function refusal(db: ReadableLibrary, sql: string): string | undefined {
  try {
    db.prepare(sql);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function endOfFirst(sql: string): number | undefined {
  let hasBegun = false;
  let isOver = false;
  for (const word of sqlWords(sql)) {
    if (isOver && word.text !== ';') return word.start;
    if (word.text === ';') isOver = hasBegun;
    else hasBegun = true;
  }
  return undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const keyword = (word: SqlWord | undefined): string => word?.text.toUpperCase() ?? '';
const placeOf = (word: SqlWord | undefined): StatementPlace | undefined =>
  word === undefined ? undefined : { start: word.start, end: word.start + word.text.length };

/** Splits a statement into tokens, as far as the statement rule and error positions need it. */

interface SqlWord {
  /** `text` is a string literal, `quoted` a quoted name. */
  readonly kind: 'word' | 'number' | 'text' | 'quoted' | 'sign';
  readonly text: string;
  readonly start: number;
}

/**
 * Sticky: each match begins at the end of the last one. An unterminated string or comment extends to the
 * end.
 */
const PIECE =
  /(\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$))|("(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$))|([\p{L}_$][\p{L}\p{N}_$]*)|(\d[\w.]*)|([\s\S])/uy;

function* sqlWords(sql: string): Generator<SqlWord> {
  PIECE.lastIndex = 0;
  let at = 0;
  while (at < sql.length) {
    PIECE.lastIndex = at;
    const match = PIECE.exec(sql);
    if (match === null) return;
    const [text, blank, string, quoted, word, number] = match;
    const start = at;
    at += text.length;
    if (blank !== undefined) continue;
    const kind =
      string !== undefined
        ? 'text'
        : quoted !== undefined
          ? 'quoted'
          : word !== undefined
            ? 'word'
            : number !== undefined
              ? 'number'
              : 'sign';
    yield { kind, text, start };
  }
}
