import { describe, expect, it } from 'vitest';
import {
  asShare,
  bytes,
  count,
  counted,
  decimal,
  duration,
  figure,
  percent,
  ratio,
  reward,
  seconds,
  signed,
  significant,
} from '../../renderer/ui/numbers.ts';

describe('numbers', () => {
  it('leaves the unknown blank', () => {
    expect([
      count(undefined),
      decimal(undefined),
      decimal(Number.NaN),
      percent(undefined),
      reward(undefined),
    ]).toEqual(['', '', '', '', '']);
    expect(ratio(0, 0)).toBeUndefined();
  });

  it('does not write a small number as 0', () => {
    expect([0, 0.5, -0.0123, 0.00043, -0.000_051, 0.000_000_02].map((value) => significant(value))).toEqual([
      '0.000',
      '0.500',
      '−0.012',
      '0.00043',
      '−0.000051',
      '2.0 e−8',
    ]);
    expect([0.004, 0.0104, 3].map((value) => significant(value, 2))).toEqual(['0.0040', '0.010', '3.00']);
    expect(significant(undefined)).toBe('');
  });

  it('keeps all digits of a logged number before its point, and bounds a long one', () => {
    const logged = [1_234_567, 123_456, -1234, 1234.5678, 0.152_752_5, 1.234_567_89e-9, 7, 1e21, -1e300];
    expect(logged.map(figure)).toEqual([
      ...['1,234,567', '123,456', '-1,234', '1,234.568', '0.152753', '1.23457e-9', '7', '1e+21', '-1e+300'],
    ]);
    expect(duration(1e303)).toBe('2.77778e+296 h');
    expect(duration(90_061_000)).toBe('25:01:01 h');
  });

  it('rounds halves of the decimal number away from zero', () => {
    expect([0.6985, 0.7005, 0.5, 1, 0].map((share) => percent(share))).toEqual([
      ...['69.9', '70.1', '50.0', '100.0', '0.0'],
    ]);
    const halves = [0.725, -0.725, 1.005, 8.345, 0.285, 0.994_999, -0.004].map((value) => decimal(value));
    expect(halves).toEqual(['0.73', '−0.73', '1.01', '8.35', '0.29', '0.99', '0.00']);
    expect([1e21, 1.5e15, 3e-9, Number.POSITIVE_INFINITY].map((value) => decimal(value))).toEqual([
      ...['1e+21', '1500000000000000.00', '0.00', 'Infinity'],
    ]);
  });

  it('writes what it means', () => {
    expect(counted(1, 'rollout')).toBe('1 rollout');
    expect(counted(16_384, 'rollout')).toBe('16,384 rollouts');
    expect(decimal(-2.5)).toBe('−2.50');
    expect(decimal(-0.001)).toBe('0.00');
    expect(signed(0.37)).toBe('+0.37');
    expect(signed(0)).toBe('0.00');
    expect(reward(1)).toBe('1');
    expect(reward(0.353)).toBe('0.353');
    // Values below each other have as many decimals.
    expect([0.506, 0.35, 1 / 3, 1, undefined].map(reward)).toEqual(['0.506', '0.350', '0.333', '1', '']);
    expect([0.965, 0.96, 1, 0.9996, 0].map(asShare)).toEqual(['96.5%', '96%', '100%', '>99.9%', '0%']);
    expect(bytes(999)).toBe('999 B');
    expect(bytes(18_211_000)).toBe('18.2 MB');
    expect(seconds(30)).toBe('0.03 s');
    expect(seconds(184_000)).toBe('184 s');
  });
});
