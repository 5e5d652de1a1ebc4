/** Signals per token, and their names. */
import { describe, expect, it } from 'vitest';
import { signalsIn, tokenSignal } from '../../shared/domain/tokenSignal.ts';

const floats = (...values: readonly number[]) => Float32Array.from(values);
const logs = (...head: readonly number[]) => head.map(Math.log);

describe('tokenSignal', () => {
  it('is the best available one, with its name', () => {
    const logprob = floats(-1, -2);
    const entropy = floats(0.5, 0.25);
    const top = [logs(0.9, 0.05), null];
    const of = { kind: 'full', unit: 'nats', temperature: 1, policy: 'trainer' };
    expect(tokenSignal({ count: 2, logprob, entropy, top, entropyOf: of })).toMatchObject({
      name: 'entropy',
      source: { kind: 'full', unit: 'nats', temperature: 1, policy: 'trainer' },
      values: entropy,
    });
    expect(tokenSignal({ count: 2, logprob, top })?.source).toEqual({
      kind: 'top-k',
      bound: 'lower',
      k: 2,
      unit: 'nats',
      policy: 'rollout',
    });
    expect(tokenSignal({ count: 2, logprob })).toMatchObject({
      name: 'surprisal',
      source: { kind: 'surprisal' },
      values: floats(1, 2),
    });
    expect(tokenSignal({ count: 2 })).toBeUndefined();
  });

  it('never returns surprisal as entropy', () => {
    expect(tokenSignal({ count: 1, logprob: floats(-1) }, 'entropy')).toBeUndefined();
    expect(signalsIn({ count: 1, logprob: floats(-1) })).toEqual(['surprisal', 'logprob']);
  });

  it('gives the lower bound, the tail, and the upper bound only with a vocabulary', () => {
    const columns = {
      count: 2,
      top: [logs(0.6, 0.2, 0.1, 0.05, 0.03), null],
      logprob: floats(Math.log(0.2), -3),
    };
    const without = tokenSignal(columns, 'entropy');
    expect(without?.values[0]).toBeCloseTo(1.192, 3);
    expect(without?.tail?.[0]).toBeCloseTo(0.02, 6);
    expect(without).not.toHaveProperty('upper');
    expect(without?.values[1]).toBeNaN();
    expect(tokenSignal(columns, 'entropy', 151_936)?.upper?.[0]).toBeCloseTo(1.43, 3);
  });

  it('adds a sampled token outside the list to the known ones', () => {
    const top = [logs(0.6, 0.2)];
    const inside = tokenSignal({ count: 1, top, logprob: floats(Math.log(0.2)) }, 'entropy');
    const outside = tokenSignal({ count: 1, top, logprob: floats(Math.log(0.05)) }, 'entropy');
    expect(inside?.tail?.[0]).toBeCloseTo(0.2, 5);
    expect(outside?.tail?.[0]).toBeCloseTo(0.15, 5);
  });

  it('has the gap of the two policies if both are logged', () => {
    const columns = { count: 2, logprob: floats(-1, Number.NaN), trainerLogprob: floats(-1.5, -2) };
    const gap = tokenSignal(columns, 'gap')?.values;
    expect(gap?.[0]).toBeCloseTo(-0.5, 6);
    expect(gap?.[1]).toBeNaN();
    expect(tokenSignal({ count: 1, logprob: floats(-1) }, 'gap')).toBeUndefined();
    expect(Object.is(tokenSignal({ count: 1, logprob: floats(0) }, 'surprisal')?.values[0], 0)).toBe(true);
  });
});
