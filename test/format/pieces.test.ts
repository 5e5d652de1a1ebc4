import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, decodePacked, textOfByteTokens } from '../../shared/format/binary.ts';
import { hasRoundedInteger, readJson, withExactIntegers } from '../../shared/format/lenientJson.ts';
import { LineSplitter } from '../../shared/format/lineSplitter.ts';
import { linesOf } from '../support/logDump.ts';

describe('LineSplitter', () => {
  const text = fc.array(fc.constantFrom('a', '\n', '\r\n', 'é', '🧮', '', 'long '.repeat(9)), {
    maxLength: 40,
  });

  it('splits text into lines with file offsets, in chunks of any size', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (pieces, chunkSize) => {
        const bytes = Buffer.from(pieces.join(''));
        const expected = pieces
          .join('')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''));
        if (expected.at(-1) === '') expected.pop();
        expect(linesOf(bytes, chunkSize).map((line) => Buffer.from(line).toString())).toEqual(expected);
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  it('skips a line beyond the limit and continues after it', () => {
    const splitter = new LineSplitter(0, 5);
    const found = [
      ...splitter.push(Buffer.from('ok\n1234')),
      ...splitter.push(Buffer.from('567890\nfine\n')),
    ];
    expect(
      found.map((line) => ('bytes' in line ? Buffer.from(line.bytes).toString() : line.tooLong)),
    ).toEqual(['ok', 10, 'fine']);
    expect(found.at(-1)).toMatchObject({ nextOffset: 19 });
  });
});

describe('readJson', () => {
  it('reads NaN and infinities outside strings as unknown, and only those', () => {
    const reading = readJson('{"a": NaN, "b": [-Infinity, 1], "c": "NaN \\" Infinity"}');
    expect(reading).toMatchObject({ ok: true, value: { a: null, b: [null, 1], c: 'NaN " Infinity' } });
    expect(reading.ok && reading.warnings).toHaveLength(1);
    expect(readJson('{"a": undefined}').ok).toBe(false);
    expect(readJson('{"a": NaNa}').ok).toBe(false);
  });

  it('keeps integers that a double cannot hold', () => {
    const text =
      '{"seed": 12345678901234567890, "n": 3, "s": "12345678901234567890", "f": 1.2345678901234567890}';
    expect(hasRoundedInteger(JSON.parse(text))).toBe(true);
    expect(withExactIntegers(text)).toMatchObject({
      seed: '12345678901234567890',
      n: 3,
      s: '12345678901234567890',
    });
  });
});

describe('packed numbers', () => {
  it('decode what a little-endian writer wrote', () => {
    const base64 = (values: { buffer: ArrayBufferLike }) => Buffer.from(values.buffer).toString('base64');
    expect(decodePacked(`f32:${base64(Float32Array.of(1.5, Number.NaN, -2))}`)).toEqual(
      Float32Array.of(1.5, Number.NaN, -2),
    );
    expect(decodePacked(`i32:${base64(Int32Array.of(-7, 151643))}`)).toEqual(Int32Array.of(-7, 151643));
    expect(decodePacked(`u8:${base64(Uint8Array.of(0, 1, 255))}`)).toEqual(Uint8Array.of(0, 1, 255));
    // 1, −2, the smallest subnormal, infinity, NaN
    expect(decodePacked(`f16:${base64(Uint16Array.of(0x3c00, 0xc000, 1, 0x7c00, 0x7e00))}`)).toEqual(
      Float32Array.of(1, -2, 2 ** -24, Number.POSITIVE_INFINITY, Number.NaN),
    );
    expect(decodePacked('f32:AAA')).toBeUndefined();
    expect(decodePacked('f64:AAAA')).toBeUndefined();
    expect(decodeBase64('not base64!')).toBeUndefined();
  });

  it('base64 agrees with Node for all bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(decodeBase64(Buffer.from(bytes).toString('base64'))).toEqual(bytes);
      }),
      { seed: 5 },
    );
  });

  it('byte tokens decode to the text wherever it is cut, and never split a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        (text, size) => {
          const bytes = Buffer.from(text.toWellFormed());
          const tokens = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
            bytes.subarray(i * size, (i + 1) * size),
          );
          const decoded = textOfByteTokens(tokens);
          expect(decoded.text).toBe(bytes.toString());
          for (const end of decoded.ends) expect(decoded.text.slice(0, end).isWellFormed()).toBe(true);
          expect(decoded.ends.at(-1) ?? 0).toBe(decoded.text.length);
        },
      ),
      { seed: 6 },
    );
  });
});
