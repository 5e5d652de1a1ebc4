import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DownSamplingSettings,
  RELEASE_DEFAULTS,
  RESAMPLE_RULES,
} from '../../shared/domain/downSampling.ts';
import { quotaOf, roundHalfToEven } from '../../shared/domain/releaseRule.ts';
import {
  type GroupDecision,
  type PoolGroup,
  type PoolRow,
  penaltyOf,
  resample,
} from '../../shared/domain/resample.ts';

/** The release's example script. */
const EXAMPLE: DownSamplingSettings = {
  ...RELEASE_DEFAULTS,
  reject_equal_reward: true,
  roc_error_ratio: true,
  roc_answer_format: true,
  min_zero_reward_trace_num: 2,
  min_non_zero_reward_trace_num: 2,
  down_sample_to_n: 16,
};
/** Keeps n without minima, so that small groups stay readable. */
const keeping = (n: number, more: Partial<DownSamplingSettings> = {}): DownSamplingSettings => ({
  ...RELEASE_DEFAULTS,
  roc_error_ratio: true,
  down_sample_to_n: n,
  ...more,
});

/**
 * Parses a group: `+` a positive, `-` a negative, each with its penalty in tenths; `?` an unknown reward,
 * `+?` a positive of unknown penalty.
 */
function draw(picture: string): PoolGroup {
  return {
    rows: picture
      .trim()
      .split(/\s+/)
      .map((word): PoolRow => {
        const reward = word.startsWith('+') ? 1 : word.startsWith('-') ? 0 : undefined;
        const tenths = word.slice(1);
        return {
          reward,
          pErr: tenths === '?' || tenths === '' ? undefined : Number(tenths) / 10,
          pFormat: undefined,
        };
      }),
  };
}

const one = (
  group: PoolGroup,
  settings: DownSamplingSettings,
  rule: 'release' | 'release-first-week' = 'release',
) => resample([group], rule, settings)[0] as GroupDecision;

/** `K` kept, `.` discarded, `?` undecided. */
const picture = (decision: GroupDecision | undefined): string =>
  (decision?.rows ?? []).map(({ kept }) => (kept === undefined ? '?' : kept ? 'K' : '.')).join('');
const reasons = (decision: GroupDecision | undefined) => decision?.rows.map(({ reason }) => reason);

