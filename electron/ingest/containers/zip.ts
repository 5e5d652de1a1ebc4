/**
 * Zip archives. An Inspect log (`.eval`) is one, with a member per sample. Members are stored, deflated, or
 * zstd-compressed (method 93, which zip readers leave to the caller).
 */
import { createZstdDecompress } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { isObject, type JsonObject } from '../../../shared/format/fields.ts';
import { readJson } from '../../../shared/format/lenientJson.ts';
import { LONGEST_RECORD } from './bytes.ts';
import { CorruptContainerError, type RecordSource, type SourceRecord } from './container.ts';

const ZSTD = 93;
const SAMPLE = /^samples\/.+\.json$/;
/** `header.json` is written at the end; an interrupted evaluation only has the start file. */
const HEADERS = ['header.json', '_journal/start.json'];
const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });

/** The content of an archive, by the names of its members. */
export type ZipContents = 'samples' | 'torch' | 'other';

export class ZipSource implements RecordSource {
  readonly header?: JsonObject;
  readonly contents: ZipContents;
  readonly names: readonly string[];
  private readonly zip: ZipFile;
  private readonly samples: readonly Entry[];

  private constructor(zip: ZipFile, entries: readonly Entry[], header: JsonObject | undefined) {
    this.zip = zip;
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
    let zip: ZipFile | undefined;
    try {
      zip = await openPromise(path, { lazyEntries: true, autoClose: false });
      const entries: Entry[] = [];
      for await (const entry of zip.eachEntry()) entries.push(entry);
      return new ZipSource(zip, entries, await headerOf(zip, entries));
    } catch (error) {
      zip?.close();
      throw error instanceof CorruptContainerError
        ? error
        : asCorrupt(error, 'damaged or unfinished zip archive');
    }
  }

  async *records(from: number): AsyncGenerator<Iterable<SourceRecord>> {
    for (let i = from; i < this.samples.length; i++) {
      const entry = this.samples[i];
      if (entry === undefined) return;
      yield entry.uncompressedSize > LONGEST_RECORD
        ? [{ tooLong: entry.uncompressedSize, nextOffset: i + 1 }]
        : [{ bytes: await unpack(this.zip, entry), offset: i, nextOffset: i + 1 }];
    }
  }

  async close(): Promise<void> {
    this.zip.close();
  }
}

async function headerOf(zip: ZipFile, entries: readonly Entry[]): Promise<JsonObject | undefined> {
  for (const name of HEADERS) {
    const entry = entries.find((candidate) => candidate.fileName === name);
    if (entry === undefined) continue;
    const header = readJson((await unpack(zip, entry)).toString('utf8'));
    if (header.ok && isObject(header.value)) return header.value;
  }
  return undefined;
}

async function unpack(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    const isZstd = entry.compressionMethod === ZSTD;
    const raw = await zip.openReadStreamPromise(entry, isZstd ? { decodeFileData: false } : {});
    const stream = isZstd ? raw.pipe(createZstdDecompress()) : raw;
    raw.on('error', (error) => stream.destroy(error));
    for await (const piece of stream as AsyncIterable<Buffer>) {
      length += piece.byteLength;
      // The declared size may be wrong, so unpacking stops at the limit.
      if (length > LONGEST_RECORD) throw new Error(`it unpacks to more than ${LONGEST_RECORD} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    throw asCorrupt(error, `member ${entry.fileName} of the zip archive cannot be read`);
  }
  return Buffer.concat(pieces);
}

function asCorrupt(error: unknown, what: string): Error {
  if (!(error instanceof Error)) return new CorruptContainerError(what);
  return 'syscall' in error ? error : new CorruptContainerError(`${what}: ${error.message}`);
}
