/**
 * Files in containers and of every shape of JSON, after growing, truncation and replacement, equal the same
 * records as plain lines.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ZipSource } from '../../electron/ingest/containers/zip.ts';
import { zip } from '../../fixtures/generate/zip.ts';
import { contents, ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

interface Row {
  readonly input: string;
  readonly output: string;
  readonly score: number;
  readonly step: number;
}
const row = (i: number, output = `#### ${i}`): Row => ({
  input: `user\nproblem ${Math.floor(i / 2)}\nassistant\n`,
  output,
  score: i % 2,
  step: 1,
});
const rowsTo = (count: number): readonly Row[] => Array.from({ length: count }, (_, i) => row(i));
const lines = (found: readonly object[]): string => found.map((one) => `${JSON.stringify(one)}\n`).join('');

/** Result of a fresh ingest of these records, without line numbers and keys of the container. */
async function afresh(content: string | Uint8Array, name = '1.jsonl'): Promise<unknown> {
  const fresh = scratch();
  try {
    await ingestHere(fresh.library, [fresh.file(name, content)]);
    return textsOf(fresh.library);
  } finally {
    fresh.remove();
  }
}

function textsOf(library: string): unknown {
  const { rollouts, segments, steps } = contents(library);
  // The hash covers the bytes of the record, including line ends.
  return { rollouts: rollouts?.map(({ content_hash: _, ...rollout }) => rollout), segments, steps };
}

/** Rollout content only, for containers with equal records but different hashes. */
const saidIn = (library: string) =>
  rows(
    library,
    'SELECT r.step, r.ordinal, r.reward, s.turn, s.kind, s.text FROM rollout r JOIN segment s USING (rollout_id) ORDER BY r.line, s.ordinal',
  );

describe('a compressed file', () => {
  const packers = [
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const;

  it.each(packers)('in %s continues with an appended member', async (_name, pack) => {
    const path = place.file('1.jsonl', pack(lines(rowsTo(4))));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 4, issues: [] }]);
    appendFileSync(path, pack(lines([row(4), row(5), row(6)])));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'appended', rollouts: 7, issues: [] },
    ]);
    expect(textsOf(place.library)).toEqual(await afresh(lines(rowsTo(7))));
  });

  it.each(packers)('in %s truncated reports that, and is complete once it grows', async (_name, pack) => {
    // Long enough that the first half unpacks to whole lines, and not too compressible.
    const many = Array.from({ length: 600 }, (_, i) => row(i, `${(i * 7919) % 104_729} `.repeat(40)));
    const whole = pack(lines(many));
    const path = place.file('1.jsonl', whole.subarray(0, Math.floor(whole.byteLength / 2)));
    const [first] = (await ingestHere(place.library, [path])).files;
    expect(first?.rollouts).toBeLessThan(600);
    writeFileSync(path, whole);
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 600, issues: [] }]);
    expect(textsOf(place.library)).toEqual(await afresh(lines(many)));
  });

  it.each([
    ['text', Buffer.from('not gzip at all\n'.repeat(9000))],
    ['two bytes', Buffer.from('ab')],
    ['noise', Buffer.from(Array.from({ length: 5000 }, (_, i) => 1 + ((i * 7919) % 251)))],
  ])('in gzip keeps every record before %s behind its members', async (_name, rest) => {
    const members = [rowsTo(4), Array.from({ length: 900 }, (_, i) => row(4 + i, `${i} `.repeat(60)))];
    const packed = members.map((found) => gzipSync(lines(found)));
    const path = place.file('1.jsonl', Buffer.concat([...packed, rest]));
    const [report] = (await ingestHere(place.library, [path])).files;
    expect(report?.rollouts).toBe(904);
    expect(report?.issues).toMatchObject([
      {
        code: 'damaged',
        message: expect.stringMatching(/^the rest of the file, .* is not gzip; everything/),
      },
    ]);
    expect(textsOf(place.library)).toEqual(await afresh(lines(members.flat())));
  });

  it.each([1, 512, 70_000])('in gzip is read behind %i zeros', async (zeros) => {
    const members = [rowsTo(4), [row(4)], [row(5), row(6)]].map((found) => gzipSync(lines(found)));
    const gap = Buffer.alloc(zeros);
    const path = place.file('1.jsonl', Buffer.concat(members.flatMap((member) => [member, gap])));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 7, issues: [] }]);
    expect(textsOf(place.library)).toEqual(await afresh(lines(rowsTo(7))));
  });

  it('in gzip names what follows zeros and is not gzip', async () => {
    const path = place.file(
      '1.jsonl',
      Buffer.concat([gzipSync(lines(rowsTo(4))), Buffer.alloc(9), Buffer.from('text')]),
    );
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { rollouts: 4, issues: [{ code: 'damaged', message: expect.stringContaining('is not gzip') }] },
    ]);
  });

  it('in gzip is not opened again for each of very many zeros', async () => {
    const member = Buffer.concat([gzipSync(''), Buffer.alloc(1)]);
    const many = Buffer.concat(Array.from({ length: 2000 }, () => member));
    const path = place.file('1.jsonl', Buffer.concat([gzipSync(lines(rowsTo(4))), many]));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { rollouts: 4, issues: [{ code: 'damaged', message: expect.stringContaining('gaps of zeros') }] },
    ]);
  });

  it('in zstd names a frame to be skipped that is longer than the file', async () => {
    const skipped = Buffer.from('502a4d18ffffffff', 'hex');
    const frames = [zstdCompressSync(lines(rowsTo(4))), skipped, zstdCompressSync(lines([row(4)]))];
    const path = place.file('1.jsonl', Buffer.concat(frames));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      {
        rollouts: 4,
        issues: [{ code: 'damaged', message: expect.stringContaining('bytes more than the file') }],
      },
    ]);
  });

  it.each(packers)('in %s damaged midway keeps the records before, with a report', async (_name, pack) => {
    const half = pack(lines(Array.from({ length: 600 }, (_, i) => row(i, `${i} `.repeat(100)))));
    const broken = Buffer.from(pack(lines(rowsTo(4))));
    // After the header of the member: a block of an invalid type.
    broken.fill(0xff, 10, 16);
    const path = place.file('1.jsonl', Buffer.concat([half, broken]));
    const [report] = (await ingestHere(place.library, [path])).files;
    expect(report?.rollouts).toBe(600);
    expect(report?.issues.map(({ code }) => code)).toContain('damaged');
  });
});