describe('the quotas of 32 → 16 with minima 2/2', () => {
  /**
   * Positives in the pool → kept of each class. Lines marked * are printed in shared/domain/DOMAIN.md#quotas;
   * the others follow from its rule.
   */
  const TABLE = `
     0 →  0 16 *    1 →  1 15 *    2 →  2 14 *    3 →  2 14 *    4 →  2 14 *    5 →  2 14 *
     6 →  3 13 *    7 →  4 12      8 →  4 12      9 →  4 12     10 →  5 11     11 →  6 10
    12 →  6 10     13 →  6 10     14 →  7  9     15 →  8  8     16 →  8  8     17 →  8  8
    18 →  9  7     19 → 10  6     20 → 10  6     21 → 10  6     22 → 11  5     23 → 12  4
    24 → 12  4     25 → 12  4     26 → 13  3 *   27 → 14  2 *   28 → 14  2 *   29 → 14  2 *
    30 → 14  2 *   31 → 15  1 *   32 → 16  0 *`;
  const rows = [...TABLE.matchAll(/(\d+) → +(\d+) +(\d+)/g)].map(
    ([, positives, k1, k0]) => [Number(positives), Number(k1), Number(k0)] as const,
  );

  it('has a row for every count', () => {
    expect(rows.map(([positives]) => positives)).toEqual(Array.from({ length: 33 }, (_, i) => i));
  });

  it.each(rows)('%i positives: %i positives and %i negatives kept', (positives, k1, k0) => {
    const group: PoolGroup = {
      rows: Array.from({ length: 32 }, (_, i) => ({
        // Mixed classes, so that their order cannot imitate the rule.
        reward: (i * 13) % 32 < positives ? 1 : 0,
        pErr: ((i * 7) % 5) / 4,
        pFormat: 0,
      })),
    };
    const decision = one(group, { ...EXAMPLE, reject_equal_reward: false });
    const kept = decision.rows.flatMap((row, i) => (row.kept ? [group.rows[i]?.reward] : []));
    expect([kept.filter((r) => r === 1).length, kept.filter((r) => r === 0).length]).toEqual([k1, k0]);
    expect(decision).toMatchObject({ outcome: 'resampled', decidable: true });
    expect(decision.quota?.afterMinNonZero).toEqual({ zeros: k0, nonZeros: k1 });
    const rejected = one(group, EXAMPLE);
    expect(rejected.outcome).toBe(positives % 32 === 0 ? 'equal_reward' : 'resampled');
  });

  it('shows the arithmetic and which minimum acted', () => {
    const quota = (positives: number, settings: Partial<DownSamplingSettings> = {}) =>
      one(
        {
          rows: Array.from({ length: 32 }, (_, i) => ({
            reward: i < positives ? 1 : 0,
            pErr: 0,
            pFormat: 0,
          })),
        },
        { ...EXAMPLE, ...settings },
      ).quota;
    expect(quota(12)).toEqual({
      pool: 32,
      left: 32,
      target: 16,
      zeros: 20,
      nonZeros: 12,
      rounded: { zeros: 10, nonZeros: 6 },
      afterMinZero: { zeros: 10, nonZeros: 6 },
      afterMinNonZero: { zeros: 10, nonZeros: 6 },
      minimum: 'none',
    });
    expect(quota(30)).toMatchObject({
      rounded: { zeros: 1, nonZeros: 15 },
      afterMinZero: { zeros: 2, nonZeros: 14 },
      afterMinNonZero: { zeros: 2, nonZeros: 14 },
      minimum: 'zero',
    });
    expect(quota(1)).toMatchObject({
      rounded: { zeros: 16, nonZeros: 0 },
      afterMinZero: { zeros: 16, nonZeros: 0 },
      afterMinNonZero: { zeros: 15, nonZeros: 1 },
      minimum: 'non_zero',
    });
    expect(quota(20, { min_zero_reward_trace_num: 12, min_non_zero_reward_trace_num: 4 })).toMatchObject({
      rounded: { zeros: 6, nonZeros: 10 },
      afterMinZero: { zeros: 12, nonZeros: 4 },
      minimum: 'zero',
    });
  });

  it('rounds halves to even, as Python does', () => {
    expect([0.5, 1.5, 2.5, 3.5, 2.4, 2.6].map(roundHalfToEven)).toEqual([0, 2, 2, 4, 2, 3]);
  });
});

