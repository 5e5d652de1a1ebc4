export interface TextRow {
  readonly start: number;
  /** Exclusive; without the newline. */
  readonly end: number;
  /** Line number from 1 on the first row of a line; continuation rows have none. */
  readonly line?: number;
}

/** Rows of at most `columns` UTF-16 units; surrogate pairs stay whole. */
export function textRows(text: string, columns: number): readonly TextRow[] {
  const rows: TextRow[] = [];
  let line = 0;
  for (let lineStart = 0; lineStart <= text.length; ) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    line += 1;
    let start = lineStart;
    do {
      let end = Math.min(lineEnd, start + columns);
      if (end < lineEnd && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
      rows.push(start === lineStart ? { start, end, line } : { start, end });
      start = end;
    } while (start < lineEnd);
    lineStart = lineEnd + 1;
  }
  return rows;
}
