/** Splits bytes into JSON values: equal to JSON.parse of the whole, for any chunking. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonSplitter } from '../../shared/format/jsonSplitter.ts';

interface Found {
  readonly value: unknown;
  readonly offset: number;
  readonly nextOffset: number;
}

/** Reuses one buffer for all chunks, like a file reader, so that a splitter that keeps a view of it fails. */
function split(
  bytes: Uint8Array,
  unit: 'elements' | 'values',
  size: number,
  from = 0,
): { readonly found: readonly Found[]; readonly rest: string | undefined } {
  const splitter = new JsonSplitter(from, unit);
  const buffer = new Uint8Array(size);
  const found: Found[] = [];
  for (let at = from; at < bytes.byteLength; at += size) {
    const part = bytes.subarray(at, at + size);
    buffer.set(part);
    for (const piece of splitter.push(buffer.subarray(0, part.byteLength))) {
      if (!('bytes' in piece)) throw new Error('no limit was set');
      const value: unknown = JSON.parse(text(piece.bytes));
      found.push({ value, offset: piece.offset, nextOffset: piece.nextOffset });
    }
  }
  const rest = splitter.rest();
  return { found, rest: rest === undefined ? undefined : text(rest.bytes) };
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: false }) as fc.Arbitrary<unknown>;
const space = fc.constantFrom('', ' ', '\n', '\r\n\t', '  \n ');
const chunk = fc.integer({ min: 1, max: 9 });
const indent = fc.constantFrom(undefined, 1, '\t');

const array = fc.record({ values: fc.array(value, { maxLength: 6 }), indent, before: space, after: space });
const arrayText = ({
  values,
  indent: by,
  before,
  after,
}: {
  values: unknown[];
  indent: number | string | undefined;
  before: string;
  after: string;
}): string => before + JSON.stringify(values, undefined, by) + after;

it('hands over the elements of an array', () => {
  fc.assert(
    fc.property(array, chunk, (made, size) => {
      const bytes = Buffer.from(arrayText(made));
      const { found, rest } = split(bytes, 'elements', size);
      expect(found.map((one) => one.value)).toEqual(JSON.parse(bytes.toString('utf8')));
      expect(rest).toBeUndefined();
      for (const one of found) {
        expect(JSON.parse(bytes.subarray(one.offset, one.nextOffset).toString('utf8'))).toEqual(one.value);
      }
    }),
    { seed: 1, numRuns: 400 },
  );
});

it('continues at any reported position', () => {
  fc.assert(
    fc.property(array, chunk, chunk, (made, size, later) => {
      const bytes = Buffer.from(arrayText(made));
      const { found } = split(bytes, 'elements', size);
      found.forEach((one, i) => {
        expect(split(bytes, 'elements', later, one.nextOffset).found).toEqual(found.slice(i + 1));
      });
    }),
    { seed: 2, numRuns: 200 },
  );
});

it('hands over objects and arrays one after another, with any space between', () => {
  const values = fc.array(
    fc.tuple(fc.oneof(fc.dictionary(fc.string(), value), fc.array(value)), indent, space),
    {
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(values, chunk, (made, size) => {
      const whole = made.map(([one, by, after]) => JSON.stringify(one, undefined, by) + after).join('');
      const { found, rest } = split(Buffer.from(whole), 'values', size);
      expect(found.map((one) => one.value)).toEqual(made.map(([one]) => JSON.parse(JSON.stringify(one))));
      expect(rest).toBeUndefined();
      found.forEach((one, i) => {
        expect(split(Buffer.from(whole), 'values', size, one.nextOffset).found).toEqual(found.slice(i + 1));
      });
    }),
    { seed: 3, numRuns: 300 },
  );
});

it('keeps an incomplete value as the rest', () => {
  fc.assert(
    fc.property(array, fc.nat(), chunk, (made, where, size) => {
      const bytes = Buffer.from(arrayText(made));
      const cut = bytes.subarray(0, where % (bytes.byteLength + 1));
      const whole = split(bytes, 'elements', size).found;
      // A number at the end may continue, so it is the rest.
      const { found } = split(cut, 'elements', size);
      expect(found).toEqual(whole.slice(0, found.length));
      expect(whole.filter((one) => one.nextOffset < cut.byteLength).length).toBeLessThanOrEqual(found.length);
    }),
    { seed: 4, numRuns: 400 },
  );
});

it('skips values beyond the limit, and reads the next', () => {
  const bytes = Buffer.from('[{"a": 1}, {"long": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}, {"b": 2}]');
  for (let size = 1; size <= bytes.byteLength; size++) {
    const splitter = new JsonSplitter(0, 'elements', 20);
    const found: string[] = [];
    for (let at = 0; at < bytes.byteLength; at += size) {
      for (const piece of splitter.push(bytes.subarray(at, at + size))) {
        found.push('bytes' in piece ? text(piece.bytes) : `too long: ${piece.tooLong}`);
      }
    }
    expect(found).toEqual(['{"a": 1}', 'too long: 42', '{"b": 2}']);
  }
});

it.each(['[1, 2', '[{"a": "]"}, {"b', '{"a": [1, 2]', '"\\', '', '[', '[]', '[[]]]]', '}{', '\ufeff[1]'])(
  'survives %j',
  (odd) => {
    for (const unit of ['elements', 'values'] as const) {
      for (let size = 1; size < 5; size++) {
        const splitter = new JsonSplitter(0, unit);
        const bytes = Buffer.from(odd);
        for (let at = 0; at < bytes.byteLength; at += size) {
          for (const piece of splitter.push(bytes.subarray(at, at + size))) {
            expect('bytes' in piece && piece.nextOffset).toBeLessThanOrEqual(bytes.byteLength);
          }
        }
      }
    }
  },
);
