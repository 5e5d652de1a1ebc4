/** One Parquet file, written in row groups. It gets its name when it is complete. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants, zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { refused } from '../../shared/api/errors.ts';
import { HEADER_KEY } from '../../shared/format/dataSetColumns.ts';

/** A row group ends at either limit. Readers hold one at a time. */
const GROUP_ROWS = 512;
const GROUP_CHARS = 16 << 20;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Columns with mostly distinct values. Searching them for repeated values would take most of a file's time. */
const ALONE: ReadonlySet<string> = new Set(['response', 'extra', 'alternatives']);

/** The largest value of a column of integers. */
export const MOST_INT32 = 2 ** 31 - 1;

export type ParquetRow = Readonly<Record<string, unknown>>;

export class ParquetPart {
  readonly path: string;
  private readonly partial: string;
  private readonly sink;
  private readonly writer;
  private readonly names: readonly string[];
  /** Columns of integers with 32 bits. */
  private readonly integers: readonly string[];
  private rows: ParquetRow[] = [];
  private chars = 0;
  private written = 0;
  private isWhole = false;

  /** @param header metadata of the file */
  constructor(
    path: string,
    of: { readonly schema: SchemaElement[]; readonly names: readonly string[]; readonly header?: object },
  ) {
    this.path = path;
    this.partial = `${path}.partial`;
    this.names = of.names;
    const integers = new Set(of.schema.filter(({ type }) => type === 'INT32').map(({ name }) => name));
    this.integers = of.names.filter((name) => integers.has(name));
    // `fileWriter` takes no mode, but keeps that of an existing file.
    writeFileSync(this.partial, '', { flag: 'wx', mode: 0o600 });
    this.sink = fileWriter(this.partial);
    this.writer = new ParquetWriter({
      writer: this.sink,
      schema: of.schema,
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes, LEVEL) },
      ...(of.header === undefined
        ? {}
        : { kvMetadata: [{ key: HEADER_KEY, value: JSON.stringify(of.header) }] }),
      createdBy: 'turnwise',
    });
  }

  get held(): number {
    return this.rows.length;
  }

  get isFull(): boolean {
    return this.rows.length >= GROUP_ROWS || this.chars >= GROUP_CHARS;
  }

  /**
   * @param weight characters of the long columns
   * @throws ApiError `refused` for a number that the column cannot hold
   */
  add(row: ParquetRow, weight: number): void {
    for (const name of this.integers) {
      const value = row[name];
      if (typeof value === 'number' && Math.abs(value) > MOST_INT32)
        throw refused(
          `${name} of a rollout is ${value}; in Parquet it can be at most ${MOST_INT32.toLocaleString('en')}. Export other runs or rollouts, or another format`,
        );
    }
    this.rows.push(row);
    this.chars += weight;
  }

  /** Writes the buffered rows as a row group. */
  flush(): { readonly rows: number; readonly bytes: number } {
    const { rows, sink } = this;
    const columnData = this.names.map((name) => ({
      name,
      data: rows.map((row) => row[name] ?? null),
      ...(ALONE.has(name) ? { encoding: 'PLAIN' as const, statistics: false } : {}),
    }));
    this.writer.write({ columnData, rowGroupSize: Math.max(1, rows.length) });
    this.rows = [];
    this.chars = 0;
    const bytes = sink.offset - this.written;
    this.written = sink.offset;
    return { rows: rows.length, bytes };
  }

  finish(): void {
    this.writer.finish();
    this.isWhole = true;
    renameSync(this.partial, this.path);
  }

  /** Deletes the file unless it is complete. */
  abandon(): void {
    if (!this.isWhole) rmSync(this.partial, { force: true });
  }
}
