/** Prints rows as text. `sqlText.ts` writes the values. */
import { delimitedLine, distinctNames } from '../../shared/domain/delimited.ts';
import { terminalLine, terminalText } from '../../shared/domain/terminalText.ts';
import { cellOf, jsonLine } from '../host/sqlText.ts';

export type RowFormat = 'jsonl' | 'csv' | 'table';

export interface RowWriter {
  columns(names: readonly string[]): void;
  rows(rows: readonly (readonly unknown[])[]): void;
  end(): void;
}

/** @param isShown whether the text goes to a terminal. CSV has no escapes, so a file or a pipe gets its characters unchanged. */
export function rowWriter(format: RowFormat, isShown: boolean, write: (text: string) => void): RowWriter {
  switch (format) {
    case 'jsonl':
      return jsonLines(write);
    case 'csv':
      return csv(isShown ? (text) => write(terminalText(text)) : write);
    case 'table':
      return table(write);
  }
}

function jsonLines(write: (text: string) => void): RowWriter {
  let names: readonly string[] = [];
  return {
    columns: (columns) => {
      names = distinctNames(columns);
    },
    rows: (rows) => {
      for (const row of rows) {
        write(`${jsonLine(names, row)}\n`);
      }
    },
    end: () => undefined,
  };
}

function csv(write: (text: string) => void): RowWriter {
  const line = (cells: readonly unknown[]): string => delimitedLine(cells.map(cellOf));
  return {
    columns: (columns) => write(line(distinctNames(columns))),
    rows: (rows) => {
      for (const row of rows) write(line(row));
    },
    end: () => undefined,
  };
}

/** Aligned columns, numbers to the right. Needs all rows before it prints the first. */
function table(write: (text: string) => void): RowWriter {
  let names: readonly string[] = [];
  const all: (readonly unknown[])[] = [];
  return {
    columns: (columns) => {
      names = columns.map(terminalLine);
    },
    rows: (rows) => void all.push(...rows),
    end: () => {
      const cells = all.map((row) =>
        names.map((_, i) => terminalText(String(cellOf(row[i]) ?? '').replace(/\s+/g, ' '))),
      );
      const widths = names.map((name, i) =>
        cells.reduce((width, row) => Math.max(width, row[i]?.length ?? 0), name.length),
      );
      const isNumeric = names.map(
        (_, i) =>
          all.length > 0 && all.every((row) => row[i] === null || /^(?:number|bigint)$/.test(typeof row[i])),
      );
      const line = (row: readonly string[]): string =>
        row
          .map((cell, i) =>
            isNumeric[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
          )
          .join('  ')
          .trimEnd();
      write(
        `${[line(names), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')}\n`,
      );
    },
  };
}
