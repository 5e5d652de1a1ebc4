/**
 * The one place where SQL's NULL becomes an absent field. `present` drops NULLs; columns are
 * named in the queries as the contract names them.
 */
export function present<T extends object>(row: unknown): T {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(row as object)) if (value !== null) result[key] = value;
  // The queries name their columns after the fields of T; their tests read every field.
  return result as T;
}

/** SQLite has no booleans. */
export function booleansOf<T extends object>(row: T, ...keys: readonly (keyof T)[]): T {
  const result = { ...row };
  for (const key of keys) {
    if (result[key] !== undefined) result[key] = (Number(result[key]) === 1) as T[keyof T];
  }
  return result;
}
