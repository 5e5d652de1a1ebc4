import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeFrame, encodeFrame, type Utf8 } from '../../shared/api/codec.ts';

const utf8: Utf8 = {
  encode: (text) => new TextEncoder().encode(text),
  decode: (bytes) => new TextDecoder().decode(bytes),
};
const roundTrip = (value: unknown): unknown => decodeFrame(encodeFrame(value, utf8), utf8);

// JSON has no −0. Keys that look like the codec's marker are generated on purpose.
const key = fc.oneof(
  fc.string(),
  fc.constantFrom('$array', '$$array', '$$$array', '$', 'array', '__proto__'),
);
const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  // JSON writes null for the last three.
  fc.double().map((n) => (n === 0 ? 0 : n)),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  fc.boolean(),
  fc.constant(null),
  fc.float32Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.uint8Array(),
);
const { wireValue } = fc.letrec<{ wireValue: unknown }>((tie) => ({
  wireValue: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    leaf,
    fc.array(tie('wireValue'), { maxLength: 5 }),
    fc.dictionary(key, tie('wireValue'), { maxKeys: 5 }),
  ),
}));

describe('codec', () => {
  test('every value the wire may carry survives encoding', () => {
    fc.assert(
      fc.property(wireValue, (value) => {
        expect(roundTrip(value)).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  test('user data that looks like the marker of an array stays user data', () => {
    const value = { $array: ['f32', 0, 4], nested: [{ $array: 1, $$array: { $array: null } }] };
    expect(roundTrip(value)).toEqual(value);
  });

  test('keeps every bit of a float array, including NaN', () => {
    const entropy = new Float32Array([0.1, Number.NaN, -0, Number.POSITIVE_INFINITY]);
    const copy = roundTrip({ entropy }) as { entropy: Float32Array };
    expect(new Uint32Array(copy.entropy.buffer)).toEqual(new Uint32Array(entropy.buffer));
  });

  test('views at odd offsets of a shared buffer, on both sides', () => {
    const backing = new ArrayBuffer(64);
    const ids = new Uint32Array(backing, 12, 5).fill(7);
    const frame = encodeFrame({ mask: new Uint8Array(backing, 3, 2), ids }, utf8);
    // As `ws` delivers frames: a Node Buffer inside a pool.
    const pool = Buffer.alloc(frame.byteLength + 5);
    pool.set(frame, 5);
    const decoded = decodeFrame(pool.subarray(5), utf8) as { mask: Uint8Array; ids: Uint32Array };
    expect(decoded.ids).toEqual(ids);
    expect([...decoded.mask]).toEqual([0, 0]);
    expect(decoded.ids.buffer.byteLength).toBe(20);
  });

  test('a Node Buffer travels as bytes, not as its toJSON form', () => {
    expect(roundTrip({ bytes: Buffer.from('hé') })).toEqual({ bytes: new TextEncoder().encode('hé') });
  });

  test.each<[string, unknown]>([
    ['Date', new Date(0)],
    ['Map', new Map()],
    ['Set', new Set()],
    ['BigInt', 1n],
    ['Float64Array', new Float64Array(1)],
    ['ArrayBuffer', new ArrayBuffer(1)],
    ['function', () => 0],
    ['Error', new Error('x')],
    ['RegExp', /x/],
  ])('refuses a %s instead of losing it', (_name, value) => {
    expect(() => encodeFrame({ deep: [value] }, utf8)).toThrow(TypeError);
  });

  test('absent fields stay absent', () => {
    expect(roundTrip({ a: undefined, b: 1 })).toStrictEqual({ b: 1 });
  });

  test('arrays that share bytes are refused', () => {
    const frame = (second: number): Uint8Array => {
      const head = Buffer.from(JSON.stringify([{ $array: ['u8', 0, 8] }, { $array: ['u8', second, 8] }]));
      const bytes = Buffer.alloc(Math.ceil((4 + head.length) / 8) * 8 + 16);
      bytes.writeUInt32LE(head.length);
      bytes.set(head, 4);
      return bytes;
    };
    expect(decodeFrame(frame(8), utf8)).toHaveLength(2);
    for (const second of [0, 7]) expect(() => decodeFrame(frame(second), utf8)).toThrow('overlap');
  });

  test('arbitrary bytes are refused or decoded, never anything else', () => {
    const frames = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      // A well-formed envelope around hostile markers.
      fc.tuple(fc.anything(), fc.anything(), fc.anything()).map(([type, offset, length]) => {
        const head = Buffer.from(
          JSON.stringify({ $array: [type, offset, length] }, (_k, v) => (typeof v === 'bigint' ? 0 : v)),
        );
        const frame = Buffer.alloc(4 + head.length + 16);
        frame.writeUInt32LE(head.length);
        frame.set(head, 4);
        return frame;
      }),
    );
    fc.assert(
      fc.property(frames, (frame) => {
        try {
          decodeFrame(frame, utf8);
        } catch (error) {
          expect(error instanceof RangeError || error instanceof SyntaxError).toBe(true);
        }
      }),
    );
  });

  test.each([
    ['a length past the end', ['f32', 0, 1_000_000]],
    ['a negative offset', ['u8', -8, 1]],
    ['a fraction', ['u8', 0.5, 1]],
    ['an inherited name as type', ['toString', 0, 0]],
    ['no triple at all', 7],
  ])('refuses %s', (_name, marker) => {
    const head = Buffer.from(JSON.stringify({ a: { $array: marker } }));
    const frame = Buffer.alloc(4 + head.length + 32);
    frame.writeUInt32LE(head.length);
    frame.set(head, 4);
    expect(() => decodeFrame(frame, utf8)).toThrow(RangeError);
  });
});
