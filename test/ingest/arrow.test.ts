/** Arrow files and streams that are cut, damaged or read from the middle. */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dictionary, float64, largeUtf8, list, tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrowSource } from '../../electron/ingest/containers/arrow.ts';
import { CorruptContainerError } from '../../electron/ingest/containers/container.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'messages');
const STREAM = readFileSync(join(FIXTURES, 'arrow-stream', 'data.arrow'));
const FILES = ['arrow-file-lz4', 'arrow-file-zstd'].map((name) =>
  readFileSync(join(FIXTURES, name, 'data.feather')),
);

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'turnwise-arrow-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Read {
  readonly rows: unknown[];
  readonly error?: unknown;
  /** Whether a part of a batch is missing at the end. */
  readonly isCut?: true;
}

async function rowsOf(bytes: Uint8Array, from = 0): Promise<Read> {
  const path = join(scratch, 'unknown');
  writeFileSync(path, bytes);
  const source = ArrowSource.open(path);
  const rows: unknown[] = [];
  let isCut = false;
  try {
    for await (const records of source.records(from)) {
      for (const record of records)
        if (record.isUnended === true) isCut = true;
        else if ('bytes' in record) rows.push(JSON.parse(record.bytes.toString()));
    }
    return isCut ? { rows, isCut } : { rows };
  } catch (error) {
    return { rows, error };
  } finally {
    await source.close();
  }
}

describe('Arrow', () => {
  it('continues at any row', async () => {
    const { rows } = await rowsOf(STREAM);
    expect(rows).toHaveLength(5);
    for (let from = 0; from <= 5; from++) expect((await rowsOf(STREAM, from)).rows).toEqual(rows.slice(from));
  });

  it('reads the whole batches of a stream that is still being written', async () => {
    const whole = (await rowsOf(STREAM)).rows;
    const counts = new Set<number>();
    const uncut = new Set<number>();
    for (let end = 0; end <= STREAM.byteLength; end += 8) {
      const { rows, error, isCut } = await rowsOf(STREAM.subarray(0, end));
      expect(error).toBeUndefined();
      if (isCut !== true) uncut.add(rows.length);
      expect(rows).toEqual(whole.slice(0, rows.length));
      counts.add(rows.length);
    }
    expect([...counts]).toEqual([0, 2, 4, 5]);
    // At the ends of batches nothing says that more will follow.
    expect([...uncut]).toEqual([0, 2, 4, 5]);
  });

  it('reads the whole batches of a file that was cut, and says that its end is missing', async () => {
    for (const file of FILES) {
      const whole = (await rowsOf(file)).rows;
      const end = file.lastIndexOf(Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]));
      for (const cut of [end, end - 8, end >> 1]) {
        const { rows, error } = await rowsOf(file.subarray(0, cut));
        expect(error).toBeInstanceOf(CorruptContainerError);
        expect(rows).toEqual(whole.slice(0, rows.length));
      }
      expect((await rowsOf(file.subarray(0, end))).rows).toEqual(whole);
    }
  });

  it('names damage and never fails in another way', async () => {
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    for (const bytes of [STREAM, ...FILES]) {
      for (let round = 0; round < 60; round++) {
        const damaged = Buffer.from(bytes);
        for (let i = 0; i < 3; i++) damaged[random(damaged.length)] = random(256);
        const { error } = await rowsOf(damaged);
        if (error !== undefined) expect(error).toBeInstanceOf(CorruptContainerError);
      }
    }
  });
});

it.each([
  ['texts', utf8(), '\uFEFFa'],
  ['large texts', largeUtf8(), '\uFEFFa'],
  ['dictionaries', dictionary(utf8()), '\uFEFFa'],
  ['lists', list(utf8()), ['\uFEFFa', 'b']],
])('keeps a byte order mark at the beginning of %s', async (_, type, value) => {
  const ipc = tableToIPC(tableFromArrays({ a: [value, null] }, { types: { a: type } }), { format: 'stream' });
  expect(await rowsOf(ipc ?? new Uint8Array())).toEqual({ rows: [{ a: value }, { a: null }] });
});