describe('release', () => {
  it('keeps the positives of lowest penalty and the first negatives', () => {
    const decision = one(draw('+5 -9 +0 -0 +2 -0 +1 -1'), keeping(4));
    expect(picture(decision)).toBe('.KKK..K.');
    expect(reasons(decision)).toEqual([
      'discarded_positive_penalty',
      'kept_negative_quota',
      'kept_positive_topk',
      'kept_negative_quota',
      'discarded_positive_penalty',
      'discarded_negative_quota',
      'kept_positive_topk',
      'discarded_negative_quota',
    ]);
    expect(decision.cut).toEqual({ penalty: 0.1, kept: 1, discarded: 0 });
    expect(decision.rows.some(({ isTie }) => isTie)).toBe(false);
  });

  it('breaks ties at the cut by rollout order and marks both sides, not the negatives', () => {
    const decision = one(draw('+5 +0 +5 +5 -5 -5 -5 -5'), keeping(4));
    expect(picture(decision)).toBe('KK..KK..');
    expect(reasons(decision)?.slice(0, 4)).toEqual([
      'kept_positive_tie',
      'kept_positive_topk',
      'discarded_positive_tie',
      'discarded_positive_tie',
    ]);
    expect(decision.cut).toEqual({ penalty: 0.5, kept: 1, discarded: 2 });
    expect(decision.rows.map(({ isTie }) => isTie)).toEqual([
      true,
      false,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('took negatives by penalty, too, in its first week', () => {
    const group = draw('+0 +1 +2 +3 -5 -1 -1 -0');
    expect(picture(one(group, keeping(4)))).toBe('KK..KK..');
    const decision = one(group, keeping(4), 'release-first-week');
    expect(picture(decision)).toBe('KK...K.K');
    // The penalty decided, and rollout order among equal ones.
    expect(reasons(decision)?.slice(4)).toEqual([
      'discarded_negative_penalty',
      'kept_negative_tie',
      'discarded_negative_tie',
      'kept_negative_topk',
    ]);
    expect(decision.rows.map(({ isTie }) => isTie).slice(4)).toEqual([false, true, true, false]);
    // The cut of the group is that of its positives.
    expect(decision.cut).toEqual({ penalty: 0.1, kept: 1, discarded: 0 });
    const noNegatives = { ...keeping(4), min_zero_reward_trace_num: -1 };
    expect(reasons(one(draw('+0 +1 +2 +3 +4 +4 +4 -5'), noNegatives, 'release-first-week'))?.at(-1)).toBe(
      'discarded_negative_quota',
    );
  });

  it('counts a reward of 0 and below as negative, anything above as positive', () => {
    const rows = [0.25, 0, -1, 1].map((reward) => ({ reward, pErr: 0, pFormat: 0 }));
    expect(one({ rows }, keeping(2)).quota).toMatchObject({ zeros: 2, nonZeros: 2 });
  });

  it.each([
    ['+0 +1', 'discarded_equal_reward_all_correct'],
    ['-0 -1', 'discarded_equal_reward_all_wrong'],
    // A group of one equals itself.
    ['+0', 'discarded_equal_reward_all_correct'],
  ])('rejects equal rewards: %s', (rows, reason) => {
    const decision = one(draw(rows), keeping(1, { reject_equal_reward: true }));
    expect(decision).toMatchObject({ outcome: 'equal_reward', quota: undefined });
    for (const row of decision.rows) expect(row).toMatchObject({ kept: false, reason });
  });

  it('calls rewards equal as torch.allclose does: to the first, by 1e-5 of the other and 1e-8', () => {
    const isRejected = (...rewards: number[]) =>
      one(
        { rows: rewards.map((reward) => ({ reward, pErr: 0, pFormat: 0 })) },
        keeping(2, { reject_equal_reward: true }),
      ).outcome === 'equal_reward';
    expect(isRejected(1, 1.000009)).toBe(true);
    expect(isRejected(1, 1.00002)).toBe(false);
    expect(isRejected(0, 9e-9)).toBe(true);
    expect(isRejected(0, 2e-8)).toBe(false);
    // Compared with the first, not with the neighbour.
    expect(isRejected(1, 1.000009, 1.000018)).toBe(false);
    expect(isRejected(-1, -1)).toBe(true);
  });

  it('keeps a group of n whole, and drops one of fewer', () => {
    const whole = one(draw('+9 -0 +0 -0'), keeping(4));
    expect(whole).toMatchObject({ outcome: 'kept_all', quota: { left: 4, target: 4 } });
    expect(new Set(reasons(whole))).toEqual(new Set(['kept_all_group']));
    const small = one(draw('+9 -0 +0'), keeping(4));
    expect(small).toMatchObject({ outcome: 'too_small', quota: { left: 3, target: 4 } });
    expect(new Set(reasons(small))).toEqual(new Set(['discarded_group_too_small']));
    expect(picture(small)).toBe('...');
  });

  it('stops before any group when the minima together exceed the target', () => {
    const decision = one(
      draw('+0 +1 -0 -1 -2'),
      keeping(4, { min_zero_reward_trace_num: 3, min_non_zero_reward_trace_num: 3 }),
    );
    expect(decision).toMatchObject({
      outcome: 'assertion',
      assertion: expect.stringContaining('= 6 exceed'),
    });
    expect(picture(decision)).toBe('?????');
  });

  it('would keep the whole group with both minima unmet, which the assertion on their sum rules out', () => {
    const minima = (zero: number, nonZero: number) =>
      keeping(4, { min_zero_reward_trace_num: zero, min_non_zero_reward_trace_num: nonZero });
    expect(quotaOf(6, { zeros: 3, nonZeros: 3 }, minima(3, 3))).toMatchObject({
      rounded: { zeros: 2, nonZeros: 2 },
      minimum: 'unmet',
    });
    for (let zeros = 0; zeros <= 9; zeros++) {
      for (let zero = -1; zero <= 4; zero++) {
        expect(quotaOf(9, { zeros, nonZeros: 9 - zeros }, minima(zero, 4 - zero)).minimum).not.toBe('unmet');
      }
    }
  });

  it('only rejects and truncates without a target', () => {
    const settings = keeping(-1, { reject_equal_reward: true, world_size: 4 });
    const decisions = resample([draw('+0 +0'), draw('+0 -0 +?'), draw('-0 +1 +2')], 'release', settings);
    expect(decisions.map(({ outcome }) => outcome)).toEqual(['equal_reward', 'kept_all', 'kept_all']);
    expect(decisions.map(picture)).toEqual(['..', 'KKK', 'K..']);
    expect(reasons(decisions[2])).toEqual([
      'kept_all_group',
      'discarded_world_size_truncation',
      'discarded_world_size_truncation',
    ]);
    // A group cut away before the quotas leaves the batch.
    const cut = resample([draw('+0 -0'), draw('+0 -0')], 'release', { ...settings, world_size: 3 });
    expect(cut.map(picture)).toEqual(['KK', 'K.']);
    const [first, second] = resample([draw('+0 -0'), draw('+0 -0')], 'release', {
      ...settings,
      world_size: 5,
    });
    expect([first?.outcome, second?.outcome]).toEqual(['too_small', 'too_small']);
    // Without rejection and target, neither truncation happens.
    const none = resample([draw('+0 +0 +0')], 'release', keeping(0, { world_size: 2 }));
    expect(none.map(picture)).toEqual(['KKK']);
  });

  it('keeps every row and decides nothing when it is off', () => {
    const decision = one(draw('+0 ? -0'), { ...EXAMPLE, do_down_sampling: false, world_size: 2 });
    expect(decision).toMatchObject({ outcome: 'off', decidable: true });
    expect(picture(decision)).toBe('KKK');
    expect(reasons(decision)).toEqual([undefined, undefined, undefined]);
  });

  it('asserts if rounding gives an odd target a wrong sum', () => {
    // 14 rows to 7: 7 + 7 halves round to 4 + 4.
    const decision = one(draw(`${'+0 '.repeat(7)}${'-0 '.repeat(7)}`), keeping(7));
    expect(decision).toMatchObject({
      outcome: 'assertion',
      assertion: '4 correct + 4 incorrect = 8, but down_sample_to_n is 7: the release stops here',
      quota: { rounded: { zeros: 4, nonZeros: 4 } },
    });
    for (const row of decision.rows) {
      expect(row).toMatchObject({ kept: undefined, reason: undefined, advantage: undefined });
    }
    // 5 + 9 of 14: round(2.5) + round(4.5) = 2 + 4.
    expect(one(draw(`${'+0 '.repeat(5)}${'-0 '.repeat(9)}`), keeping(7)).assertion).toMatch(
      /2 correct \+ 4 incorrect = 6/,
    );
  });

  it('never asserts for an even target up to 64 rows', () => {
    for (let n = 2; n <= 32; n += 2) {
      const total = 2 * n;
      for (let positives = 0; positives <= total; positives++) {
        const rows = Array.from({ length: total }, (_, i) => ({
          reward: i < positives ? 1 : 0,
          pErr: 0,
          pFormat: 0,
        }));
        expect(
          one(
            { rows },
            {
              ...EXAMPLE,
              reject_equal_reward: false,
              down_sample_to_n: n,
              min_zero_reward_trace_num: 1,
              min_non_zero_reward_trace_num: 1,
            },
          ).outcome,
        ).toBe('resampled');
      }
    }
  });
});

describe('world-size truncation', () => {
  const settings = keeping(2, { reject_equal_reward: true, world_size: 4 });

  it('cuts the tail once before the quotas and once after', () => {
    // 4 + 4 + 3 rows left → 8: the last group loses all rows and leaves the batch.
    const decisions = resample(
      [draw('+0 +1 -0 -1'), draw('+0 +0'), draw('+0 +1 -0 -1'), draw('+0 -0 -1')],
      'release',
      settings,
    );
    expect(decisions.map(picture)).toEqual(['K.K.', '..', 'K.K.', '...']);
    expect(reasons(decisions[3])).toEqual(Array(3).fill('discarded_world_size_truncation'));
    expect(decisions.map(({ outcome }) => outcome)).toEqual([
      'resampled',
      'equal_reward',
      'resampled',
      'too_small',
    ]);
  });

  it('leaves the cut group to the quotas of the rows it has left', () => {
    // 4 + 5 rows → 8: the second group continues with 4, 2 of its 2 positives and 2 negatives.
    const decisions = resample([draw('+0 +1 -0 -1'), draw('+1 -0 +0 -1 +0')], 'release', settings);
    expect(decisions.map(picture)).toEqual(['K.K.', '.KK..']);
    expect(decisions[1]?.quota).toMatchObject({ pool: 5, left: 4, zeros: 2, nonZeros: 2 });
    expect(reasons(decisions[1])?.[4]).toBe('discarded_world_size_truncation');
  });

  it('marks no tie on rows that were cut before the ranking', () => {
    const [, decision] = resample([draw('+0 +1 -0'), draw('+1 -0 +1 -1 -2 +1')], 'release', settings);
    expect(decision?.quota).toMatchObject({ left: 5 });
    expect(decision?.cut).toEqual({ penalty: 0.1, kept: 1, discarded: 1 });
    expect(decision?.rows.map(({ isTie }) => isTie)).toEqual([true, false, true, false, false, false]);
  });

  it('cuts kept rows after the quotas, from the end of the batch', () => {
    const decisions = resample(
      [draw('+0 +1 -0 -1'), draw('+1 -0 +0 -1'), draw('-0 -1 +1 +0')],
      'release',
      settings,
    );
    expect(decisions.map(picture)).toEqual(['K.K.', '.KK.', '....']);
    expect(reasons(decisions[2])).toEqual([
      'discarded_world_size_truncation',
      'discarded_negative_quota',
      'discarded_positive_penalty',
      'discarded_world_size_truncation',
    ]);
    expect(decisions[2]?.outcome).toBe('resampled');
  });

  it('drops everything when fewer rows are left than processes: the step is skipped', () => {
    const [decision] = resample([draw('+0 +1 -0 -1')], 'release', { ...settings, world_size: 8 });
    expect(picture(decision)).toBe('....');
    expect(new Set(reasons(decision))).toEqual(new Set(['discarded_world_size_truncation']));
  });

  it('computes advantages over the remaining rows', () => {
    const [, decision] = resample([draw('+0 +1 -0 -1'), draw('+0 +1 -0 -1')], 'release', {
      ...settings,
      world_size: 3,
      reject_equal_reward: false,
    });
    expect(picture(decision)).toBe('K...');
    expect(decision?.rows[0]?.advantage).toBe(1 / (1 + 1e-6));
    expect(decision?.rows[1]?.advantage).toBeUndefined();
    expect(decision?.rows[1]?.advantageOfAll).toBeCloseTo(0.866, 3);
  });

  it('counts undecidable groups in: all rows before, n rows after', () => {
    // 5 + 4 rows → 8, so one is cut from the second group; 2 + 2 kept → 4.
    const decisions = resample([draw('? +0 -0 -0 -0'), draw('+0 +1 -0 -1')], 'release', settings);
    expect(decisions.map(picture)).toEqual(['?????', 'K.K.']);
    expect(decisions[0]).toMatchObject({ outcome: 'undecidable', decidable: false, why: 'reward_unknown' });
    expect(reasons(decisions[1])?.[3]).toBe('discarded_world_size_truncation');
    // Without a known penalty it still fills its quota: 2 + 2 kept → 4, nothing is cut.
    const unranked = resample([draw('+? +0 -0 -0'), draw('+0 +1 -0 -1')], 'release', settings);
    expect(unranked.map(picture)).toEqual(['????', 'K.K.']);
    // At the end of the batch it absorbs the cut: 2 + 2 + 1 too many, none from the first group.
    const last = resample([draw('+0 +1 -0 -1'), draw('+? +0 -0 -0')], 'release', {
      ...settings,
      reject_equal_reward: false,
      world_size: 3,
    });
    expect(last.map(picture)).toEqual(['K.K.', '????']);
  });
});

describe('unknown values', () => {
  it('make a group undecided only if they matter', () => {
    expect(one(draw('+0 +? -0 -0'), keeping(2))).toMatchObject({
      why: 'penalty_unknown',
      quota: { nonZeros: 2 },
    });
    expect(one(draw('+0 +? -0 -0'), keeping(4)).outcome).toBe('kept_all');
    expect(picture(one(draw('+? -0 -0 -0'), keeping(3)))).toBe('KKK.');
    expect(one(draw('+? +0'), keeping(1, { reject_equal_reward: true })).outcome).toBe('equal_reward');
    // The penalty of negatives counts only in the first week's rule.
    expect(one(draw('+0 +1 -? -0'), keeping(2)).outcome).toBe('resampled');
    expect(one(draw('+0 +1 -? -0'), keeping(2), 'release-first-week').why).toBe('penalty_unknown');
    const decision = one(draw('+0 ? -0 -0'), keeping(2));
    expect(decision.why).toBe('reward_unknown');
    for (const row of decision.rows) {
      expect(row).toMatchObject({ kept: undefined, reason: undefined, advantageOfAll: undefined });
    }
    expect(one({ rows: [{ reward: Number.NaN, pErr: 0, pFormat: 0 }] }, keeping(1)).why).toBe(
      'reward_unknown',
    );
  });
});

describe('penaltyOf', () => {
  const row: PoolRow = { reward: 1, pErr: 0.5, pFormat: 0.25, length: 10, repetition: 2 };
  it.each([
    [{}, 0],
    [{ roc_error_ratio: true }, 0.5],
    [{ roc_answer_format: true }, 0.25],
    [{ roc_error_ratio: true, roc_answer_format: true }, 0.75],
    [{ roc_error_ratio: true, length_weight: 0.1, repetition_weight: -1 }, -0.5],
  ])('with %j is %f', (settings, penalty) => {
    expect(penaltyOf(row, { ...RELEASE_DEFAULTS, ...settings })).toBeCloseTo(penalty, 12);
  });

  it('is unknown exactly if an enabled part is', () => {
    const unknown: PoolRow = { reward: 1, pErr: undefined, pFormat: 0.25 };
    expect(penaltyOf(unknown, { ...RELEASE_DEFAULTS, roc_answer_format: true })).toBe(0.25);
    expect(penaltyOf(unknown, { ...RELEASE_DEFAULTS, roc_error_ratio: true })).toBeUndefined();
    expect(penaltyOf(unknown, { ...RELEASE_DEFAULTS, length_weight: 1 })).toBeUndefined();
  });
});

// ── invariants, and a second implementation of the rule ─────────────────────────────────────────

const penalty = fc.constantFrom(0, 0.1, 0.25, 0.5, 1, 1.5);
const poolRow = fc.record({
  reward: fc.constantFrom(0, 0, 1, 1, -1, 0.5),
  pErr: penalty,
  pFormat: penalty,
});
const poolGroup = (most: number) => fc.record({ rows: fc.array(poolRow, { minLength: 1, maxLength: most }) });
const anySettings = fc
  .record({
    reject_equal_reward: fc.boolean(),
    roc_error_ratio: fc.boolean(),
    roc_answer_format: fc.boolean(),
    min_zero_reward_trace_num: fc.integer({ min: -1, max: 4 }),
    min_non_zero_reward_trace_num: fc.integer({ min: -1, max: 4 }),
    down_sample_to_n: fc.integer({ min: -1, max: 8 }),
    world_size: fc.integer({ min: 1, max: 7 }),
  })
  .map((settings): DownSamplingSettings => ({ ...RELEASE_DEFAULTS, ...settings }));

describe('invariants of the release', () => {
  it('every row is kept or discarded, with a matching reason', () => {
    fc.assert(
      fc.property(fc.array(poolGroup(20), { maxLength: 6 }), anySettings, (batch, settings) => {
        const decisions = resample(batch, 'release', settings);
        expect(decisions.map(({ rows }) => rows.length)).toEqual(batch.map(({ rows }) => rows.length));
        for (const decision of decisions) {
          if (decision.outcome === 'assertion') continue;
          for (const { kept, reason } of decision.rows) {
            expect(reason?.startsWith(kept ? 'kept_' : 'discarded_')).toBe(true);
            expect(typeof kept).toBe('boolean');
          }
        }
      }),
      { seed: 11, numRuns: 1000 },
    );
  });

  it('before world-size truncation no kept positive is worse than a discarded one, and ties keep rollout order', () => {
    let compared = 0;
    fc.assert(
      fc.property(poolGroup(32), anySettings, (group, settings) => {
        const decision = one(group, { ...settings, world_size: 1 });
        if (decision.outcome !== 'resampled') return;
        const positives = decision.rows.flatMap((row, i) =>
          (group.rows[i]?.reward ?? 0) > 0 ? [{ ...row, i, penalty: row.penalty ?? Number.NaN }] : [],
        );
        for (const kept of positives.filter((row) => row.kept)) {
          for (const discarded of positives.filter((row) => !row.kept)) {
            compared++;
            expect(kept.penalty).toBeLessThanOrEqual(discarded.penalty);
            if (kept.penalty === discarded.penalty) {
              expect(kept.i).toBeLessThan(discarded.i);
              expect(kept.isTie && discarded.isTie).toBe(true);
            }
          }
        }
      }),
      { seed: 12, numRuns: 1000 },
    );
    expect(compared).toBeGreaterThan(1000);
  });

  it('advantages of the kept rows of a group sum to 0 where two or more are kept', () => {
    fc.assert(
      fc.property(fc.array(poolGroup(20), { maxLength: 5 }), anySettings, (batch, settings) => {
        for (const { rows } of resample(batch, 'release', settings)) {
          const advantages = rows.flatMap(({ advantage }) => (advantage === undefined ? [] : [advantage]));
          expect(advantages).toHaveLength(rows.filter(({ kept }) => kept).length);
          if (advantages.length > 1) expect(advantages.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 8);
        }
      }),
      { seed: 13, numRuns: 500 },
    );
  });

  it.each(['release', 'release-first-week'] as const)(
    '%s keeps the rows of a naive implementation',
    (rule) => {
      let kept = 0;
      fc.assert(
        fc.property(fc.array(poolGroup(14), { maxLength: 7 }), anySettings, (batch, settings) => {
          const expected = naive(batch, settings, rule === 'release-first-week');
          const decisions = resample(batch, rule, settings);
          if (expected === 'crash') {
            expect(decisions.some(({ outcome }) => outcome === 'assertion')).toBe(true);
            return;
          }
          const actual = decisions.flatMap(({ rows }, g) =>
            rows.flatMap((row, i) => (row.kept ? [`${g}.${i}`] : [])),
          );
          kept += actual.length;
          expect(actual).toEqual(expected);
        }),
        { seed: 14, numRuns: 3000 },
      );
      expect(kept).toBeGreaterThan(5000);
    },
  );
});

/**
 * A slow reference implementation of the release over a flat batch. Returns names of the kept rows in batch
 * order.
 */
function naive(
  batch: readonly PoolGroup[],
  s: DownSamplingSettings,
  sortsNegatives: boolean,
): string[] | 'crash' {
  type Flat = { name: string; uid: number; reward: number; weight: number };
  let flat: Flat[] = batch.flatMap(({ rows }, uid) =>
    rows.map((row, i) => ({
      name: `${uid}.${i}`,
      uid,
      reward: row.reward ?? 0,
      weight: (s.roc_error_ratio ? (row.pErr ?? 0) : 0) + (s.roc_answer_format ? (row.pFormat ?? 0) : 0),
    })),
  );
  const wholeBatches = (rows: Flat[]) => rows.slice(0, Math.floor(rows.length / s.world_size) * s.world_size);
  const ofUid = (uid: number) => flat.filter((row) => row.uid === uid);
  if (s.reject_equal_reward) {
    flat = wholeBatches(flat.filter(({ uid }) => new Set(ofUid(uid).map(({ reward }) => reward)).size > 1));
  }
  const n = s.down_sample_to_n;
  if (n <= 0) return flat.map(({ name }) => name);
  const minZero = s.min_zero_reward_trace_num;
  const minPositive = s.min_non_zero_reward_trace_num;
  if (minZero + minPositive > n && flat.length > 0) return 'crash';
  const chosen = new Set<Flat>();
  for (const uid of new Set(flat.map((row) => row.uid))) {
    const rows = ofUid(uid);
    if (rows.length < n) continue;
    if (rows.length === n) {
      for (const row of rows) chosen.add(row);
      continue;
    }
    const best = (some: Flat[]) =>
      some
        .map((row, i) => ({ row, i }))
        .sort((a, b) => (a.row.weight === b.row.weight ? a.i - b.i : a.row.weight - b.row.weight))
        .map(({ row }) => row);
    const positives = best(rows.filter(({ reward }) => reward > 0));
    const plain = rows.filter(({ reward }) => reward <= 0);
    const negatives = sortsNegatives ? best(plain) : plain;
    const share = (count: number) => {
      const twice = (2 * count * n) / rows.length;
      const isHalf = Number.isInteger(twice) && twice % 2 === 1;
      const down = Math.floor(twice / 2);
      return isHalf ? down + (down % 2) : Math.floor(twice / 2 + 0.5);
    };
    let k0 = share(negatives.length);
    let k1 = share(positives.length);
    if (k0 < minZero && k1 < minPositive) {
      for (const row of rows) chosen.add(row);
      continue;
    }
    const least0 = Math.min(minZero, negatives.length);
    const least1 = Math.min(minPositive, positives.length);
    if (k0 <= least0) [k0, k1] = [least0, n - least0];
    if (k1 <= least1) [k0, k1] = [n - least1, least1];
    const taken = [...positives.slice(0, k1), ...negatives.slice(0, k0)];
    if (taken.length !== n) return 'crash';
    for (const row of taken) chosen.add(row);
  }
  return wholeBatches(flat.filter((row) => chosen.has(row))).map(({ name }) => name);
}

describe('for arbitrary rows', () => {
  const number = fc.oneof(
    fc.constantFrom(undefined, Number.NaN, -0, 0, 1, -1, 1e100, 0.5),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  );
  const row = fc.record({
    reward: number,
    pErr: number,
    pFormat: number,
    length: fc.double(),
    repetition: fc.double(),
  });
  const batch = fc.array(fc.record({ rows: fc.array(row, { maxLength: 12 }) }), { maxLength: 5 });
  const count = fc.integer({ min: -2, max: 14 });
  const settings = fc.record({
    do_down_sampling: fc.boolean(),
    reject_equal_reward: fc.boolean(),
    roc_error_ratio: fc.boolean(),
    roc_answer_format: fc.boolean(),
    min_zero_reward_trace_num: count,
    min_non_zero_reward_trace_num: count,
    down_sample_to_n: count,
    world_size: fc.integer({ min: 1, max: 9 }),
    paper_zero_penalty: fc.constantFrom('clean_first' as const, 'epsilon' as const),
    length_weight: fc.constantFrom(0, 1, -1),
  });

  it.each(RESAMPLE_RULES)('%s decides every row, with finite numbers', (rule) => {
    const property = fc.property(batch, settings, (groups, chosen) => {
      const decisions = resample(groups, rule, { ...RELEASE_DEFAULTS, ...chosen });
      expect(decisions.map(({ rows }) => rows.length)).toEqual(groups.map(({ rows }) => rows.length));
      for (const { inclusion, penalty, advantage } of decisions.flatMap(({ rows }) => rows)) {
        if (inclusion !== undefined) expect(Math.abs(inclusion - 0.5)).toBeLessThanOrEqual(0.5 + 1e-9);
        for (const value of [penalty, advantage]) expect(value).not.toBeNaN();
      }
    });
    fc.assert(property, { seed: 31, numRuns: 1500 });
  });
});
