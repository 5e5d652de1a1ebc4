/**
 * Indents JSON by its tokens alone. Parsing and printing it again would round integers beyond
 * 2^53 and refuse Python's NaN; this keeps every token as the file has it.
 * Undefined when the text is no object or list on the face of it.
 */
export function indentedRecord(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const out: string[] = [];
  let depth = 0;
  const newline = () => out.push('\n', '  '.repeat(depth));
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g);
  let previous = '';
  for (const [token] of tokens) {
    const closes = token === '}' || token === ']';
    const opened = previous === '{' || previous === '[';
    if (closes) {
      depth = Math.max(0, depth - 1);
      if (!opened) newline();
    } else if (opened) newline();
    out.push(token);
    if (token === '{' || token === '[') depth += 1;
    if (token === ',') newline();
    if (token === ':') out.push(' ');
    previous = token;
  }
  return out.join('');
}

interface RecordSource {
  readonly path: string;
  readonly line: number;
  readonly unit?: string;
  readonly isRewritten?: boolean;
}

/** Where a record stands, counted as its file counts: a line; the member of an archive, the row of a table, an element. */
export function recordPlace({ path, line, unit = 'line', isRewritten = false }: RecordSource): string {
  const number = new Intl.NumberFormat('en').format(line);
  if (unit === 'line') return `${path}, line ${number}${isRewritten ? ', as JSON' : ''}`;
  const what = unit === 'row' || unit === 'member' ? unit : 'record';
  return `${what} ${number} of ${path}${isRewritten ? ', as JSON' : ''}`;
}