it('refuses a dictionary that would be decoded again for thousands of batches', async () => {
  const text = utf8();
  const ipc = tableToIPC(tableFromArrays({ a: ['x'.repeat(8 << 20)] }, { types: { a: dictionary(text) } }), {
    format: 'stream',
  });
  const stream = Buffer.from(ipc ?? []);
  // The last message before the end of the stream is the only batch of rows.
  const end = stream.byteLength - 8;
  const batch = stream.subarray(stream.lastIndexOf(Buffer.from([255, 255, 255, 255]), end - 1), end);
  const path = join(scratch, 'repeated.arrow');
  writeFileSync(path, Buffer.concat([stream.subarray(0, end), ...Array.from({ length: 400 }, () => batch)]));
  const source = ArrowSource.open(path);
  const read = async () => {
    for await (const _ of source.records(0));
  };
  await expect(read()).rejects.toThrow(
    'the schema and the dictionaries of the Arrow file are too large for so many batches',
  );
  await source.close();
});

it('refuses a long schema that would be decoded again for thousands of batches', async () => {
  const ipc = tableToIPC(tableFromArrays({ [`a${'x'.repeat(1 << 20)}`]: ['b'] }), { format: 'stream' });
  const stream = Buffer.from(ipc ?? []);
  const end = stream.byteLength - 8;
  const batch = stream.subarray(stream.lastIndexOf(Buffer.from([255, 255, 255, 255]), end - 1), end);
  const path = join(scratch, 'schema.arrow');
  writeFileSync(path, Buffer.concat([stream.subarray(0, end), ...Array.from({ length: 400 }, () => batch)]));
  const source = ArrowSource.open(path);
  const read = async () => {
    for await (const _ of source.records(0));
  };
  await expect(read()).rejects.toThrow('the schema and the dictionaries of the Arrow file are too large');
  await source.close();
});

it.each([
  [
    'refuses a batch that takes more memory than there is, and says what to do',
    900 << 20,
    /the limit is \d+\. Write smaller batches/,
  ],
  ['reads a batch of a size that fits', 100 << 20, undefined],
])('%s', async (_, padding, message) => {
  const ipc = tableToIPC(tableFromArrays({ a: ['b'] }, { types: { a: utf8() } }), { format: 'stream' });
  const stream = Buffer.from(ipc ?? []);
  const end = stream.byteLength - 8;
  const start = stream.lastIndexOf(Buffer.from([255, 255, 255, 255]), end - 1);
  const metadata = stream.readInt32LE(start + 4);
  const body = Buffer.alloc(8);
  body.writeBigInt64LE(BigInt(end - start - 8 - metadata));
  // A longer body ends with a hole of the file.
  stream.writeBigInt64LE(BigInt(padding), stream.indexOf(body, start + 8));
  const path = join(scratch, 'hole.arrow');
  writeFileSync(path, stream.subarray(0, end));
  truncateSync(path, start + 8 + metadata + padding);
  const source = ArrowSource.open(path);
  const read = async () => {
    const rows: string[] = [];
    for await (const records of source.records(0))
      for (const record of records) if ('bytes' in record) rows.push(record.bytes.toString());
    return rows;
  };
  if (message === undefined) expect(await read()).toEqual(['{"a":"b"}']);
  else await expect(read()).rejects.toThrow(message);
  await source.close();
});

