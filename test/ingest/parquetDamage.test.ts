/** A damaged Parquet file is refused, or gives the rows that it has: never fewer without a word, never other values. */
import { gzipSync } from 'node:zlib';
import { type ParquetWriteOptions, parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CorruptContainerError } from '../../electron/ingest/containers/container.ts';
import { ParquetSource } from '../../electron/ingest/containers/parquet.ts';
import { unpackSnappy } from '../../electron/ingest/containers/snappy.ts';
import { type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

interface Read {
  readonly rows: readonly Record<string, unknown>[];
  readonly error?: CorruptContainerError;
}

/** Rows before the damage, and the damage. */
async function read(content: Uint8Array): Promise<Read> {
  const rows: Record<string, unknown>[] = [];
  try {
    const source = await ParquetSource.open(place.file('a.parquet', content));
    try {
      for await (const records of source.records(0))
        for (const record of records) rows.push('bytes' in record ? JSON.parse(String(record.bytes)) : {});
    } finally {
      await source.close();
    }
    return { rows };
  } catch (error) {
    if (!(error instanceof CorruptContainerError)) throw error;
    return { rows, error };
  }
}

const write = (options: Omit<ParquetWriteOptions, 'writer'>): Uint8Array =>
  new Uint8Array(parquetWriteBuffer(options));

/** A copy for each bit in a range of bytes, with this bit changed. */
function* flipped(content: Uint8Array, from: number, to: number): Generator<Uint8Array> {
  for (let at = from; at < to; at++)
    for (let bit = 0; bit < 8; bit++) {
      const copy = content.slice();
      copy[at] = (copy[at] ?? 0) ^ (1 << bit);
      yield copy;
    }
}

const SCORES = [0.25, 0.5, 0.75, 1, 1.25, 1.5];

it('loses no row group by a bit of the footer', async () => {
  const content = write({
    columnData: [{ name: 'score', data: SCORES, type: 'DOUBLE' }],
    rowGroupSize: 2,
  });
  expect((await read(content)).rows).toHaveLength(6);
  const footer = new DataView(content.buffer).getUint32(content.byteLength - 8, true);
  for (const copy of flipped(content, content.byteLength - 8 - footer, content.byteLength - 8)) {
    const { rows, error } = await read(copy);
    if (error === undefined) expect(rows).toHaveLength(6);
  }
});

it('takes no value from behind a small page', async () => {
  const content = write({
    columnData: [{ name: 'score', data: SCORES, type: 'DOUBLE', encoding: 'PLAIN' }],
    codec: 'GZIP',
    compressors: { GZIP: (bytes) => gzipSync(bytes) },
    statistics: false,
  });
  expect((await read(content)).rows.map(({ score }) => score)).toEqual(SCORES);
  // The header of the page is behind the mark that begins the file.
  for (const copy of flipped(content, 4, 4 + 32))
    for (const { score } of (await read(copy)).rows) expect([...SCORES, null, undefined]).toContain(score);
});

it('takes no value that is not in the dictionary', async () => {
  const texts = ['a', 'b', 'c', 'd', 'e'];
  for (const nulls of [false, true]) {
    const data = Array.from({ length: 40 }, (_, i) => (nulls && i % 7 === 3 ? null : texts[i % 5]));
    const columnData = [
      { name: 'answer', data, type: 'STRING' as const, encoding: 'RLE_DICTIONARY' as const },
    ];
    const content = write({ columnData, codec: 'UNCOMPRESSED', statistics: false });
    expect((await read(content)).rows.map(({ answer }) => answer ?? null)).toEqual(data);
    const end = content.byteLength - 8 - new DataView(content.buffer).getUint32(content.byteLength - 8, true);
    let refused = 0;
    // The indexes of three bits each are the last bytes of the page.
    for (const copy of flipped(content, end - 12, end)) {
      const { rows, error } = await read(copy);
      if (error !== undefined) refused++;
      for (const [i, { answer = null }] of rows.entries())
        expect(data[i] === null ? [null] : texts).toContain(answer);
    }
    expect(refused).toBeGreaterThan(0);
  }
});

it('adds nothing to a text that begins with more of the text before than that has', async () => {
  const data = ['alpha', 'alphabet', 'al', 'beta', 'bet', 'better'];
  const columnData = [
    { name: 'answer', data, type: 'STRING' as const, encoding: 'DELTA_BYTE_ARRAY' as const },
  ];
  const content = write({ columnData, codec: 'UNCOMPRESSED', statistics: false });
  expect((await read(content)).rows.map(({ answer }) => answer)).toEqual(data);
  const end = content.byteLength - 8 - new DataView(content.buffer).getUint32(content.byteLength - 8, true);
  // Blocks of 128 lengths: of the beginnings, then of the rest.
  const start = Buffer.from(content).indexOf(Buffer.of(0x80, 0x01));
  let refused = 0;
  for (const copy of flipped(content, start, end)) {
    const { rows, error } = await read(copy);
    if (error !== undefined) refused++;
    for (const { answer } of rows) expect(String(answer)).not.toContain('\0\0');
  }
  expect(refused).toBeGreaterThan(0);
});

it('keeps a column named like the prototype of an object', async () => {
  const columnData = [{ name: '__proto__', data: ['a', 'b'], type: 'STRING' as const }];
  const { rows } = await read(write({ columnData }));
  expect(rows.map((row) => Object.entries(row))).toEqual([[['__proto__', 'a']], [['__proto__', 'b']]]);
});

it('moves no list to another row by a bit of its levels', async () => {
  const data = [[1], [2, 3], [], [4, 5, 6], [7], [8, 9]];
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'ids', converted_type: 'LIST' as const, repetition_type: 'OPTIONAL' as const, num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
    { name: 'element', type: 'INT32' as const, repetition_type: 'OPTIONAL' as const },
  ];
  const columnData = [{ name: 'ids', data, encoding: 'PLAIN' as const }];
  const content = write({ columnData, schema, codec: 'UNCOMPRESSED', statistics: false });
  expect((await read(content)).rows).toEqual(data.map((ids) => ({ ids })));
  const values = Buffer.from(content).indexOf(Buffer.of(1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0));
  for (const copy of flipped(content, values - 24, values)) {
    const { rows, error } = await read(copy);
    // Whether a list without values is there is one level.
    if (error === undefined) expect(rows.map(({ ids = [] }) => ids)).toEqual(data);
  }
});

