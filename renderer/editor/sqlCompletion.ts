/** Completions for an offset in a statement. */

export interface CompletionSource {
  readonly name: string;
  readonly kind: 'view' | 'table' | 'function';
  /** Signature with parameters. */
  readonly form: string;
  readonly about: string;
  readonly columns: readonly { readonly name: string; readonly about: string }[];
}

export interface Completion {
  readonly label: string;
  readonly insert: string;
  readonly kind: 'column' | 'view' | 'table' | 'function' | 'keyword';
  readonly about: string;
  /** The table of a column. */
  readonly of?: string;
}

const KEYWORDS = [
  ...['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'HAVING', 'LIMIT', 'OFFSET', 'JOIN', 'LEFT JOIN'],
  ...['ON', 'USING', 'AS', 'AND', 'OR', 'NOT', 'IN', 'IS NULL', 'IS NOT NULL', 'LIKE', 'BETWEEN', 'EXISTS'],
  ...['CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'DISTINCT', 'UNION ALL', 'WITH', 'RECURSIVE', 'VALUES', 'OVER'],
  ...['PARTITION BY', 'DESC', 'ASC', 'EXPLAIN QUERY PLAN', 'CAST', 'FILTER'],
  ...['count(*)', 'count', 'sum', 'avg', 'min', 'max', 'total', 'round', 'abs', 'length', 'substr', 'instr'],
  ...['lower', 'upper', 'trim', 'replace', 'coalesce', 'iif', 'nullif', 'printf', 'group_concat'],
  ...['json_extract', 'row_number()', 'lag', 'lead'],
];

/** Keywords that follow a source and are not an alias. */
const NO_ALIAS = new Set(
  'where group order having limit join left inner cross natural on using union except intersect as'.split(
    ' ',
  ),
);
const NAME = String.raw`[A-Za-z_]\w*`;
const FROM = new RegExp(String.raw`\b(?:from|join)\s+|,\s*(?=(?:${NAME})\s*(?:\(|${NAME}))`, 'gi');
const SOURCE = new RegExp(String.raw`^(${NAME})(?:\s*\([^()]*\))?(?:\s+(?:as\s+)?(${NAME}))?`, 'i');

/** Names and aliases of the sources in a statement. */
export function aliasesOf(
  sql: string,
  sources: readonly CompletionSource[],
): ReadonlyMap<string, CompletionSource> {
  const byName = new Map(sources.map((source) => [source.name.toLowerCase(), source]));
  const aliases = new Map<string, CompletionSource>();
  for (const match of sql.matchAll(FROM)) {
    const named = SOURCE.exec(sql.slice(match.index + match[0].length, match.index + match[0].length + 200));
    const source = byName.get(named?.[1]?.toLowerCase() ?? '');
    if (source === undefined) continue;
    const alias = named?.[2]?.toLowerCase();
    aliases.set(source.name, source);
    if (alias !== undefined && !NO_ALIAS.has(alias)) aliases.set(alias, source);
  }
  return aliases;
}

/** Quotes a column name that is an SQL keyword, such as `end`. */
const written = (column: string): string =>
  /^(?:end|group|order|index|from)$/i.test(column) ? `"${column}"` : column;

/**
 * @param offset in UTF-16 code units
 * @returns the most likely first
 */
export function completionsAt(
  sql: string,
  offset: number,
  sources: readonly CompletionSource[],
): readonly Completion[] {
  const before = sql.slice(0, offset);
  const aliases = aliasesOf(sql, sources);
  const columnsOf = (source: CompletionSource): readonly Completion[] =>
    source.columns.map(({ name, about }) => ({
      label: name,
      insert: written(name),
      kind: 'column',
      about,
      of: source.name,
    }));
  const qualifier = new RegExp(String.raw`(${NAME})\.\w*$`).exec(before)?.[1];
  if (qualifier !== undefined) {
    const source = aliases.get(qualifier.toLowerCase());
    return source === undefined ? [] : columnsOf(source);
  }
  const named = sources.map(
    ({ name, kind, form, about }): Completion => ({
      label: form,
      insert: kind === 'view' ? name : `${name}(`,
      kind,
      about,
    }),
  );
  if (/\b(?:from|join)\s+\w*$/i.test(before)) return named.filter(({ kind }) => kind !== 'function');
  const used = [...new Set(aliases.values())];
  const columns = (used.length > 0 ? used : sources).flatMap(columnsOf);
  const keywords = KEYWORDS.map(
    (label): Completion => ({ label, insert: label, kind: 'keyword', about: '' }),
  );
  return [...uniqueBy(columns), ...named, ...keywords];
}

/** Offers a column only once if several sources have it. */
function uniqueBy(columns: readonly Completion[]): readonly Completion[] {
  const first = new Map<string, Completion>();
  for (const column of columns) if (!first.has(column.label)) first.set(column.label, column);
  return [...first.values()];
}