describe('what an Arrow file claims', () => {
  const types = { a: utf8(), b: dictionary(utf8()), c: float64() };
  const values = { a: ['x', null, 'z'], b: ['p', 'q', 'p'], c: [0.5, null, 1.5] };
  const stream = Buffer.from(tableToIPC(tableFromArrays(values, { types }), { format: 'stream' }) ?? []);
  const rows = [
    { a: 'x', b: 'p', c: 0.5 },
    { a: null, b: 'q', c: null },
    { a: 'z', b: 'p', c: 1.5 },
  ];
  const CONTINUATION = Buffer.from([255, 255, 255, 255]);
  /** Positions of the schema, the dictionary, the rows and the end. */
  const messages = (): readonly number[] => {
    const found: number[] = [];
    for (let at = stream.indexOf(CONTINUATION); at >= 0; at = stream.indexOf(CONTINUATION, at + 8))
      if (at % 8 === 0 && stream.readInt32LE(at + 4) < stream.byteLength) found.push(at);
    return found;
  };
  it('loses no rows by a bit of the metadata without a word', async () => {
    expect(await rowsOf(stream)).toEqual({ rows });
    const [schema = 0, first = 0, batch = 0, end = 0] = messages();
    expect([schema, stream.readInt32LE(end + 4)]).toEqual([0, 0]);
    for (const start of [first, batch])
      for (let at = start; at < start + 8 + stream.readInt32LE(start + 4); at++)
        for (let bit = 0; bit < 8; bit++) {
          const copy = Buffer.from(stream);
          copy[at] = (copy[at] ?? 0) ^ (1 << bit);
          const { rows: found, error, isCut } = await rowsOf(copy);
          if (error !== undefined) expect(error).toBeInstanceOf(CorruptContainerError);
          else if (isCut !== true)
            expect([at - start, bit, found.length]).toEqual([at - start, bit, rows.length]);
        }
  });

  it('is refused for a dictionary of more values than it stores', async () => {
    const [, first = 0] = messages();
    const copy = Buffer.from(stream);
    const two = Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]);
    // The length of the batch, and that of its only column.
    for (
      let at = copy.indexOf(two, first);
      at < first + 8 + copy.readInt32LE(first + 4);
      at = copy.indexOf(two, at)
    )
      copy.writeBigInt64LE(3n << 20n, at);
    expect(String((await rowsOf(copy)).error)).toContain('a column of 3145728 entries that stores 3');
  });

  it('is refused for an index beyond its dictionary', async () => {
    const copy = Buffer.from(stream);
    const indexes = Buffer.from(new Int32Array([0, 1, 0]).buffer);
    copy.writeInt32LE(9, copy.lastIndexOf(indexes));
    expect(String((await rowsOf(copy)).error)).toContain('it refers to the value 9 of a dictionary of 2');
  });

  it('is refused for a bitmap of missing values that is outside', async () => {
    const [, , batch = 0] = messages();
    // The first buffer of the batch: eight bytes, from 0 on.
    const at = stream.indexOf(Buffer.from([...Array(8).fill(0), 8, ...Array(7).fill(0)]), batch);
    const copy = Buffer.from(stream);
    copy.writeBigInt64LE(1n << 20n, at);
    expect(String((await rowsOf(copy)).error)).toContain(
      'a column of 3 entries that says of 0 whether they are there',
    );
  });

  it('may end twice, as flechette writes it, but with nothing else', async () => {
    const end = Buffer.from([255, 255, 255, 255, 0, 0, 0, 0]);
    expect(await rowsOf(Buffer.concat([stream, end, Buffer.alloc(64)]))).toEqual({ rows });
    const { error } = await rowsOf(Buffer.concat([stream, stream]));
    expect(String(error)).toContain(`and the file has ${stream.byteLength} more bytes`);
  });

  it('has rows although the length of its schema is missing, as polars writes it', async () => {
    const [, first = 0] = messages();
    const metadata = stream.subarray(8, first);
    const table = metadata.readInt32LE(0);
    const slots = table - metadata.readInt32LE(table);
    const [version, kind, header] = [4, 6, 8].map((slot) => table + metadata.readUInt16LE(slots + slot));
    // A table at 4, the numbers of its slots, then the metadata of before, of which the schema is used.
    const bare = Buffer.alloc(32);
    bare.writeInt32LE(4, 0);
    bare.writeInt32LE(4 - 16, 4);
    bare.writeInt32LE(32 + (header ?? 0) + metadata.readInt32LE(header) - 8, 8);
    bare.writeInt16LE(metadata.readInt16LE(version), 12);
    bare.writeUInt8(metadata.readUInt8(kind), 14);
    for (const [i, slot] of [10, 12, 8, 10, 4].entries()) bare.writeUInt16LE(slot, 16 + 2 * i);
    const end = Buffer.from('\0\0\0\0ARROW1');
    const file = Buffer.concat([Buffer.from('ARROW1\0\0'), bare, metadata, stream.subarray(first), end]);
    expect(await rowsOf(file)).toEqual({ rows });
  });
});
