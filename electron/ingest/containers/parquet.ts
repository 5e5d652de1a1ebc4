/** Parquet files: rows with nested lists, as the bytes of their JSON. */
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';

/** Uncompressed bytes decoded at once; a larger row group is read in parts. */
const WINDOW = 64 << 20;

export class ParquetSource implements RecordSource {
  private readonly file: AsyncBuffer;
  private readonly metadata: FileMetaData;

  private constructor(file: AsyncBuffer, metadata: FileMetaData) {
    this.file = file;
    this.metadata = metadata;
  }

  /** @throws CorruptContainerError when the file has no readable footer */
  static async open(path: string): Promise<ParquetSource> {
    const file = await asyncBufferFromFile(path);
    try {
      return new ParquetSource(file, await parquetMetadataAsync(file));
    } catch (error) {
      throw asCorrupt(error, 'damaged or unfinished Parquet file');
    }
  }

  get rows(): number {
    return Number(this.metadata.num_rows);
  }

  async *records(from: number): AsyncGenerator<Iterable<SourceRecord>> {
    let start = 0;
    for (const group of this.metadata.row_groups) {
      const rows = Number(group.num_rows);
      const parts = Math.max(1, Math.ceil(Number(group.total_byte_size) / WINDOW));
      const perPart = Math.max(1, Math.ceil(rows / parts));
      for (let at = start; at < start + rows; at += perPart) {
        const end = Math.min(at + perPart, start + rows);
        if (end <= from) continue;
        yield await this.read(Math.max(at, from), end);
      }
      start += rows;
    }
  }

  async close(): Promise<void> {
    // The buffer opens the file anew for every slice.
  }

  private async read(rowStart: number, rowEnd: number): Promise<readonly SourceRecord[]> {
    try {
      const { file, metadata } = this;
      const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd });
      return rows.map((row, i) => ({
        bytes: Buffer.from(JSON.stringify(row, asJson)),
        offset: rowStart + i,
        nextOffset: rowStart + i + 1,
      }));
    } catch (error) {
      throw asCorrupt(error, `rows ${rowStart + 1} to ${rowEnd} of the Parquet file cannot be read`);
    }
  }
}

/** 64-bit integers are numbers where a double holds them, else the digits; dates write themselves. */
function asJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as Uint8Array) : value;
}

function asCorrupt(error: unknown, what: string): Error {
  if (!(error instanceof Error)) return new CorruptContainerError(what);
  return 'syscall' in error ? error : new CorruptContainerError(`${what}: ${error.message}`);
}
