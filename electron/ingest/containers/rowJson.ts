/** Converts rows of columnar files and databases to JSON records. */
import { LONGEST_RECORD } from './bytes.ts';
import { CorruptContainerError, type SourceRecord } from './container.ts';
import { mostInAll } from './sizes.ts';

/** Decodes texts of columns. The default decoder drops a U+FEFF at the beginning of a text. */
export const COLUMN_TEXT = new TextDecoder('utf-8', { ignoreBOM: true });

/** Converts the rows of a columnar file. Rows may share texts, so their JSON may be far larger than their memory. */
export class RowConverter {
  private readonly container: string;
  private left: number;

  /** @param container for messages */
  constructor(container: string, fileBytes: number) {
    this.container = container;
    this.left = mostInAll(fileBytes);
  }

  /**
   * @param rows JSON values, which may also contain 64-bit integers, dates and typed arrays
   * @param offset number of rows in the file before the first of these
   * @throws CorruptContainerError when a row cannot be converted
   */
  *records(rows: Iterable<unknown>, offset: number): Generator<SourceRecord> {
    let at = offset;
    try {
      for (const row of rows) {
        const record = rowRecord(row, at);
        this.left -= 'bytes' in record ? record.bytes.byteLength : 'tooLong' in record ? record.tooLong : 0;
        if (this.left < 0) throw new Error('the rows repeat more text than a file of its size holds');
        yield record;
        at++;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CorruptContainerError(
        `row ${at + 1} of the ${this.container} file cannot be read: ${reason}`,
      );
    }
  }
}

/** A row as a record, or its size if it is too long. */
export function rowRecord(row: unknown, offset: number): SourceRecord {
  const nextOffset = offset + 1;
  const chars = charsOf(row);
  if (chars > LONGEST_RECORD) return { tooLong: chars, nextOffset };
  const json = JSON.stringify(row, asJson);
  // Escapes can make the JSON longer than the lower bound.
  if (json.length > LONGEST_RECORD) return { tooLong: json.length, nextOffset };
  return { bytes: Buffer.from(json), offset, nextOffset };
}

/** A lower bound of the characters of a value's JSON. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (ArrayBuffer.isView(value)) return value.byteLength / 8;
  let chars = 2;
  if (Array.isArray(value)) for (const inner of value) chars += charsOf(inner);
  else for (const key in value) chars += key.length + charsOf((value as Record<string, unknown>)[key]);
  return chars;
}

/** 64-bit integers become numbers if a double is exact, otherwise strings of digits. Dates convert themselves. */
function asJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as Uint8Array) : value;
}
