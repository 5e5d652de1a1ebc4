import { describe, expect, it } from 'vitest';
import { quotaSentences } from '../../renderer/widgets/roc/quotaModel.ts';
import { decisionSourceLabel, penaltyText } from '../../renderer/widgets/roc/rocLabels.ts';
import type { DownSamplingSettings, ResampleRule } from '../../shared/domain/downSampling.ts';
import { decide, EXAMPLE } from './rocSides.ts';

function sentences(
  picture: string,
  more: Partial<DownSamplingSettings> = {},
  rule: ResampleRule = 'release',
): string {
  const { side, decision } = decide(picture, { ...EXAMPLE, ...more }, rule);
  return quotaSentences(side, decision.rows).join(' ');
}

describe('the quotas in a sentence', () => {
  it('has the arithmetic, the minima and the tie at the cut', () => {
    expect(sentences('+0x4 +5x4 +9x4 -0x20')).toBe(
      '12 of 32 correct (reward > 0) → round(12 · 16/32) = 6 correct and round(20 · 16/32) = 10 incorrect kept; both minima (2 incorrect, 2 correct) met. 4 correct rollouts tie at penalty 0.500, 2 of them kept: rollout order decided.',
    );
  });

  it('states the cut without a tie', () => {
    expect(sentences('+0x6 +5x6 -0x20')).toContain('The highest penalty of a correct rollout kept is 0.');
  });

  it('states that a half was rounded to the even neighbour', () => {
    expect(sentences('+0x9 -0x23')).toContain(
      'round(9 · 16/32) = 4 (half to even) correct and round(23 · 16/32) = 12 (half to even) incorrect kept',
    );
  });

  it('states which minimum applied', () => {
    expect(sentences('+0x30 -0x2')).toContain(
      'the minimum of incorrect ones makes 1 into 2, which leaves 14 correct: 14 correct and 2 incorrect kept.',
    );
    expect(sentences('+0x2 -0x30')).toContain(
      'the minimum of correct ones makes 1 into 2, which leaves 14 incorrect: 2 correct and 14 incorrect kept.',
    );
  });

  it('states that no minimum is set', () => {
    const none = { min_zero_reward_trace_num: -1, min_non_zero_reward_trace_num: -1 };
    expect(sentences('+0x16 -0x16', none)).toContain('incorrect kept; no minimum is set.');
  });

  it('states that both minima are unmet', () => {
    const both = { min_zero_reward_trace_num: 3, min_non_zero_reward_trace_num: 3, down_sample_to_n: 2 };
    const { side, decision } = decide('+0x3 -0x3', { ...EXAMPLE, ...both });
    // min_zero + min_non_zero > n stops the run: an assertion goes before the quotas.
    expect(quotaSentences(side, decision.rows)[0]).toMatch(
      /^The run would have stopped here on an assertion: min/,
    );
    const quota = {
      ...{ pool: 6, left: 6, target: 2, zeros: 3, nonZeros: 3, minimum: 'unmet' as const },
      rounded: { zeros: 1, nonZeros: 1 },
    };
    expect(quotaSentences({ ...side, outcome: 'kept_all', quota }, [])).toEqual([
      '3 of 6 correct (reward > 0) → round(3 · 2/6) = 1 and round(3 · 2/6) = 1: both are below their minimum (3 correct, 3 incorrect), so the whole group of 6 is kept.',
    ]);
  });

  it.each([
    ['N = n', '+0x8 -0x8', {}, 'The group has 16 rollouts, exactly as many as are to be kept: all are kept.'],
    [
      'N < n',
      '+0x4 -0x8',
      {},
      'The group has 12 rollouts, fewer than the 16 to be kept: the release discards the whole group.',
    ],
    [
      'no target',
      '+0x4 -0x8',
      { down_sample_to_n: -1 },
      'No target is set (down_sample_to_n -1): every rollout is kept.',
    ],
    [
      'off',
      '+0x4 -0x8',
      { do_down_sampling: false },
      'Down-sampling is off (do_down_sampling): every rollout enters the update.',
    ],
    [
      'all right',
      '+0x32',
      { reject_equal_reward: true },
      'All rewards of the group are equal (all correct) and reject_equal_reward is on: the whole group is discarded.',
    ],
    [
      'all wrong',
      '-0x32',
      { reject_equal_reward: true },
      'All rewards of the group are equal (all incorrect) and reject_equal_reward is on: the whole group is discarded.',
    ],
    [
      'reward unknown',
      '+0x4 ? -0x28',
      {},
      'The reward of a rollout is unknown, so this rule cannot be recomputed here.',
    ],
    [
      'penalty unknown',
      '+0x9 +? -0x22',
      {},
      'The penalty of a rollout that would be ranked is unknown, so this rule cannot be recomputed here.',
    ],
  ])('%s', (_, picture, more, words) => {
    expect(sentences(picture, more)).toBe(words);
  });

  it('names the assertion an odd target trips', () => {
    expect(sentences('+0x7 -0x7', { down_sample_to_n: 7 })).toMatch(
      /^The run would have stopped here on an assertion: \d correct \+ \d incorrect = \d, but down_sample_to_n is 7\.$/,
    );
  });

  it('tells the world-size truncation before the quotas from the one after', () => {
    expect(sentences('+0x11 -0x22', { world_size: 4, reject_equal_reward: true })).toContain(
      'World size 4: 1 rollout of 33 trimmed before the quotas',
    );
    expect(sentences('+0x16 -0x16', { down_sample_to_n: 10, world_size: 4 })).toContain(
      'World size 4: the last 2 rollouts that would have been kept are trimmed after the quotas',
    );
  });

  it('claims no set under the paper’s rule', () => {
    const words = sentences('+0x12 -0x20', {}, 'paper');
    expect(words).toContain(
      'floor(20 · 16/32) = 10 incorrect drawn uniformly, and the other 6 correct drawn',
    );
    expect(words).toContain('no set is claimed');
  });
});

describe('the source of a decision', () => {
  it('is always stated', () => {
    expect(decisionSourceLabel('logged', 'release')).toBe('decision: logged');
    expect(decisionSourceLabel('recomputed', 'release-first-week')).toBe(
      'decision: recomputed: release, first week',
    );
    expect(decisionSourceLabel('unknown', undefined)).toBe('decision: unknown');
  });

  it('writes a penalty with its decimals, and an unknown one as blank', () => {
    expect([0, 0.5, 0.125, 1 / 3, undefined].map(penaltyText)).toEqual(['0', '0.500', '0.125', '0.333', '']);
  });
});
