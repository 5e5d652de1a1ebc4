/** A group's ledger: logged, recomputed and what-if decisions, and their differences. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getLedger } from '../../electron/roc/ledger.ts';
import { openReader } from '../../electron/storage/open.ts';
import type { GroupLedger, RocChoice } from '../../shared/api/contract.ts';
import { SettingError } from '../../shared/domain/downSampling.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';
import { EXAMPLE, type LoggedDecision, type PoolStep, writePoolLog } from './poolLog.ts';

let place: Scratch;
beforeEach(() => {
  place = scratch();
});
afterEach(() => place.remove());

async function read(steps: readonly PoolStep[], settings?: Readonly<Record<string, unknown>>): Promise<void> {
  const { files } = await ingestHere(place.library, [writePoolLog(place, steps, settings)]);
  expect(files.flatMap(({ issues }) => issues)).toEqual([]);
}

function ledger(group: number, basis: RocChoice = {}, whatIf?: RocChoice): GroupLedger {
  const [row] = rows(place.library, `SELECT group_id FROM prompt_group WHERE problem_id = 'p${group}'`);
  const db = openReader(place.library);
  try {
    const found = getLedger(db, { groupId: Number(row?.['group_id']), basis, whatIf });
    if (found === undefined) throw new Error('there is no such group');
    return found;
  } finally {
    db.close();
  }
}

const keptOf = ({ rows: found }: GroupLedger): string =>
  found.map(({ recomputed: { kept } }) => (kept === undefined ? '?' : kept ? 'K' : 'd')).join('');

describe('a recomputed group', () => {
  it('keeps the cleanest positives and the first negatives, and names the source of each decision', async () => {
    await read([{ step: 1, pools: ['-e+s-2+-'] }], EXAMPLE);
    const found = ledger(0);
    expect(keptOf(found)).toBe('K' + 'd' + 'K' + 'd' + 'K' + 'd' + 'K' + 'd');
    expect(found.source).toBe('recomputed');
    expect(found.recomputed.basis).toMatchObject({
      rule: 'release',
      ruleSource: 'logged',
      penalty: 'text',
      chosen: [],
      settings: { down_sample_to_n: 4, world_size: 1 },
    });
    expect(found.recomputed.basis.logged).toEqual(Object.keys(EXAMPLE).filter((name) => name !== 'rule'));
    expect(found.recomputed).toMatchObject({
      outcome: 'resampled',
      quota: { pool: 8, zeros: 3, nonZeros: 5, target: 4, rounded: { zeros: 2, nonZeros: 2 } },
      cut: { penalty: 0, kept: 2, discarded: 0 },
      sums: { kept: 4, discarded: 4, keptByClass: { zeros: 2, nonZeros: 2 }, meanPenalty: 0 },
    });
    expect(found.rows.map(({ recomputed: { reason } }) => reason)).toEqual([
      'kept_negative_quota',
      'discarded_positive_penalty',
      'kept_positive_topk',
      'discarded_positive_penalty',
      'kept_negative_quota',
      'discarded_positive_penalty',
      'kept_positive_topk',
      'discarded_negative_quota',
    ]);
  });

  it('shows the penalties three ways, and why they differ', async () => {
    await read([{ step: 1, pools: ['tms+----'] }], EXAMPLE);
    const [timeout, printed, single, clean] = ledger(0).rows;
    expect(timeout?.penalties).toMatchObject({ text: { pErr: 0, source: 'text' }, typed: { pErr: 1 } });
    expect(timeout?.disagreements).toMatchObject([
      {
        part: 'pErr',
        between: ['text', 'typed'],
        values: [0, 1],
        causes: [{ code: 'timeout_counted_clean' }],
      },
    ]);
    expect(printed?.penalties).toMatchObject({ text: { pErr: 1 }, typed: { pErr: 0 } });
    expect(printed?.disagreements[0]?.causes).toMatchObject([{ code: 'error_in_success' }]);
    expect(single?.penalties).toMatchObject({
      text: { pErr: 0.5, pFormat: 1 },
      typed: { pErr: 0.5, pFormat: 0 },
    });
    expect(single?.disagreements[0]?.causes).toMatchObject([{ code: 'single_turn' }]);
    expect(clean?.disagreements).toEqual([]);
  });

  it('is unknown if neither a decision nor a configuration is logged', async () => {
    await read([{ step: 1, pools: ['++++----'] }]);
    expect(ledger(0).source).toBe('unknown');
    const chosen = ledger(0, { settings: { down_sample_to_n: 4, reject_equal_reward: true } });
    expect([chosen.source, keptOf(chosen)]).toEqual(['recomputed', 'KKddKKdd']);
    expect(chosen.recomputed.basis.chosen).toEqual(['reject_equal_reward', 'down_sample_to_n']);
  });

  it('is undecided if a reward is unknown', async () => {
    await read([{ step: 1, pools: ['++?+----'] }], EXAMPLE);
    expect(ledger(0).recomputed).toMatchObject({ outcome: 'undecidable', why: 'reward_unknown', sums: {} });
    expect(keptOf(ledger(0))).toBe('????????');
  });

  it('is cut with its whole step', async () => {
    const settings = { ...EXAMPLE, world_size: 6 };
    await read([{ step: 1, pools: ['++++----', '++++----'] }], settings);
    // 16 rows are cut to 12: the second group keeps 4, which is the target; 6 of 8 kept rows remain.
    expect([keptOf(ledger(0)), keptOf(ledger(1))]).toEqual(['KKddKKdd', 'KKdddddd']);
    expect(ledger(1).rows[7]?.recomputed.reason).toBe('discarded_world_size_truncation');
  });

  it('refuses a setting that has no such value', async () => {
    await read([{ step: 1, pools: ['+-'] }], EXAMPLE);
    expect(() => ledger(0, { settings: { world_size: 0 } })).toThrow(SettingError);
  });
});

describe('logged decisions', () => {
  const kept = (pattern: string): readonly LoggedDecision[] =>
    [...pattern].map((letter) => ({ kept: letter === 'K' }));

  it('are in force, and agree', async () => {
    await read([{ step: 1, pools: ['+e+s----'], decisions: [kept('KdKdKKdd')] }], EXAMPLE);
    const found = ledger(0);
    expect([found.source, keptOf(found), found.differences]).toEqual([
      'logged',
      'KdKdKKdd',
      { rows: 0, causes: [] },
    ]);
    expect(found.logged).toMatchObject({ kept: 4, discarded: 4, keptByClass: { zeros: 2, nonZeros: 2 } });
  });

  it('of the first week are recognized by the negatives', async () => {
    await read([{ step: 1, pools: ['++eex-x-'], decisions: [kept('KKdddKdK')] }], EXAMPLE);
    const found = ledger(0);
    expect(keptOf(found)).toBe('KKddKKdd');
    expect(found.differences).toEqual({
      rows: 2,
      causes: [
        {
          code: 'other_rule',
          sentence:
            'The rule “release, first week” decides as logged: it keeps the incorrect rollouts of lowest penalty, not the first ones in rollout order.',
        },
      ],
    });
    const { side, rows } = found.asLogged ?? {};
    expect(side).toMatchObject({
      basis: { rule: 'release-first-week', ruleSource: 'inferred' },
      outcome: 'resampled',
    });
    expect(rows?.map((row) => row.kept)).toEqual(found.rows.map(({ logged }) => logged?.kept));
  });

  it('of no known rule are reported', async () => {
    await read([{ step: 1, pools: ['++ee----'], decisions: [kept('ddKKKKdd')] }], EXAMPLE);
    expect(ledger(0).differences).toMatchObject({ rows: 4, causes: [{ code: 'unexplained' }] });
    expect(ledger(0).asLogged).toBeUndefined();
  });

  it('with other penalties are recognized by those', async () => {
    const [pErr, pFormat] = [(p_err: number) => ({ p_err }), { p_format: 0 }];
    const decisions = [
      [
        { kept: false, ...pErr(1), ...pFormat },
        { kept: true, ...pErr(0), ...pFormat },
        { kept: true, ...pErr(0), ...pFormat },
        { kept: false, ...pErr(1), ...pFormat },
        ...kept('KKdd').map((row) => ({ ...row, ...pErr(0), ...pFormat })),
      ],
    ];
    await read([{ step: 1, pools: ['+e2+----'], decisions }], EXAMPLE);
    const found = ledger(0);
    expect(keptOf(found)).toBe('KddKKKdd');
    expect(found.differences).toMatchObject({ rows: 4, causes: [{ code: 'penalties_differ' }] });
    expect(ledger(0, { penalty: 'logged' }).differences.rows).toBe(0);
  });

  it('without a configuration are reported', async () => {
    await read([{ step: 1, pools: ['++ee----'], decisions: [kept('KKddKKdd')] }]);
    const { causes } = ledger(0).differences;
    expect(causes.map(({ code }) => code)).toEqual(['configuration_unknown']);
  });
});

describe('a what-if', () => {
  it('shows the flips against the decisions in force', async () => {
    await read([{ step: 1, pools: ['tt++----'] }], EXAMPLE);
    const found = ledger(0, {}, { penalty: 'typed' });
    expect(keptOf(found)).toBe('KKddKKdd');
    expect(found.rows.map(({ whatIf }) => whatIf?.kept)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(found.flips).toBe(4);
    expect(found.whatIf?.sums).toMatchObject({ kept: 4, meanPenalty: 0 });
  });

  it('supports a smaller pool, and the paper’s rule', async () => {
    await read([{ step: 1, pools: ['++ee----'] }], EXAMPLE);
    const smaller = ledger(0, {}, { groupSize: 6 });
    expect(smaller.rows.map(({ whatIf }) => whatIf?.isOutside === true)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    const paper = ledger(0, {}, { rule: 'paper' });
    expect(paper.flips).toBe(0);
    const inclusion = paper.rows.map(({ whatIf }) => whatIf?.inclusion ?? Number.NaN);
    expect(inclusion).toEqual([1, 1, 0, 0, 0.5, 0.5, 0.5, 0.5]);
    expect(paper.rows.every(({ whatIf }) => whatIf?.kept === undefined)).toBe(true);
    expect(paper.whatIf?.sums.kept).toBeCloseTo(4);
  });

  it('weighs length and repetition only if set', async () => {
    await read([{ step: 1, pools: ['2+++----'] }], EXAMPLE);
    const longer = ledger(0, {}, { settings: { length_weight: 1000, roc_error_ratio: false } });
    expect(longer.rows[0]?.whatIf).toMatchObject({ kept: false });
    expect(longer.rows[0]?.whatIf?.penalty).toBeGreaterThan(longer.rows[1]?.whatIf?.penalty ?? Number.NaN);
    const repeated = ledger(0, {}, { settings: { repetition_weight: 1 } });
    expect(repeated.rows[1]?.whatIf?.penalty).toBeGreaterThanOrEqual(0);
  });
});