describe('bytes of zero', () => {
  const zeros = '\0'.repeat(500);

  it.each([
    ['a line of their own', `${zeros}\n${lines(rowsTo(4))}`, 1],
    ['the beginning of a line', `${lines(rowsTo(2))}${zeros}{}\n${lines([row(2), row(3)])}`, 3],
  ])('in %s of a log are an issue of that line', async (_name, text, line) => {
    const { files } = await ingestHere(place.library, [place.file('1.jsonl', text)]);
    expect(files).toMatchObject([{ rollouts: 4, issues: [{ line, severity: 'refused' }] }]);
  });

  it('in a file that is no text are one issue of the file', async () => {
    const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 256));
    const { files } = await ingestHere(place.library, [place.file('1.jsonl', bytes)]);
    expect(files).toMatchObject([{ status: 'refused', issues: [{ code: 'binary' }] }]);
  });
});

describe('a JSON array', () => {
  const array = (found: readonly object[], indent?: number) => JSON.stringify(found, undefined, indent);

  it.each([undefined, 2])('reads like lines, indented by %s', async (indent) => {
    const path = place.file('1.json', array(rowsTo(5), indent));
    const { files } = await ingestHere(place.library, [path]);
    expect(files).toMatchObject([{ format: 'verl', rollouts: 5, issues: [] }]);
    const fresh = scratch();
    await ingestHere(fresh.library, [fresh.file('1.jsonl', lines(rowsTo(5)))]);
    expect(saidIn(place.library)).toEqual(saidIn(fresh.library));
    fresh.remove();
  });

  it('continues when it grows, with or without its bracket', async () => {
    const path = place.file('1.json', array(rowsTo(3)).slice(0, -1));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 3 }]);
    writeFileSync(path, array(rowsTo(5)).slice(0, -9));
    // The last element is truncated: it waits, and the report states that.
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'appended', rollouts: 4, issues: [{ code: 'incomplete_line' }] },
    ]);
    writeFileSync(path, array(rowsTo(5)));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 5, issues: [] }]);
    expect(rows(place.library, 'SELECT line FROM rollout ORDER BY line')).toEqual(
      [1, 2, 3, 4, 5].map((line) => ({ line })),
    );
  });

  it('of one line of more than 2 MB, with an element longer than the detection window', async () => {
    const long = [row(0, 'x'.repeat(1_500_000)), row(1, 'y'.repeat(900_000)), row(2)];
    const { files } = await ingestHere(place.library, [place.file('1.json', array(long))]);
    expect(files).toMatchObject([{ format: 'verl', rollouts: 3, issues: [] }]);
    expect(rows(place.library, 'SELECT response_chars AS n FROM rollout ORDER BY line')).toEqual([
      { n: 1_500_000 },
      { n: 900_000 },
      { n: 6 },
    ]);
  });

  it('of messages is one conversation', async () => {
    const conversation = [
      { role: 'user', content: 'Which is larger?' },
      { role: 'assistant', content: 'The second.' },
    ];
    const path = place.file('chat.json', array(conversation, 2));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { format: 'messages', rollouts: 1, issues: [] },
    ]);
  });
});

