/** The `tokens` object of the Turnwise log. */
import { describe, expect, it } from 'vitest';
import { readTokens } from '../../shared/format/turnwiseTokens.ts';

const read = (entropyOf: unknown) => {
  const { tokens, warnings } = readTokens({ entropy: [0.5], entropy_of: entropyOf });
  return [tokens?.entropyOf, warnings.map(({ message }) => message)];
};
const UNKNOWN =
  '"tokens.entropy_of" has no "kind" that is "full" or "top-k", so the kind of entropy is unknown';

describe('what the entropy is of', () => {
  it('is read as logged', () => {
    const entropyOf = { kind: 'top-k', k: 5, unit: 'nats', temperature: 0.6, policy: 'rollout' };
    expect(read(entropyOf)).toEqual([entropyOf, []]);
    expect(read({ kind: 'full', k: null })).toEqual([{ kind: 'full' }, []]);
    expect(read(null)).toEqual([undefined, []]);
  });

  it.each(['full', 3, ['full']])('is not read from %j, with a warning', (value) => {
    expect(read(value)).toEqual([undefined, ['"tokens.entropy_of" is not an object; not read']]);
  });

  it('is unknown without a kind, with a warning', () => {
    expect(read({})).toEqual([undefined, [UNKNOWN]]);
    expect(read({ kind: 'partial', unit: 'nats' })).toEqual([{ unit: 'nats' }, [UNKNOWN]]);
  });

  it('has no values of another type, and nothing else', () => {
    expect(read({ kind: 'full', k: '5', policy: { api_key: 'x' }, note: 'sk-x' })).toEqual([
      { kind: 'full' },
      [
        '"tokens.entropy_of.k" is not a number; not read',
        '"tokens.entropy_of.policy" is not a string; not read',
      ],
    ]);
  });
});

describe('a mask of runs', () => {
  const masked = (mask: string, ids: unknown = [1, 2, 3, 4]) => {
    const { tokens, warnings } = readTokens({ ids, mask });
    return [tokens?.mask && [...tokens.mask], warnings.map(({ message }) => message)];
  };
  const REFUSED = '"tokens.mask" has runs of another length than the other columns; not read';

  it('begins with zeros', () => {
    expect(masked('runs:0,1,2,1')).toEqual([[1, 0, 0, 1], []]);
    expect(masked('runs:4')).toEqual([[0, 0, 0, 0], []]);
  });

  it.each(['runs:', 'runs:0,3', 'runs:0,5', 'runs:1e9', 'runs:-1,5', 'runs:0,999999999999'])(
    'is refused where it does not have the length of the others: %s',
    (mask) => {
      expect(masked(mask)).toEqual([undefined, [REFUSED]]);
    },
  );

  it('needs another column, so that a short line cannot ask for memory', () => {
    expect(masked('runs:0,1000000000', null)).toEqual([undefined, [REFUSED]]);
  });
});
