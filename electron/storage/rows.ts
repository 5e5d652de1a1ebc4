/**
 * Row specs: a query declares its columns, and the type of its rows follows from that. In development and
 * tests the first row of each statement is compared with the spec. Production skips the check.
 */

import type { Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { ReadableLibrary } from './open.ts';

/** One column. `V` is the type of its cells. */
export interface Cell<out V> {
  readonly type: 'number' | 'string' | 'bytes' | 'boolean';
  readonly ifNull: 'refused' | 'kept' | 'absent';
  readonly words?: readonly string[];
  /** Used by the type checker only; never set. */
  readonly value?: V;
}

export const number: Cell<number> = { type: 'number', ifNull: 'refused' };
export const text: Cell<string> = { type: 'string', ifNull: 'refused' };
export const bytes: Cell<Uint8Array> = { type: 'bytes', ifNull: 'refused' };
/** 0 or 1 in SQL, which has no booleans. */
export const boolean: Cell<boolean> = { type: 'boolean', ifNull: 'refused' };
/** A text from a fixed list. */
export const oneOf = <const W extends string>(words: readonly W[]): Cell<W> => ({
  type: 'string',
  ifNull: 'refused',
  words,
});
/** NULL stays null. */
export const orNull = <V>(cell: Cell<V>): Cell<V | null> => ({ ...cell, ifNull: 'kept' }) as Cell<V | null>;
/** NULL becomes an absent field, as in the contract. */
export const optional = <V>(cell: Cell<V>): Cell<V | undefined> => ({ ...cell, ifNull: 'absent' });

/** The row type of a spec that is written without one. */
export type RowOf<S> = { readonly [K in keyof S]: S[K] extends Cell<infer V> ? V : never };

export type RowSpec<T> = { readonly [K in keyof T]-?: Cell<T[K]> };

const IS_CHECKED = process.env['VITEST'] !== undefined || process.env['NODE_ENV'] === 'development';

type Parameter = string | number | bigint | Uint8Array | null | object;

type RowStatement = Statement<Parameter[], Record<string, unknown>>;
/** A row as an object, as cells, or as its only cell. */
type RowForm = 'object' | 'raw' | 'pluck';

/** Statements kept per connection. Requests and packs run the same few, and preparing one can take longer. */
const STATEMENTS = 200;
const prepared = new WeakMap<ReadableLibrary, LRUCache<string, RowStatement>>();

/**
 * A prepared statement of the connection, which later calls share. SQLite's memory for a statement is freed only when
 * V8 collects its object, so a statement that is prepared for each step would hold a gigabyte in a run of many steps.
 * Only for statements that are read to the end at once: one cannot run twice at a time.
 */
export function statementOf(db: ReadableLibrary, sql: string, form: RowForm = 'object'): RowStatement {
  let statements = prepared.get(db);
  if (statements === undefined) {
    statements = new LRUCache({ max: STATEMENTS });
    prepared.set(db, statements);
  }
  const key = `${form} ${sql}`;
  let statement = statements.get(key);
  if (statement === undefined) {
    statement = db.prepare<Parameter[], Record<string, unknown>>(sql);
    if (form !== 'object') statement[form]();
    statements.set(key, statement);
  }
  return statement;
}

/** Rows as arrays of cells, for queries that are built from a list of columns and read by it. */
export function rawRows(
  db: ReadableLibrary,
  sql: string,
  ...parameters: readonly Parameter[]
): readonly (readonly RawCell[])[] {
  return statementOf(db, sql, 'raw').all(...parameters) as unknown as readonly (readonly RawCell[])[];
}

export type RawCell = string | number | null;

/** A prepared statement whose rows have the type of its spec. */
export class Query<T> {
  private readonly statement: RowStatement;
  private readonly cells: readonly (readonly [string, Cell<unknown>])[];
  private readonly isConverted: boolean;
  private readonly sql: string;
  private isUnchecked = IS_CHECKED;

  constructor(db: ReadableLibrary, sql: string, spec: RowSpec<T>) {
    this.sql = sql;
    this.statement = statementOf(db, sql);
    this.cells = Object.entries<Cell<unknown>>(spec);
    this.isConverted = this.cells.some(([, { type, ifNull }]) => type === 'boolean' || ifNull === 'absent');
  }

  /** @throws Error in development and tests, when the row differs from the spec */
  get(...parameters: readonly Parameter[]): T | undefined {
    const row = this.statement.get(...parameters);
    if (row === undefined) return undefined;
    if (this.isUnchecked) this.check(row);
    return this.read(row);
  }

  /** @throws Error in development and tests, when the first row differs from the spec */
  all(...parameters: readonly Parameter[]): T[] {
    const rows = this.statement.all(...parameters);
    if (this.isUnchecked && rows[0] !== undefined) this.check(rows[0]);
    // All rows of a query have the same columns, and the first was compared with the spec.
    return this.isConverted ? rows.map((row) => this.read(row)) : (rows as T[]);
  }

  private read(row: Record<string, unknown>): T {
    if (!this.isConverted) return row as T;
    const result: Record<string, unknown> = {};
    for (const [name, { type, ifNull }] of this.cells) {
      const value = row[name];
      // A sum of large numbers overflows, and JSON has no infinity.
      const isUnknown = value === null || (ifNull === 'absent' && Math.abs(value as number) === Infinity);
      if (isUnknown) {
        if (ifNull !== 'absent') result[name] = null;
      } else result[name] = type === 'boolean' ? value === 1 : value;
    }
    return result as T;
  }

  private check(row: Record<string, unknown>): void {
    this.isUnchecked = false;
    const faults = this.cells.flatMap(([name, cell]) => {
      if (!Object.hasOwn(row, name)) return [`the column ${name} is missing`];
      const fault = faultOf(row[name], cell);
      return fault === undefined ? [] : [`the column ${name} ${fault}`];
    });
    const declared = new Set(this.cells.map(([name]) => name));
    const extra = Object.keys(row).filter((name) => !declared.has(name));
    faults.push(...extra.map((name) => `the column ${name} is not declared`));
    if (faults.length > 0)
      throw new Error(`row spec: ${faults.join('; ')}, in the query ${oneLine(this.sql)}`);
  }
}

/** A prepared statement of one column. It returns the cells. */
export class ValueQuery<V> {
  private readonly db: ReadableLibrary;
  private readonly statement: Statement<Parameter[], unknown>;
  private readonly cell: Cell<V>;
  private readonly sql: string;
  private isUnchecked = IS_CHECKED;

  constructor(db: ReadableLibrary, sql: string, cell: Cell<V>) {
    this.db = db;
    this.sql = sql;
    this.cell = cell;
    this.statement = statementOf(db, sql, 'pluck');
  }

  /** @throws Error in development and tests, when the first value differs from the declared type */
  get(...parameters: readonly Parameter[]): V | undefined {
    const value = this.statement.get(...parameters);
    if (value !== undefined) this.check(value);
    return value as V | undefined;
  }

  /** @throws Error in development and tests, when the first value differs from the declared type */
  all(...parameters: readonly Parameter[]): V[] {
    const values = this.statement.all(...parameters);
    if (values[0] !== undefined) this.check(values[0]);
    return values as V[];
  }

  *iterate(...parameters: readonly Parameter[]): Generator<V> {
    // A statement of its own, because the caller may run the same query between two rows.
    for (const value of this.db
      .prepare<Parameter[], unknown>(this.sql)
      .pluck()
      .iterate(...parameters)) {
      this.check(value);
      yield value as V;
    }
  }

  private check(value: unknown): void {
    if (!this.isUnchecked) return;
    this.isUnchecked = false;
    const fault = faultOf(value, this.cell);
    if (fault !== undefined)
      throw new Error(`row spec: the value ${fault}, in the query ${oneLine(this.sql)}`);
  }
}

/** Prepares a query of one column. A boolean or an optional value needs `query`. */
export const queryValue = <V>(db: ReadableLibrary, sql: string, cell: Cell<V>): ValueQuery<V> =>
  new ValueQuery(db, sql, cell);

type Column = readonly [name: string, cell: Cell<unknown>];
type Tuple<C extends readonly Column[]> = {
  readonly [I in keyof C]: C[I] extends readonly [string, Cell<infer V>] ? V : never;
};

/**
 * Prepares a query whose rows are arrays. As objects, rows of whole libraries cost 15 % more. In
 * development and tests the column names are compared with those of the query, in order.
 *
 * @throws Error when they differ
 */
export function queryTuples<const C extends readonly Column[]>(
  db: ReadableLibrary,
  sql: string,
  columns: C,
): Statement<Parameter[], Tuple<C>> {
  const statement = db.prepare<Parameter[], Tuple<C>>(sql).raw();
  if (IS_CHECKED) {
    const names = statement.columns().map(({ name }) => name);
    const declared = columns.map(([name]) => name);
    if (names.join() !== declared.join())
      throw new Error(`row spec: the columns are ${names}, not ${declared}, in the query ${oneLine(sql)}`);
  }
  return statement;
}

/** Prepares a query. Its rows have exactly the columns of `spec`. */
export const query = <T>(db: ReadableLibrary, sql: string, spec: RowSpec<T>): Query<T> =>
  new Query(db, sql, spec);

function faultOf(value: unknown, { type, ifNull, words }: Cell<unknown>): string | undefined {
  if (value === null) return ifNull === 'refused' ? 'is NULL' : undefined;
  switch (type) {
    case 'bytes':
      return value instanceof Uint8Array ? undefined : 'is not bytes';
    case 'boolean':
      return value === 0 || value === 1 ? undefined : `is ${String(value)}, not 0 or 1`;
    default:
      if (typeof value !== type) return `is a ${typeof value}, not a ${type}`;
      return words === undefined || words.includes(String(value)) ? undefined : `is ${String(value)}`;
  }
}

const oneLine = (sql: string): string => sql.trim().replaceAll(/\s+/g, ' ').slice(0, 160);