describe('lines', () => {
  const chat = (i: number) => [
    { role: 'user', content: `Question ${i}` },
    { role: 'assistant', content: `Answer ${i}` },
  ];

  it('that are bare lists of messages are one conversation each, and can grow', async () => {
    const path = place.file('chats.jsonl', lines([chat(1), chat(2)]));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { format: 'messages', rollouts: 2, issues: [] },
    ]);
    appendFileSync(path, lines([chat(3)]));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'appended', rollouts: 3, issues: [] },
    ]);
  });

  it('that end with CRLF are the same lines, also when appended', async () => {
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    const path = place.file('1.jsonl', crlf(lines(rowsTo(3))));
    await ingestHere(place.library, [path]);
    appendFileSync(path, crlf(lines([row(3), row(4)])));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'appended', rollouts: 5, issues: [] },
    ]);
    expect(textsOf(place.library)).toEqual(await afresh(lines(rowsTo(5))));
  });

  it('of consecutive pretty-printed objects are one record each, and can grow', async () => {
    const pretty = (found: readonly object[]) =>
      found.map((one) => `${JSON.stringify(one, undefined, 2)}\n`).join('');
    const path = place.file('1.json', pretty(rowsTo(3)));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 3, issues: [] }]);
    appendFileSync(path, pretty([row(3)]));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'appended', rollouts: 4, issues: [] },
    ]);
  });

  it('without content are read, too', async () => {
    const silent = { ...row(0), output: '' };
    const path = place.file('1.jsonl', lines([silent, silent]));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 2, issues: [] }]);
    expect(rows(place.library, 'SELECT response_chars AS n FROM rollout')).toEqual([
      { n: null },
      { n: null },
    ]);
  });
});

describe('a rewritten container', () => {
  it('as Parquet replaces what was read of it', async () => {
    const write = (found: readonly Row[]) =>
      new Uint8Array(
        parquetWriteBuffer({
          columnData: (['input', 'output', 'score', 'step'] as const).map((name) => ({
            name,
            data: found.map((one) => one[name]),
            type: name === 'score' || name === 'step' ? ('DOUBLE' as const) : ('STRING' as const),
          })),
        }),
      );
    const path = place.file('1.parquet', write(rowsTo(3)));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 3, issues: [] }]);
    writeFileSync(path, write([...rowsTo(2), row(2, 'other'), row(3)]));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'read', rollouts: 4, issues: [] },
    ]);
    expect(saidIn(place.library).at(-3)).toMatchObject({ text: 'other' });
  });

  it('as a zip archive replaces what was read of it; one without directory is damaged', async () => {
    const sample = (id: number) =>
      JSON.stringify({
        id,
        epoch: 1,
        input: 'Two and two?',
        target: '4',
        messages: [
          { role: 'user', content: 'Two and two?' },
          { role: 'assistant', content: `Answer ${id}` },
        ],
        scores: { match: { value: 'C', answer: '4' } },
      });
    const archive = (ids: readonly number[]) =>
      zip(
        {
          ...Object.fromEntries(ids.map((id) => [`samples/${id}_epoch_1.json`, sample(id)])),
          'header.json': JSON.stringify({ version: 2, eval: { run_id: 'r', task: 't', model: 'm' } }),
        },
        'deflated',
      );
    const path = place.file('log.eval', archive([1, 2]));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([{ rollouts: 2, issues: [] }]);
    writeFileSync(path, archive([1, 2, 3]));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'read', rollouts: 3, issues: [] },
    ]);
    const damaged = archive([1, 2, 3]);
    damaged.fill(0xff, 60, 70);
    writeFileSync(path, damaged);
    // An interrupted read goes on behind the damaged member, which is named nevertheless.
    for (const from of [0, 2]) {
      const source = await ZipSource.open(path);
      const read = async () => {
        for await (const _ of source.records(from));
      };
      await expect(read()).rejects.toThrow('samples/1_epoch_1.json');
      await source.close();
    }
    writeFileSync(path, archive([1, 2, 3]));
    // The event loop turns on the way there, because the process would be ended if it took long.
    let turns = 0;
    let timer = setImmediate(function turn() {
      turns++;
      timer = setImmediate(turn);
    });
    const source = await ZipSource.open(path);
    const before = turns;
    for await (const _ of source.records(3));
    clearImmediate(timer);
    await source.close();
    expect(turns - before).toBeGreaterThanOrEqual(3);
    writeFileSync(path, archive([1, 2, 3]).subarray(0, 300));
    expect((await ingestHere(place.library, [path])).files).toMatchObject([
      { status: 'refused', issues: [{ code: 'damaged' }] },
    ]);
  });
});
