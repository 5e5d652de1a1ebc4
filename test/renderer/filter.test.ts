import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsOf, filterLinkOf } from '../../renderer/data/filterLink.ts';
import { filterParts } from '../../renderer/widgets/filter/FilterChips.tsx';
import { commandLine } from '../../renderer/widgets/filter/FilterMenu.tsx';
import { readFilter } from '../../shared/domain/filter/parse.ts';
import { shellWord } from '../../shared/domain/shellWord.ts';

const partsOf = (text: string) => {
  const read = readFilter(text);
  if (!read.ok) throw new Error(read.fault.message);
  return filterParts(read.node);
};

describe('the filter of a page', () => {
  it('comes from the link', () => {
    const link = filterLinkOf(new URLSearchParams({ q: 'reward:0 ' }));
    expect(link).toMatchObject({ applied: 'reward:0', fault: undefined });
  });

  it('an invalid link filters nothing, and explains it', () => {
    const link = filterLinkOf(new URLSearchParams({ q: 'reward:high' }));
    expect(link).toMatchObject({
      text: 'reward:high',
      applied: '',
      node: { kind: 'all' },
      fault: { start: 7 },
    });
  });

  it('splits into removable conditions', () => {
    expect(partsOf('')).toEqual([]);
    expect(partsOf('kept:true')).toEqual([{ text: 'kept:true', without: '' }]);
    expect(partsOf('a or b')).toEqual([{ text: '(a or b)', without: '' }]);
    expect(partsOf('(a or b) kept:none -wait')).toEqual([
      { text: '(a or b)', without: 'kept:none not wait' },
      { text: 'kept:none', without: '(a or b) not wait' },
      { text: 'not wait', without: '(a or b) kept:none' },
    ]);
  });
});

describe('the same list from a shell', () => {
  it('names the library, the run and the filter', () => {
    expect(
      commandLine({ filter: 'reward:0 "double-check"', runKey: 'r 1', libraryPath: '/tmp/a.sqlite' }),
    ).toBe(`turnwise rollouts --library=/tmp/a.sqlite --run='r 1' --filter='reward:0 "double-check"'`);
    // After a blank it would be a separate option.
    expect(commandLine({ filter: '-kept:true', runKey: '-x', libraryPath: undefined })).toBe(
      'turnwise rollouts --run=-x --filter=-kept:true',
    );
    expect(commandLine({ filter: '', runKey: undefined, libraryPath: undefined })).toBe('turnwise rollouts');
  });

  it('quotes a value as one word for the shell', () => {
    const words = fc.sample(
      fc.string({
        unit: fc.constantFrom('a', "'", '"', '$', '`', '\\', ' ', '!', '*', '(', ';', '解', '\n'),
      }),
      { seed: 31, numRuns: 60 },
    );
    const shown = execFileSync('/bin/sh', [
      '-c',
      `printf '%s\\0' ${words.map(shellWord).join(' ')}`,
    ]).toString('utf8');
    expect(shown.split('\u0000').slice(0, -1)).toEqual(words);
  });
});

it('lists each field of a filter once, without texts', () => {
  const read = readFilter(
    'policy_tokens:>8k or (not kept:true "double-check" code:sympy policy_tokens:none) flag:truncated',
  );
  expect(read.ok && fieldsOf(read.node)).toEqual(['policy_tokens', 'kept', 'flag']);
});
