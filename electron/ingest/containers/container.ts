/**
 * What a file is packed in, told by its first bytes, and what it yields: records as the bytes
 * of their JSON, each with a position reading can go on from.
 *
 *   plain, gzip, zstd   bytes → lines, elements or values   position: byte offset (uncompressed)
 *   zip, parquet, sqlite   members, rows                     position: how many were read
 */
const CONTAINERS = ['plain', 'gzip', 'zstd', 'zip', 'parquet', 'sqlite'] as const;
export type Container = (typeof CONTAINERS)[number];

/** What the records of a file are, and so what its numbers count. `text`: lines that are no JSON. */
export type RecordUnit = 'line' | 'text' | 'element' | 'value' | 'member' | 'row';

/** One record, or why there is none. `bytes` are valid until the next one is asked for. */
export type SourceRecord =
  | {
      readonly bytes: Uint8Array;
      readonly offset: number;
      readonly nextOffset: number;
      /** The file ends here without a line end or closing bracket: more may come. */
      readonly isUnended?: boolean;
    }
  | { readonly tooLong: number; readonly nextOffset: number };

export interface RecordSource {
  /** What the container says once for all its records. */
  readonly header?: Readonly<Record<string, unknown>>;
  /**
   * Records from a position on, some at a time.
   * @throws the system's error; CorruptContainerError when the container itself cannot be read on
   */
  records(from: number): AsyncIterable<Iterable<SourceRecord>>;
  close(): Promise<void>;
}

/** What stands before the damage has been handed over. */
export class CorruptContainerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CorruptContainerError';
  }
}

/** Files whose bytes at an offset mean the same after more was appended. */
export function isAppendable(container: Container): boolean {
  return container === 'plain' || container === 'gzip' || container === 'zstd';
}

const MAGIC: readonly (readonly [Container, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  ['parquet', [0x50, 0x41, 0x52, 0x31]],
  ['sqlite', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20]],
];

export function containerOf(first: Uint8Array): Container {
  return MAGIC.find(([, magic]) => magic.every((byte, i) => first[i] === byte))?.[0] ?? 'plain';
}
