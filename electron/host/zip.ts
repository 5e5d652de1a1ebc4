/** Writes a zip of the files in a directory. They are not compressed, because Parquet already is. */
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { refused } from '../../shared/api/errors.ts';

/** A larger archive needs the 64-bit form of the format, which some programs cannot read. */
const MOST_BYTES = 0xffff_ffff;
const MOST_FILES = 0xffff;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
/** Zip version 2.0, which supports directories. */
const VERSION = 20;
/** Flag for UTF-8 names. */
const FLAGS = 0x0800;

interface Entry {
  readonly path: string;
  /** Path relative to the directory, with slashes. */
  readonly name: Buffer;
  readonly bytes: number;
  readonly modified: Date;
}

export interface Zip {
  readonly bytes: number;
  content(): AsyncGenerator<Uint8Array>;
}

/** @throws ApiError `refused` when the files are too many or too large */
export function zipOf(directory: string): Zip {
  const entries = entriesOf(directory);
  const bytes = entries.reduce(
    (sum, entry) => sum + LOCAL_BYTES + CENTRAL_BYTES + 2 * entry.name.length + entry.bytes,
    END_BYTES,
  );
  if (bytes > MOST_BYTES || entries.length > MOST_FILES)
    throw refused(
      `the export has ${entries.length} files and ${bytes} bytes, but a .zip holds at most ${MOST_FILES} files and ${MOST_BYTES} bytes. Save it on the server’s machine`,
    );
  return { bytes, content: () => contentOf(entries) };
}

function entriesOf(directory: string): readonly Entry[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { size, mtime } = statSync(path);
      const name = Buffer.from(relative(directory, path).split(sep).join('/'));
      return { path, name, bytes: size, modified: mtime };
    })
    .sort((a, b) => Buffer.compare(a.name, b.name));
}

async function* contentOf(entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    // The header before the content needs the checksum, so the file is read twice.
    let checksum = 0;
    for await (const chunk of createReadStream(entry.path)) checksum = crc32(chunk as Buffer, checksum);
    const facts = factsOf(entry, checksum);
    const local = Buffer.alloc(4);
    local.writeUInt32LE(0x0403_4b50);
    yield Buffer.concat([local, facts, entry.name]);
    yield* createReadStream(entry.path);
    central.push(centralOf(facts, offset), entry.name);
    offset += LOCAL_BYTES + entry.name.length + entry.bytes;
  }
  const directory = Buffer.concat(central);
  yield directory;
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(0x0605_4b50);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  yield end;
}

/** The fields that the local header and the entry in the central directory share. */
function factsOf({ name, bytes, modified }: Entry, checksum: number): Buffer {
  const facts = Buffer.alloc(LOCAL_BYTES - 4);
  facts.writeUInt16LE(VERSION, 0);
  facts.writeUInt16LE(FLAGS, 2);
  // Local time, in steps of two seconds, since 1980.
  facts.writeUInt16LE(
    (modified.getHours() << 11) | (modified.getMinutes() << 5) | (modified.getSeconds() >> 1),
    6,
  );
  facts.writeUInt16LE(
    (Math.max(0, modified.getFullYear() - 1980) << 9) | ((modified.getMonth() + 1) << 5) | modified.getDate(),
    8,
  );
  facts.writeUInt32LE(checksum, 10);
  facts.writeUInt32LE(bytes, 14);
  facts.writeUInt32LE(bytes, 18);
  facts.writeUInt16LE(name.length, 22);
  return facts;
}

function centralOf(facts: Buffer, offset: number): Buffer {
  const header = Buffer.alloc(CENTRAL_BYTES);
  header.writeUInt32LE(0x0201_4b50);
  header.writeUInt16LE(VERSION, 4);
  facts.copy(header, 6);
  header.writeUInt32LE(offset, 42);
  return header;
}
