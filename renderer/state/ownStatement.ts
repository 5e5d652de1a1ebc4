/**
 * The latest SQL statement that this window wrote: typed by the user, or composed by another page. Every other statement
 * came with a link, and the SQL page says so. Kept in memory only, because anybody can write a URL.
 */
let latest: string | undefined;

export function rememberOwnStatement(sql: string): void {
  latest = sql;
}

export function isOwnStatement(sql: string): boolean {
  return sql === latest;
}
