import { expect, it } from 'vitest';
import { parseJson } from '../../shared/domain/parseJson.ts';
import { readJson } from '../../shared/format/lenientJson.ts';

it('refuses an array whose length would end the process', () => {
  const text = `[${'0,'.repeat(1 << 26)}0]`;
  expect(() => parseJson(text)).toThrow('it has more than 67108864 commas');
  expect(readJson(text)).toEqual({ ok: false, message: 'it has more than 16777216 entries' });
});

it('parses a text of that length with fewer entries', () => {
  expect(parseJson(`["${'a'.repeat(1 << 27)}",0]`)).toHaveLength(2);
});
