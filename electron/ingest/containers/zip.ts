/**
 * Zip archives. An Inspect log (`.eval`) is one, with a member per sample. Members are stored, deflated, or
 * zstd-compressed (method 93, which zip readers leave to the caller).
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { isObject, type JsonObject } from '../../../shared/format/fields.ts';
import { readJson } from '../../../shared/format/lenientJson.ts';
import { LONGEST_RECORD } from './bytes.ts';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';
import { openFile } from './openFile.ts';
import { mostInAll } from './sizes.ts';

const STORED = 0;
const DEFLATED = 8;
const ZSTD = 93;
/** Bytes of a member's header, before its name and extra fields. The directory does not store their lengths. */
const LOCAL_HEADER = 30;
/**
 * Bytes read at once: many while members follow one another, because a read costs as much as unpacking a small one;
 * few after a leap, because the members there may not be the next.
 */
const WINDOW_BYTES = 4 << 20;
const WINDOW_AFTER_LEAP = 1 << 16;
/** Limit of members, because they are listed in memory. */
const MOST_MEMBERS = 1 << 18;
const SAMPLE = /^samples\/.+\.json$/;
/** `header.json` is written at the end; an interrupted evaluation only has the start file. */
const HEADERS = ['header.json', '_journal/start.json'];
const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });

/** The kind of content of an archive, determined by the names of its members. */
export type ZipContents = 'samples' | 'torch' | 'other';

export class ZipSource implements RecordSource {
  readonly header?: JsonObject;
  readonly contents: ZipContents;
  readonly names: readonly string[];
  private readonly members: Members;
  private readonly samples: readonly Entry[];

  private constructor(members: Members, entries: readonly Entry[], header: JsonObject | undefined) {
    this.members = members;
    this.names = entries.map((entry) => entry.fileName);
    this.samples = entries
      .filter((entry) => SAMPLE.test(entry.fileName))
      .sort((a, b) => byName.compare(a.fileName, b.fileName));
    if (header !== undefined) this.header = header;
    const isTorch = this.names.some((name) => /(?:^|\/)data\.pkl$/.test(name));
    this.contents = this.samples.length > 0 ? 'samples' : isTorch ? 'torch' : 'other';
  }

  /** @throws CorruptContainerError when the archive has no readable directory */
  static async open(path: string): Promise<ZipSource> {
    const members = new Members(path);
    try {
      const zip = await fromRandomAccessReaderPromise(members, members.bytes, { autoClose: false });
      const entries: Entry[] = [];
      let packed = 0;
      for await (const entry of zip.eachEntry()) {
        entries.push(entry);
        packed += entry.compressedSize;
        if (entries.length > MOST_MEMBERS) throw new Error(`it has more than ${MOST_MEMBERS} members`);
        // Without this check, a small archive could unpack the same bytes again and again.
        if (packed > members.bytes) throw new Error('its members overlap');
      }
      return new ZipSource(members, entries, headerOf(members, entries));
    } catch (error) {
      members.end();
      throw error instanceof CorruptContainerError
        ? error
        : asCorrupt(error, 'damaged or unfinished zip archive');
    }
  }

  async *records(from: number): AsyncGenerator<Iterable<SourceRecord>> {
    // One issue names every damaged member. A call that continues the archive replaces it, so it needs those before, too.
    const damaged: CorruptContainerError[] = [];
    for (const entry of this.samples.slice(0, from)) {
      if (entry.uncompressedSize > LONGEST_RECORD) continue;
      const unpacked = this.unpacked(entry);
      if (unpacked instanceof CorruptContainerError) damaged.push(unpacked);
      // The process would be taken for one that hangs.
      await nextTurn();
      yield [];
    }
    const most = mostInAll(this.members.bytes);
    let inAll = sizeOf(this.samples.slice(0, from));
    for (let i = from; i < this.samples.length; i++) {
      const entry = this.samples[i];
      if (entry === undefined) break;
      const place = { nextOffset: i + 1, number: i + 1 };
      if (entry.uncompressedSize > LONGEST_RECORD) yield [{ tooLong: entry.uncompressedSize, ...place }];
      else {
        inAll += entry.uncompressedSize;
        if (inAll > most) {
          damaged.push(
            new CorruptContainerError(
              `its ${this.members.bytes} bytes unpack to more than ${most}; the members from ${entry.fileName} on are not read`,
            ),
          );
          break;
        }
        const bytes = this.unpacked(entry);
        if (bytes instanceof CorruptContainerError) damaged.push(bytes);
        else yield [{ bytes, offset: i, name: entry.fileName, ...place }];
      }
    }
    const [first, ...others] = damaged;
    if (first !== undefined)
      throw others.length === 0
        ? first
        : new CorruptContainerError(`${first.message}; ${others.length} more members cannot be read`);
  }

