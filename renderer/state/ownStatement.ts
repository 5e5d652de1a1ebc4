/**
 * The latest SQL statement that this window wrote: typed by the user, or composed by another page. Every other statement
 * came with a link, and the SQL page says so. Kept in memory only, because anybody can write a URL.
 */
let latest: string | undefined;
let due: string | undefined;

export function rememberOwnStatement(sql: string): void {
  latest = sql;
}

export function isOwnStatement(sql: string): boolean {
  return sql === latest;
}

/** Asks the SQL page to run a statement of this window as soon as it opens. */
export function runOnOpening(sql: string): void {
  rememberOwnStatement(sql);
  due = sql;
}

/** Whether this statement is to be run on opening. True once. */
export function takeDueRun(sql: string): boolean {
  const isDue = due === sql;
  due = undefined;
  return isDue;
}
