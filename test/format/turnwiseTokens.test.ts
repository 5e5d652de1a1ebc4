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
