/** Parquet files whose row groups are larger than what is decoded at once. */
import type * as fs from 'node:fs';
import { inflateSync } from 'node:zlib';
import { type ParquetWriteOptions, parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ParquetSource } from '../../electron/ingest/containers/parquet.ts';
import { type Scratch, scratch } from '../support/library.ts';

const { read } = vi.hoisted(() => ({ read: { bytes: 0 } }));
vi.mock('node:fs', async (original) => {
  const actual = await original<typeof fs>();
  const readSync = (
    ...[file, into, at, length, position]: [number, Uint8Array, number, number, number]
  ): number => {
    const bytes = actual.readSync(file, into, at, length, position);
    read.bytes += bytes;
    return bytes;
  };
  return { ...actual, readSync };
});

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

async function* rowsOf(content: Uint8Array, from = 0): AsyncGenerator<unknown> {
  const source = await ParquetSource.open(place.file('a.parquet', content));
  read.bytes = 0;
  try {
    for await (const records of source.records(from))
      for (const record of records) if ('bytes' in record) yield JSON.parse(String(record.bytes));
  } finally {
    await source.close();
  }
}

async function allRowsOf(content: Uint8Array, from: number): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for await (const row of rowsOf(content, from)) rows.push(row);
  return rows;
}

const write = (options: Omit<ParquetWriteOptions, 'writer'>): Uint8Array =>
  new Uint8Array(parquetWriteBuffer(options));

describe('a large row group', () => {
  const text = (i: number) => `${i} ${'It is 72. '.repeat(4000)}`;
  const indexes = Array.from({ length: 1_200 }, (_, i) => i);
  /** 120 MB of texts, in pages of 1 MiB. */
  const content = write({
    columnData: [
      { name: 'text', data: indexes.map(text), encoding: 'PLAIN' },
      {
        ...{ name: 'list', data: indexes.map((i) => [text(i), text(-i)].slice(i % 2)), encoding: 'PLAIN' },
      },
    ],
    schema: [
      { name: 'root', num_children: 2 },
      { name: 'text', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED', converted_type: 'UTF8' },
      { name: 'list', repetition_type: 'REQUIRED', converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED', converted_type: 'UTF8' },
    ],
    rowGroupSize: indexes.length,
  });

  it('is read once', async () => {
    let count = 0;
    for await (const row of rowsOf(content)) {
      const list = [text(count), text(-count)].slice(count % 2);
      if (count % 100 < 2) expect(row).toEqual({ text: text(count), list });
      count++;
    }
    expect(count).toBe(indexes.length);
    expect(read.bytes).toBeLessThan(1.1 * content.byteLength);
  });

  it('is read up to the page of the row that is asked for', async () => {
    for await (const row of rowsOf(content)) {
      expect(row).toMatchObject({ text: text(0) });
      break;
    }
    expect(read.bytes).toBeLessThan(0.1 * content.byteLength);
  });
});

it('lets the event loop turn on the way to a row in nested columns', async () => {
  const rows = Array.from({ length: 4_000 }, (_, i) => ['x'.repeat(100), String(i)]);
  const content = write({
    columnData: [{ name: 'list', data: rows, encoding: 'PLAIN' }],
    schema: [
      { name: 'root', num_children: 1 },
      { name: 'list', repetition_type: 'REQUIRED', converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED', converted_type: 'UTF8' },
    ],
    ...{ rowGroupSize: rows.length, pageSize: 10_000 },
  });
  let turns = 0;
  let timer = setImmediate(function turn() {
    turns++;
    timer = setImmediate(turn);
  });
  for await (const row of rowsOf(content, 3_990)) {
    expect(row).toEqual({ list: rows[3_990] });
    break;
  }
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(20);
});

describe('rows in several pages', () => {
  /** Written by pyarrow: pages of version 1, which begin and end within lists. */
  const SPANNING = inflateSync(
    Buffer.from(
      'eNp1ks1Kw0AUhW8m07GLoW68IQNZZNMQIQ1t7NQuurELQeiiuHYTS8BC/2zrD134KF36KD6Ja59A0TuZiqgUZu6ZZM65+bhk' +
        'eHbZQsA+9hMUdBAoAgBgtF1hqnBdqs20aaVlJSPr1qGV4NFPytxV3t2KkY/Pw/I5s8nMJrM0s3JipW1FW+lYObXSpcYxxgny' +
        '31y87OvKUtppk243uEmw9gf/ydRaia8thLYQ2kJoC6EthLYQOu1QmwCD/591qIApew1sN4O9Bm4mYwxcXWnwxWp0U0xz5KCZ' +
        '7+TIUAx6BoL7fDJerZEByjrzD4pJMS1m6zoMTC9k9M65Bk+qQCURBChVXYDqOnkZ+7YjeIm35bSi6kWABqsKPe9RRTJU54xB' +
        'TM1MnJVxakkJ6b04tKJnvosI6B0LFYEks/da8WRUJYE4XOTL27ti3RgtFo18uZw/hPfFcjWez8KM5p22VEKwhveN9pD+sy8U' +
        'w0dR',
      'base64',
    ),
  );
  const lists = [3, 0, 9, undefined, 1, 7].map((count, i) => ({
    ...(count === undefined ? {} : { a: Array.from({ length: count }, (_, j) => `${i}.${j}`) }),
    b: i,
  }));

  it.each([0, 1, 2, 3, 4, 5])('continue at row %i', async (from) => {
    expect(await allRowsOf(SPANNING, from)).toEqual(lists.slice(from));
  });

  it('are joined from columns whose pages end at other rows', async () => {
    const rows = Array.from({ length: 500 }, (_, i) => ({
      ...{ number: i, text: `\uFEFF${i}`.repeat(i % 40), long: `\uFEFF${'long '.repeat(1000)}${i >> 3}` },
      note: i % 3 === 0 ? null : `note ${i % 5}`,
    }));
    const content = write({
      columnData: (['number', 'text', 'long', 'note'] as const).map((name) => ({
        ...{ name, data: rows.map((row) => row[name]), nullable: true },
        type: name === 'number' ? ('INT32' as const) : ('STRING' as const),
      })),
      ...{ rowGroupSize: 300, pageSize: 1000 },
    });
    for (const from of [0, 1, 299, 300, 431])
      expect(await allRowsOf(content, from)).toEqual(rows.slice(from));
  });

  it('are read up to a damaged page', async () => {
    const texts = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat(100)}`);
    const content = write({
      columnData: [{ name: 'a', data: texts, type: 'STRING', encoding: 'PLAIN' }],
      ...{ pageSize: 1000, codec: 'UNCOMPRESSED' },
    });
    // The length of a text.
    const at = Buffer.from(content).indexOf('90 x') - 4;
    content.set([255, 255, 255, 127], at);
    const found: unknown[] = [];
    const reading = (async () => {
      for await (const row of rowsOf(content)) found.push(row);
    })();
    await expect(reading).rejects.toThrow(/the rows after \d+ of the Parquet file cannot be read/);
    expect(found.length).toBeGreaterThan(70);
    expect(found).toEqual(texts.slice(0, found.length).map((a) => ({ a })));
  });
});
