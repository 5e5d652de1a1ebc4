/** Names of runs that are shown together are distinct. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distinctNames, type NamedRun, namesWithModels, partsApart } from '../../renderer/data/runNames.ts';

const run = (name: string, more: Partial<NamedRun> = {}): NamedRun => ({
  name,
  runKey: 'k',
  directory: '/logs',
  kind: 'train',
  ...more,
});

describe('names of runs', () => {
  it('are unchanged if they differ', () => {
    expect(distinctNames([run('a'), run('b', { runKey: 'l' })])).toEqual(['a', 'b']);
  });

  it('get the part of the directory that differs', () => {
    const of = (directory: string, runKey: string) => run('grpo', { directory, runKey });
    expect(distinctNames([of('/logs/x/seed1/out', '1'), of('/logs/x/seed2/out', '2'), run('other')])).toEqual(
      ['grpo · seed1', 'grpo · seed2', 'other'],
    );
    expect(distinctNames([of('/logs', '1'), of('/logs/b', '2')])).toEqual(['grpo · logs', 'grpo · b']);
  });

  it('of one directory get their keys, from where these differ', () => {
    expect(distinctNames([run('a', { runKey: 'k1' }), run('a', { runKey: 'k2' })])).toEqual([
      'a · k1',
      'a · k2',
    ]);
    const long = 'x'.repeat(40);
    expect(partsApart([run('a', { runKey: `${long}1` }), run('a', { runKey: `${long}2` })])).toEqual([
      '…1',
      '…2',
    ]);
  });

  it('have the model behind them, if the log has one', () => {
    const runs = [{ ...run('a'), model: 'gpt-4o' }, { ...run('a', { kind: 'eval' }) }];
    expect(namesWithModels(runs)).toEqual(['a · training · gpt-4o', 'a · evaluation']);
    expect(namesWithModels([{ ...run('mmlu · gpt-4o'), model: 'gpt-4o' }])).toEqual(['mmlu · gpt-4o']);
  });

  it('add training or evaluation, and the library, first', () => {
    const both = [run('a'), run('a', { kind: 'eval' })];
    expect(distinctNames(both)).toEqual(['a · training', 'a · evaluation']);
    expect(distinctNames(both, { isKindSaid: true })).toEqual(['a', 'a']);
    expect(distinctNames([run('a'), run('a', { libraryName: 'old' })])).toEqual(['a', 'a · old']);
  });

  it('distinguish 2,000 runs of the same name', () => {
    const sweep = Array.from({ length: 2_000 }, (_, i) =>
      run('grpo', { runKey: `${'x'.repeat(80)}${i}-seed`, kind: i % 2 === 0 ? 'train' : 'eval' }),
    );
    const parts = partsApart(sweep);
    expect(parts.slice(0, 3)).toEqual(['training · …0', 'evaluation · …1', 'training · …2']);
    expect(new Set(parts).size).toBe(2_000);
  });

  it('are never equal', () => {
    const text = fc.constantFrom('a', 'b', 'a/b', '');
    const any = fc.record({
      name: fc.constantFrom('n', 'm'),
      runKey: fc.string({ maxLength: 60 }),
      directory: text,
      kind: fc.constantFrom('train' as const, 'eval' as const),
    });
    fc.assert(
      fc.property(fc.uniqueArray(any, { selector: ({ runKey }) => runKey, maxLength: 6 }), (runs) => {
        expect(new Set(distinctNames(runs)).size).toBe(runs.length);
      }),
    );
  });
});