  /** Members are packed one by one, so the others can be read where one is damaged. */
  private unpacked(entry: Entry): Buffer | CorruptContainerError {
    try {
      return this.members.unpack(entry);
    } catch (error) {
      if (error instanceof CorruptContainerError) return error;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.members.end();
  }
}

/** Bytes of the members that are unpacked. */
function sizeOf(entries: readonly Entry[]): number {
  const sizes = entries.map((entry) => entry.uncompressedSize).filter((size) => size <= LONGEST_RECORD);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function headerOf(members: Members, entries: readonly Entry[]): JsonObject | undefined {
  for (const name of HEADERS) {
    const entry = entries.find((candidate) => candidate.fileName === name);
    if (entry === undefined) continue;
    const header = readJson(members.unpack(entry).toString('utf8'));
    if (header.ok && isObject(header.value)) return header.value;
  }
  return undefined;
}

/**
 * The bytes of an archive. Also serves the directory to yauzl. Reads large windows, because a read for each entry, or
 * a stream for each member, takes longer than unpacking.
 */
class Members extends RandomAccessReader {
  readonly bytes: number;
  private readonly file: number;
  private readonly buffer = Buffer.allocUnsafe(WINDOW_BYTES);
  private window = this.buffer.subarray(0, 0);
  private windowStart = 0;

  constructor(path: string) {
    super();
    this.file = openFile(path);
    this.bytes = fstatSync(this.file).size;
  }

  override read(...[into, offset, length, position, callback]: Parameters<RandomAccessReader['read']>): void {
    try {
      this.view(position, length).copy(into, offset);
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback(null);
  }

  /** @throws CorruptContainerError when the member is damaged, too long, encrypted or has an unsupported compression */
  unpack(entry: Entry): Buffer {
    try {
      const unpacked = this.unpacked(entry);
      if (unpacked.byteLength !== entry.uncompressedSize)
        throw new Error(`it has ${unpacked.byteLength} bytes, not ${entry.uncompressedSize}`);
      return unpacked;
    } catch (error) {
      throw asCorrupt(error, `member ${entry.fileName} of the zip archive cannot be read`);
    }
  }

  end(): void {
    closeSync(this.file);
  }

  private unpacked(entry: Entry): Buffer {
    if (entry.isEncrypted()) throw new Error('it is encrypted');
    const header = this.view(entry.relativeOffsetOfLocalHeader, LOCAL_HEADER);
    const start = LOCAL_HEADER + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (entry.uncompressedSize > LONGEST_RECORD || entry.compressedSize > LONGEST_RECORD)
      throw new Error(`it has ${entry.uncompressedSize} bytes; the limit is ${LONGEST_RECORD}`);
    const bytes = this.view(entry.relativeOffsetOfLocalHeader + start, entry.compressedSize);
    // The declared size may be wrong. All members together are limited by it, so unpacking stops there.
    const limit = { maxOutputLength: Math.max(1, entry.uncompressedSize) };
    switch (entry.compressionMethod) {
      case STORED:
        // Copy, because the window is reused.
        return Buffer.from(bytes);
      case DEFLATED:
        return inflateRawSync(bytes, limit);
      case ZSTD:
        return zstdDecompressSync(bytes, limit);
      default:
        throw new Error(`its compression method ${entry.compressionMethod} is not supported`);
    }
  }

  /** A view, valid until the next call. */
  private view(at: number, length: number): Buffer {
    const from = at - this.windowStart;
    const behind = from - this.window.byteLength;
    if (from < 0 || behind + length > 0) {
      const isNext = from >= 0 && behind < WINDOW_AFTER_LEAP;
      const wanted = Math.max(length, isNext ? WINDOW_BYTES : WINDOW_AFTER_LEAP);
      const window = wanted > WINDOW_BYTES ? Buffer.allocUnsafe(wanted) : this.buffer.subarray(0, wanted);
      const read = readSync(this.file, window, 0, wanted, at);
      this.window = window.subarray(0, read);
      this.windowStart = at;
      if (read < length) throw new Error(`the archive ends ${length - read} bytes too early`);
      return this.window.subarray(0, length);
    }
    return this.window.subarray(from, from + length);
  }
}

function asCorrupt(error: unknown, what: string): Error {
  if (!(error instanceof Error)) return new CorruptContainerError(what);
  return 'syscall' in error ? error : new CorruptContainerError(`${what}: ${error.message}`);
}
