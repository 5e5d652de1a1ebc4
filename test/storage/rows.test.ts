/** Row specs: parsed rows and rejected ones. */
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import {
  boolean,
  number,
  oneOf,
  optional,
  orNull,
  query,
  queryTuples,
  queryValue,
  rawRows,
  statementOf,
  text,
} from '../../electron/storage/rows.ts';

const db = new Database(':memory:');

it('leaves out a sum that overflowed, since JSON has no infinity', () => {
  const sums = 'SELECT 1e308 + 1e308 AS a, -1e308 - 1e308 AS b, 1.5 AS c';
  const spec = { a: optional(number), b: optional(number), c: optional(number) };
  expect(query(db, sums, spec).all()).toStrictEqual([{ c: 1.5 }]);
});

it('prepares a statement once, as rows and as cells', () => {
  expect(rawRows(db, 'SELECT ? AS a, 2 AS b', 1)).toEqual([[1, 2]]);
  expect(statementOf(db, 'SELECT ? AS a, 2 AS b').all(1)).toEqual([{ a: 1, b: 2 }]);
  expect(rawRows(db, 'SELECT ? AS a, 2 AS b', 3)).toEqual([[3, 2]]);
  expect(statementOf(db, 'SELECT 1')).toBe(statementOf(db, 'SELECT 1'));
  const values = queryValue(db, 'SELECT value FROM json_each(?)', number);
  expect(statementOf(db, 'SELECT value FROM json_each(?)', 'pluck').all('[1, 2]')).toEqual([1, 2]);
  // Rows are iterated by a statement that is not shared.
  const seen = Array.from(values.iterate('[1, 2]'), (each) => [each, values.all('[3, 4]')]);
  expect(seen).toEqual([
    [1, [3, 4]],
    [2, [3, 4]],
  ]);
});

it('keeps null, leaves out optional fields, and makes booleans of 0 and 1', () => {
  const spec = { a: orNull(number), b: optional(text), c: boolean, d: optional(boolean) };
  const rows = query(
    db,
    "SELECT NULL AS a, NULL AS b, 1 AS c, 0 AS d UNION ALL SELECT 2, 'x', 0, NULL",
    spec,
  );
  expect(rows.all()).toStrictEqual([
    { a: null, c: true, d: false },
    { a: 2, b: 'x', c: false },
  ]);
  expect(rows.get()).toStrictEqual({ a: null, c: true, d: false });
  expect(query(db, 'SELECT 1 AS a WHERE 0', { a: number }).get()).toBeUndefined();
});

it.each([
  [
    'SELECT 1 AS b',
    { a: number },
    /the column a is missing; the column b is not declared, in the query SELECT 1 AS b/,
  ],
  ["SELECT 'x' AS a", { a: number }, /the column a is a string, not a number/],
  ['SELECT NULL AS a', { a: text }, /the column a is NULL/],
  ['SELECT 2 AS a', { a: boolean }, /the column a is 2, not 0 or 1/],
  ["SELECT 'x' AS a", { a: oneOf(['y']) }, /the column a is x/],
] as const)('%s is refused by name', (sql, spec, message) => {
  expect(() => query<{ a: unknown }>(db, sql, spec).all()).toThrow(message);
  expect(() => query<{ a: unknown }>(db, sql, spec).get()).toThrow(message);
});

it('gives the values of one column, and refuses one of another type', () => {
  const values = queryValue(db, 'SELECT 1 UNION ALL SELECT 2', number);
  expect(values.all()).toEqual([1, 2]);
  expect([...values.iterate()]).toEqual([1, 2]);
  expect(values.get()).toBe(1);
  expect(queryValue(db, 'SELECT 1 WHERE 0', number).get()).toBeUndefined();
  expect(queryValue(db, 'SELECT NULL', orNull(text)).get()).toBeNull();
  expect(() => queryValue(db, "SELECT 'x'", number).get()).toThrow(/the value is a string, not a number/);
  expect(() => queryValue(db, 'SELECT NULL', number).all()).toThrow(/the value is NULL/);
});

it('refuses tuples whose columns stand in another order than declared', () => {
  const columns = [
    ['a', number],
    ['b', text],
  ] as const;
  expect(queryTuples(db, "SELECT 1 AS a, 'x' AS b", columns).all()).toEqual([[1, 'x']]);
  expect(() => queryTuples(db, "SELECT 'x' AS b, 1 AS a", columns)).toThrow(/the columns are b,a, not a,b/);
});
