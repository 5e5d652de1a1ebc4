/**
 * Containers, recognized by their first bytes. A container yields records as JSON bytes, each with a
 * position to continue from.
 *
 *   plain, gzip, zstd             bytes → lines, elements or values   position: byte offset (uncompressed)
 *   zip, parquet, arrow, sqlite   members, rows                       position: number of records read
 *   adapter                       lines that a command writes         position: bytes and lines of its output
 */
import { isSkippable } from './zstdFrames.ts';

const CONTAINERS = ['plain', 'gzip', 'zstd', 'zip', 'parquet', 'arrow', 'sqlite', 'adapter'] as const;
export type Container = (typeof CONTAINERS)[number];

/**
 * The unit in which a file's records are counted. `text`: lines that are not JSON. `part`: records of any other unit,
 * of which several form one rollout (`parts.ts`). `output line`: lines that an adapter wrote, which are not in the
 * file.
 */
export type RecordUnit = 'line' | 'text' | 'element' | 'value' | 'member' | 'row' | 'part' | 'output line';

/** One record, or the reason why it is missing. `bytes` are valid until the next record is requested. */
export type SourceRecord =
  | {
      readonly bytes: Uint8Array;
      readonly offset: number;
      readonly nextOffset: number;
      /** Number of the record in the file, from 1. Default: the previous record's number plus one. */
      readonly number?: number;
      /** Name of a member of an archive. */
      readonly name?: string;
      /** Number of blank lines after this blank one. They count as lines. */
      readonly moreBlank?: number;
      /** The file ends here without line end or closing bracket, so more may follow. */
      readonly isUnended?: boolean;
    }
  | {
      readonly tooLong: number;
      readonly nextOffset: number;
      readonly number?: number;
      readonly isUnended?: boolean;
    };

export interface RecordSource {
  /** Metadata of the container that applies to all its records. */
  readonly header?: Readonly<Record<string, unknown>>;
  /**
   * Yields records from a position, several at a time.
   *
   * @throws the system's error; CorruptContainerError when the container is damaged
   */
  records(from: number): AsyncIterable<Iterable<SourceRecord>>;
  /** Hash of the first `records` records, for a source that is always read from its beginning. */
  hashAt?(records: number): string;
  /** Bytes of other files that were read for these records. */
  readonly otherBytes?: number;
  close(): Promise<void>;
}

/** Thrown after everything before the damage has been yielded. */
export class CorruptContainerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CorruptContainerError';
  }
}

/** Whether offsets stay valid when data is appended to the file. */
export function isAppendable(container: Container, unit: RecordUnit): boolean {
  if (unit === 'part') return false;
  return container === 'plain' || container === 'gzip' || container === 'zstd' || container === 'adapter';
}

const MAGIC: readonly (readonly [Container, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  ['parquet', [0x50, 0x41, 0x52, 0x31]],
  ['arrow', [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31]],
  ['sqlite', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20]],
];

export function containerOf(first: Uint8Array): Container {
  const known = MAGIC.find(([, magic]) => magic.every((byte, i) => first[i] === byte))?.[0];
  if (known !== undefined) return known;
  if (isSkippable(first)) return 'zstd';
  return isArrowStream(first) ? 'arrow' : 'plain';
}

/**
 * A stream of Arrow messages has no magic number. It begins with four bytes 0xff, the length of the schema message
 * in steps of 8, and the offset of that message's table. The offset is within the message.
 */
function isArrowStream(first: Uint8Array): boolean {
  if (first.byteLength < 12) return false;
  const head = new DataView(first.buffer, first.byteOffset, 12);
  const length = head.getInt32(4, true);
  const table = head.getInt32(8, true);
  return head.getInt32(0, true) === -1 && length > 0 && length % 8 === 0 && table >= 4 && table < length;
}
