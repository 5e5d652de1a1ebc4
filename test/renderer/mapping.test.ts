import { describe, expect, it } from 'vitest';
import {
  fileNameOf,
  firstTarget,
  mappingFault,
  pathFault,
  pickedPath,
  previewable,
  previewRows,
  valueFor,
  withPath,
} from '../../renderer/views/mapping/mappingModel.ts';
import { oneLine, parsedRecord, treeRows } from '../../renderer/views/mapping/recordTreeModel.ts';
import type { Mapping } from '../../shared/format/mapping.ts';

const mapping: Mapping = {
  version: 1,
  name: 'ours',
  shape: ['q', 'samples'],
  rollouts: 'samples',
  fields: { response: 'txt', prompt: 'q' },
};
const record = { q: 'What?', samples: [{ txt: 'Four.', val: 1 }], meta: { step: 3 } };

describe('mapping', () => {
  it('takes a picked value inside the list of rollouts from the element', () => {
    expect(pickedPath(mapping, 'reward', ['samples', 0, 'val'])).toBe('val');
    expect(pickedPath(mapping, 'step', ['meta', 'step'])).toBe('meta.step');
    expect(pickedPath(mapping, 'rollouts', ['samples'])).toBe('samples');
    expect(pickedPath({ ...mapping, rollouts: 'other' }, 'reward', ['samples', 0, 'val'])).toBe(
      'samples[0].val',
    );
  });

  it('looks a field up in the first rollout, then in the record', () => {
    expect(valueFor(record, mapping, 'response')).toBe('Four.');
    expect(valueFor(record, mapping, 'prompt')).toBe('What?');
    expect(valueFor(record, mapping, 'reward')).toBeUndefined();
  });

  it('sets and clears paths', () => {
    expect(withPath(mapping, 'reward', 'val').fields.reward).toBe('val');
    expect(withPath(mapping, 'prompt', '').fields).toEqual({ response: 'txt' });
    expect('rollouts' in withPath(mapping, 'rollouts', undefined)).toBe(false);
  });

  it('reports what is missing, one thing at a time', () => {
    expect(mappingFault(mapping)).toBeUndefined();
    expect(mappingFault({ ...mapping, fields: { prompt: 'q' } })).toMatch(/messages or the response/);
    expect(mappingFault(withPath(mapping, 'reward', 'a.['))).toMatch(/reward/);
    expect(mappingFault({ ...mapping, shape: [] })).toMatch(/identifies/);
    expect(mappingFault({ ...mapping, name: '  ' })).toMatch(/name/);
    expect(pathFault('["a.b"].c')).toBeUndefined();
  });

  it('requests no preview while a path is typed, nor for a new name', () => {
    const sent = previewable({ ...withPath(mapping, 'reward', 'a.['), name: '' });
    expect(sent).toEqual({ ...mapping, name: 'preview', shape: [] });
  });

  it('begins with what is missing', () => {
    expect(firstTarget({ ...mapping, fields: {} })).toBe('response');
    expect(firstTarget(mapping)).toBe('reward');
  });

  it('has a row per rollout, and one for a record without any', () => {
    const rollout = {
      ...{ prompt: '', response: '', turns: 1, toolCalls: 0, groupKey: 'g' },
      ...{ groupRule: 'prompt' as const, kind: 'train' as const, signals: [] },
    };
    const issue = { severity: 'refused' as const, code: 'x', message: 'no response' };
    const one = { json: '{}', isCut: false, issues: [issue] };
    const { rows, rollouts, refused } = previewRows({
      records: [
        { ...one, number: 1, rollouts: Array.from({ length: 40 }, () => rollout) },
        { ...one, number: 3, rollouts: [] },
      ],
    });
    expect([rows.length, rollouts, refused]).toEqual([17, 40, 1]);
    expect(rows.map((row) => row.issues.length).reduce((a, b) => a + b)).toBe(2);
    expect(rows.at(-1)).toMatchObject({ record: 3, at: 1 });
  });

  it('writes a file name that every system takes', () => {
    expect(fileNameOf('our sampler/v2')).toBe('our-sampler-v2.mapping.json');
    expect(fileNameOf('..')).toBe('mapping.mapping.json');
  });
});

describe('a record as rows', () => {
  it('folds deep values and lists of plain values', () => {
    const rows = treeRows({ a: { b: { c: { d: 1 } } }, list: [1, 2, 3] }, new Set());
    expect(rows.map((row) => `${'  '.repeat(row.depth)}${row.name}: ${row.text}`)).toEqual([
      'a: 1 field',
      '  b: 1 field',
      '    c: 1 field: {"d":1}',
      'list: 3 numbers: [1,2,3]',
    ]);
    expect(treeRows({ list: ['x'] }, new Set(['list'])).map((row) => row.path)).toEqual(['list', 'list[0]']);
  });

  it('names the rest of a long list', () => {
    const list = Array.from({ length: 130 }, () => ({ a: 1 }));
    expect(treeRows({ list }, new Set()).at(-1)?.name).toBe('… 30 more');
  });

  it('parses a truncated record as far as possible', () => {
    const json = JSON.stringify(
      { q: 'What?', list: [{ a: 1 }, { a: 2 }], text: 'line\nlong "quoted" text', last: true },
      undefined,
      2,
    );
    expect(parsedRecord(json, false)).toHaveProperty('last', true);
    for (let end = 1; end < json.length; end += 1) {
      const read = parsedRecord(json.slice(0, end), true);
      if (end > json.indexOf('What') + 6) expect(read).toHaveProperty('q', 'What?');
    }
    const inText = parsedRecord(json.slice(0, json.indexOf('quoted')), true);
    expect(inText).toMatchObject({ text: 'line\nlong "…', list: [{ a: 1 }, { a: 2 }] });
    expect(parsedRecord('{"a": ', false)).toBeUndefined();
  });

  it('puts a value on one line', () => {
    expect(oneLine('a\n  b')).toBe('a b');
    expect(oneLine({ a: 'x'.repeat(50) }, 10)).toBe('{"a":"xxxx…');
    expect(
      oneLine(
        Array.from({ length: 1_000_000 }, () => 7),
        8,
      ),
    ).toBe('[7,7,7,7…');
  });
});
