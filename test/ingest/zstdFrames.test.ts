/** zstd data of several frames is split at frame ends, for any chunking. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chunksOf } from '../../electron/ingest/containers/bytes.ts';
import { ZstdFrames } from '../../electron/ingest/containers/zstdFrames.ts';
import { ingestHere, scratch } from '../support/library.ts';

function framesOf(bytes: Uint8Array, size: number): readonly Buffer[] {
  const splitter = new ZstdFrames();
  const frames: Buffer[] = [];
  let pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; at += size) {
    for (const piece of splitter.push(bytes.subarray(at, at + size))) {
      pieces.push(piece.bytes);
      if (!piece.isLast) continue;
      frames.push(Buffer.concat(pieces));
      pieces = [];
    }
  }
  if (pieces.length > 0) frames.push(Buffer.concat(pieces));
  return frames;
}

/** Kinds of frames: with and without checksum, raw and repeated blocks, empty, various content sizes. */
const frame = fc
  .tuple(
    fc.oneof(
      fc.string({ maxLength: 400 }),
      fc.nat(300_000).map((n) => 'ab'.repeat(n)),
    ),
    fc.boolean(),
  )
  .map(([content, hasChecksum]) => ({
    content,
    bytes: zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: Number(hasChecksum) } }),
  }));

it('cuts between frames', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 5 }), fc.integer({ min: 1, max: 70 }), (made, size) => {
      const found = framesOf(Buffer.concat(made.map(({ bytes }) => bytes)), size);
      expect(found.map((bytes) => zstdDecompressSync(bytes).toString())).toEqual(
        made.map(({ content }) => content),
      );
    }),
    { seed: 1, numRuns: 60 },
  );
});

it('treats a skippable frame as one of its own', () => {
  const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  const empty = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  const whole = Buffer.concat([skippable, zstdCompressSync('a'), empty, zstdCompressSync('b')]);
  for (let size = 1; size <= whole.byteLength; size++) {
    expect(framesOf(whole, size).map(({ byteLength }) => byteLength)).toEqual([
      11,
      zstdCompressSync('a').byteLength,
      8,
      zstdCompressSync('b').byteLength,
    ]);
  }
});

it('reports other data after a frame', () => {
  const whole = Buffer.concat([zstdCompressSync('a'), Buffer.from('plain text')]);
  for (const size of [1, 3, 1000]) expect(() => framesOf(whole, size)).toThrow(/not a zstd frame/);
});

it('reads a log of many small frames, also one that begins with a frame to skip', async () => {
  const place = scratch();
  try {
    const line = (i: number) =>
      `${JSON.stringify({ input: `user\n${i}\nassistant\n`, output: 'a', score: 1, step: 1 })}\n`;
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
    const frames = Array.from({ length: 3_000 }, (_, i) => zstdCompressSync(line(i)));
    const large = zstdCompressSync(`${' '.repeat(2 << 20)}\n${line(3_000)}`);
    const path = place.file('log.jsonl.zst', Buffer.concat([skippable, ...frames, large]));
    const { files } = await ingestHere(place.library, [path]);
    expect(files).toMatchObject([{ status: 'read', rollouts: 3_001, issues: [] }]);
  } finally {
    place.remove();
  }
});

it('reads a damaged frame up to the damage', async () => {
  const whole = zstdCompressSync('a\n'.repeat(100), { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const damaged = Buffer.from(whole);
  damaged[damaged.byteLength - 1] = (damaged.at(-1) ?? 0) ^ 1;
  const place = scratch();
  try {
    const path = place.file('a.zst', Buffer.concat([zstdCompressSync('first\n'), damaged]));
    const pieces: Buffer[] = [];
    const read = async () => {
      for await (const piece of chunksOf(path, 'zstd', 0)) pieces.push(Buffer.from(piece));
    };
    await expect(read()).rejects.toThrow(/damaged zstd data/);
    expect(Buffer.concat(pieces).toString()).toMatch(/^first\n/);
  } finally {
    place.remove();
  }
});
