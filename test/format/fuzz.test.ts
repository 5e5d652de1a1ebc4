/**
 * Records of every format, intact and broken in every way: nothing throws, hangs, or is dropped silently.
 * `npm run soak` does the same with many more.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMATS } from '../../shared/format/index.ts';
import { fuzzBytes, fuzzRecords } from '../support/fuzz.ts';
import { type CorpusFile, readCorpus } from '../support/fuzzRecords.ts';

let corpus: readonly CorpusFile[];
beforeAll(async () => {
  corpus = await readCorpus();
});

it('has records of every format', () => {
  const found = new Set(corpus.filter(({ texts }) => texts.length > 0).map(({ format }) => format));
  expect(FORMATS.filter(({ name }) => !found.has(name)).map(({ name }) => name)).toEqual([]);
});

describe.each(FORMATS.map(({ name }) => name))('%s', (format) => {
  const files = (): readonly CorpusFile[] => corpus.filter((file) => file.format === format);

  it('reads or refuses every record with fields missing, swapped, nested, of other types', () => {
    fuzzRecords(files(), { seed: 20_251, runs: 125 });
  });

  it('reads or refuses every record with damaged bytes', () => {
    fuzzBytes(files(), { seed: 20_252, runs: 60 });
  });
});