it('reads an unsigned number that begins a page with 33 bits, as DuckDB writes it', async () => {
  const data = [4_000_000_000, 4_000_000_001, 5];
  const schema = [
    { name: 'root', num_children: 1 },
    {
      name: 'u',
      type: 'INT32' as const,
      converted_type: 'UINT_32' as const,
      repetition_type: 'REQUIRED' as const,
    },
  ];
  const columnData = [{ name: 'u', data, encoding: 'DELTA_BINARY_PACKED' as const }];
  const content = write({ columnData, schema, codec: 'UNCOMPRESSED', statistics: false });
  // Twice its distance from 2^32, minus one, and twice the number itself, in groups of seven bits.
  const [short, long] = [varint(2 * (2 ** 32 - 4_000_000_000) - 1), varint(8_000_000_000)];
  expect(short).toHaveLength(long.length);
  const at = Buffer.from(content).indexOf(Buffer.from(short));
  content.set(long, at);
  expect(at).toBeGreaterThan(0);
  expect((await read(content)).rows).toEqual(data.map((u) => ({ u })));
});

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

describe('Snappy', () => {
  it('copies what was unpacked before, by each kind of reference', () => {
    // "abcd", then four bytes from four back in two and in four bytes, then five from one back in one byte.
    const data = Uint8Array.of(17, 12, 97, 98, 99, 100, 14, 4, 0, 15, 4, 0, 0, 0, 5, 1);
    expect(String.fromCharCode(...unpackSnappy(data, 17))).toBe('abcdabcdabcdddddd');
  });

  it.each([
    ['a length below zero', [4, 0xfc, 0xfa, 0xff, 0xff, 0xff, 97], 'ends within its literals'],
    ['a reference before the beginning', [8, 12, 97, 98, 99, 100, 14, 5, 0], 'refers to bytes outside'],
    ['too few bytes', [8, 12, 97, 98, 99, 100], 'has 4 bytes, not 8'],
    ['an end within a number', [8, 12, 97, 98, 99, 100, 14, 4], 'ends early'],
  ])('is refused for %s', (_, data, message) => {
    expect(() => unpackSnappy(Uint8Array.from(data), data[0] ?? 0)).toThrow(message);
  });
});

/** One block of literals. */
function lz4Block(bytes: Uint8Array): Uint8Array {
  const [long, rest] = [bytes.byteLength >= 15, bytes.byteLength - 15];
  const lengths = long ? [...Array<number>(Math.floor(rest / 255)).fill(255), rest % 255] : [];
  return new Uint8Array([(long ? 15 : bytes.byteLength) << 4, ...lengths, ...bytes]);
}

/** With their sizes, as Hadoop writes them. */
function sized(block: Uint8Array, length: number): Uint8Array {
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32BE(length);
  sizes.writeUInt32BE(block.byteLength, 4);
  return Buffer.concat([sizes, block]);
}

type Case = readonly [what: string, codec: 'LZ4' | 'LZ4_RAW', pack: (bytes: Uint8Array) => Uint8Array];
const WHOLE: readonly Case[] = [
  ['a block', 'LZ4_RAW', lz4Block],
  ['a block of the older codec', 'LZ4', lz4Block],
  ['a block with its sizes', 'LZ4', (bytes) => sized(lz4Block(bytes), bytes.byteLength)],
];
const CUT: readonly Case[] = [
  ['that ends early', 'LZ4_RAW', (bytes) => lz4Block(bytes).subarray(0, -8)],
  ['that unpacks to less', 'LZ4_RAW', (bytes) => lz4Block(bytes.subarray(0, -8))],
  ['of the older codec that unpacks to less', 'LZ4', (bytes) => lz4Block(bytes.subarray(0, -8))],
];
const packed = (codec: Case[1], pack: Case[2]): Uint8Array =>
  write({
    columnData: [
      { name: 'score', data: SCORES, type: 'DOUBLE', encoding: 'PLAIN' },
      { name: 'answer', data: SCORES.map(() => null), type: 'STRING' },
    ],
    codec,
    compressors: { [codec]: (bytes: Uint8Array) => new Uint8Array(pack(bytes)) },
  });

it.each(WHOLE)('reads %s of LZ4, beside a column without any value', async (_, codec, pack) => {
  const { rows, error } = await read(packed(codec, pack));
  expect(error).toBeUndefined();
  expect(rows.map(({ score }) => score)).toEqual(SCORES);
});

it.each(CUT)('refuses a page of LZ4 %s', async (_, codec, pack) => {
  const { rows, error } = await read(packed(codec, pack));
  expect(rows).toEqual([]);
  expect(error?.message).toMatch(/the LZ4 data/);
});
