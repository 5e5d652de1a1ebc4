/**
 * CSV and TSV for every export: packs, charts, tables, the SQL console, the command line.
 *
 * - Unknown is an empty cell. Numbers are written in full.
 * - A cell with a quote, a separator or a line end is quoted, quotes doubled (RFC 4180, also with tabs).
 * - Text that a spreadsheet would evaluate gets a leading apostrophe. Text that is a number does not.
 * - The inside of a text is never changed. A spreadsheet that is told another separator than the file has, such as `;`,
 *   makes cells of `a;=1+1`. Quotes would not prevent that, because it obeys them only at the start of its own cells. A
 *   mark before each such sign would alter code, lists and LaTeX (`x\;=\;1`, `f(a, -1)`, `&lt;=`) for every other reader.
 * - Duplicate column names get a suffix: `a`, `a (2)`.
 */

export type Separator = ',' | '\t';
export type Cell = string | number | bigint | boolean | null | undefined;

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
/** Includes full-width forms behind white space and control characters, which spreadsheets drop. */
const FORMULA = /^(?:[\s\u0000-\u001f\u007f]*[=+\-@＝＋－＠]|[\t\r])/;

/** @returns the text, with a leading apostrophe if a spreadsheet would take it for a formula */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

export function delimitedCell(value: Cell, separator: Separator = ','): string {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  if (typeof value !== 'string') return String(value);
  const text = withoutFormula(value);
  const isQuoted = /["\r\n]/.test(text) || text.includes(separator);
  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @returns a line ended by `\n` */
export function delimitedLine(cells: readonly Cell[], separator: Separator = ','): string {
  return `${cells.map((cell) => delimitedCell(cell, separator)).join(separator)}\n`;
}

/**
 * A CSV file of a table. The first line has the column names and no comment precedes it, so that every CSV reader
 * accepts the file.
 *
 * @param source run, filter and steps of the data. It fills the last column, so that tables of several runs can be
 *   concatenated.
 * @returns lines ended by `\n`
 */
export function csvFile(source: string, columns: readonly string[], rows: Iterable<readonly Cell[]>): string {
  const said = source.replaceAll(/\s+/g, ' ').trim();
  const lines = [...rows].map((row) => delimitedLine([...row, said]));
  return delimitedLine([...columns, 'source']) + lines.join('');
}

/** Makes column names unique. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let i = 2; taken.has(distinct); i++) distinct = `${name} (${i})`;
    taken.add(distinct);
    return distinct;
  });
}
