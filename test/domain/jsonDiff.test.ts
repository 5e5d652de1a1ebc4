import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonChange, jsonDiff } from '../../shared/domain/jsonDiff.ts';
import { compactJson, indentedJson, readJson } from '../../shared/domain/jsonText.ts';
import { readCallPayload } from '../../shared/domain/toolCallPayload.ts';

const draw = (changes: readonly JsonChange[] | undefined): readonly string[] | undefined =>
  changes?.map((change) => {
    const path = change.path.join('.');
    if (change.kind === 'added') return `+ ${path} ${change.b}`;
    if (change.kind === 'removed') return `- ${path} ${change.a}`;
    return `~ ${path} ${change.a} → ${change.b}`;
  });

const CASES: Readonly<
  Record<string, readonly [a: string, b: string, changes: readonly string[] | undefined]>
> = {
  'order of keys and white space are no difference': ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }', []],
  'spelling of strings and numbers is none': ['["\\u0041", 1.0, 1e2, -0]', '["A", 1, 100, 0]', []],
  'a value changed': ['{"code":"x","input":""}', '{"code":"y","input":""}', ['~ code "x" → "y"']],
  'keys come and go': ['{"a":1,"b":[2]}', '{"a":1,"c":{}}', ['- b [2]', '+ c {}']],
  nested: ['{"a":{"b":[1,{"c":2}]}}', '{"a":{"b":[1,{"c":3}]}}', ['~ a.b.1.c 2 → 3']],
  'an item in front is one change': ['[1,2,3]', '[0,1,2,3]', ['+ 0 0']],
  'an item gone is one change': ['["a","b","c"]', '["a","c"]', ['- 1 "b"']],
  'integers beyond 2^53 keep their digits': [
    '{"id":9007199254740993}',
    '{"id":9007199254740992}',
    ['~ id 9007199254740993 → 9007199254740992'],
  ],
  'kinds differ': ['{"a":"1"}', '{"a":1}', ['~ a "1" → 1']],
  'a key of the prototype is a key': [
    '{"__proto__":1,"constructor":2}',
    '{}',
    ['- __proto__ 1', '- constructor 2'],
  ],
  'of a key given twice the last counts': ['{"a":1,"a":2}', '{"a":2}', []],
  'the whole text': ['1', '[1]', ['~  1 → [1]']],
  'not JSON': ['{"a":1', '{}', undefined],
  empty: ['', '{}', undefined],
};

describe('jsonDiff', () => {
  it.each(Object.entries(CASES))('%s', (_, [a, b, changes]) => {
    expect(draw(jsonDiff(a, b))).toEqual(changes);
  });

  it('finds nothing between equal values, and something between different ones', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [JSON.stringify(one), JSON.stringify(other, undefined, 2)];
        expect(jsonDiff(a, JSON.stringify(one, undefined, 2))).toEqual([]);
        const isEqual = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(jsonDiff(a, b)?.length === 0).toBe(isEqual);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('mirrors when the sides are swapped', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
        const counts = (changes: readonly JsonChange[] = []): readonly number[] =>
          (['added', 'removed', 'changed'] as const).map(
            (kind) => changes.filter((each) => each.kind === kind).length,
          );
        const [added, removed, changed] = counts(jsonDiff(a, b));
        // Array alignment may differ by side, but the difference in length may not.
        const [addedBack = 0, removedBack = 0] = counts(jsonDiff(b, a));
        expect((added ?? 0) - (removed ?? 0)).toBe(removedBack - addedBack);
        expect(changed).toBeGreaterThanOrEqual(0);
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  it('reads long strings and refuses deep nesting', () => {
    const long = JSON.stringify({ code: 'x\\n"'.repeat(500_000) });
    expect(jsonDiff(long, long)).toEqual([]);
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    expect(jsonDiff(deep, deep)).toBeUndefined();
    expect(jsonDiff(`${'['.repeat(100)}${']'.repeat(100)}`, '[]')).toHaveLength(1);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return ['object', ...entries.map(([key, each]) => [key, sorted(each)])];
}

describe('JSON with source text', () => {
  it('equals JSON.stringify for values that survive it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // −0 is written as 0, so it does not survive.
        const text = JSON.stringify(value);
        const node = readJson(text);
        if (node === undefined) throw new Error('it is JSON');
        expect(compactJson(node)).toBe(text);
        expect(indentedJson(node)).toBe(JSON.stringify(JSON.parse(text), undefined, 2));
      }),
    );
  });

  it('is not read if it has more values than a page can show', () => {
    expect(readJson(`[${'[],'.repeat(60_000)}1]`)).toBeUndefined();
    expect(readJson(`[${'[],'.repeat(40_000)}1]`)).toBeDefined();
  });

  it('keeps numbers that a parser rounds, and reads escapes', () => {
    const node = readJson('{"id": 12345678901234567890, "x": 1.0, "name": "\\u00e9"}');
    expect(node && compactJson(node)).toBe('{"id":12345678901234567890,"x":1.0,"name":"é"}');
  });

  it('is kept in the arguments of a call', () => {
    const payload = '{"name": "book", "arguments": {"id": 12345678901234567891, "n": 2}}';
    expect(readCallPayload(payload)).toMatchObject({ arguments: '{"id":12345678901234567891,"n":2}' });
    const deep = `{"name": "f", "arguments": {"a": ${'['.repeat(300)}1e5${']'.repeat(300)}}}`;
    expect(readCallPayload(deep).isWellFormed).toBe(true);
  });
});
