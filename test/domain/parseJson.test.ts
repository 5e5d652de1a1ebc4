import { expect, it } from 'vitest';
import { parseJson } from '../../shared/domain/parseJson.ts';
import { readJson } from '../../shared/format/lenientJson.ts';

it.each([
  ['an array whose length would end the process', `[${'0,'.repeat(1 << 26)}0]`, '16777216 entries'],
  ['lists that would fill the memory', `[${'[],'.repeat(1 << 23)}[]]`, '8388608 objects, lists and fields'],
])('refuses %s', (_, text, excess) => {
  const message = `it has more than ${excess}`;
  expect(() => parseJson(text)).toThrow(message);
  expect(readJson(text)).toEqual({ ok: false, message });
});

it('parses a text of that length with fewer entries', () => {
  expect(parseJson(`["${'[a,'.repeat(1 << 26)}",0]`)).toHaveLength(2);
});
