/**
 * The query each place was left with (sort, filter, tab, what-if), so that going back up finds it as it
 * was. A link that names a place afresh is not touched.
 */
const MAX_PLACES = 200;
const queries = new Map<string, string>();

/** `?sort=-reward`, or nothing. */
export function queryLeftAt(path: string): string {
  return queries.get(path) ?? '';
}

export function rememberQuery(path: string, search: string): void {
  queries.delete(path);
  queries.set(path, search);
  if (queries.size <= MAX_PLACES) return;
  const oldest = queries.keys().next();
  if (!oldest.done) queries.delete(oldest.value);
}
