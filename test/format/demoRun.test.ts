/** Resample-on-Correct in the demo run, read from the library like the ledger. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getLedger } from '../../electron/roc/ledger.ts';
import { openReader } from '../../electron/storage/open.ts';
import type { GroupLedger, LedgerRow } from '../../shared/api/contract.ts';
import { groupAdvantages } from '../../shared/domain/advantage.ts';
import { ingestHere, rows, type Scratch, scratch } from '../support/library.ts';

const DEMO = join(import.meta.dirname, '..', '..', 'fixtures', 'demo', 'demo.jsonl');
/** Decided by the first week's release; `fixtures/demo/README.md` explains it. */
const DISAGREEING = 200;

interface StoredGroup {
  readonly step: number;
  readonly problem: string;
  readonly ledger: GroupLedger;
  /** Decisions of the same rules without the world size. */
  readonly uncut: GroupLedger;
}

let place: Scratch;
let groups: readonly StoredGroup[];
beforeAll(async () => {
  place = scratch();
  await ingestHere(place.library, [DEMO]);
  const stored = rows(
    place.library,
    `SELECT DISTINCT g.group_id, r.step, r.problem_id FROM rollout r JOIN run n USING (run_id) JOIN prompt_group g USING (group_id)
     WHERE n.kind = 'train' ORDER BY 1`,
  );
  const db = openReader(place.library);
  groups = stored.map((row) => {
    const request = { groupId: Number(row['group_id']), basis: {} };
    const ledger = getLedger(db, request);
    const uncut = getLedger(db, { ...request, basis: { settings: { world_size: 1 } } });
    if (ledger === undefined || uncut === undefined) throw new Error('a group without a ledger');
    return { step: Number(row['step']), problem: String(row['problem_id']), ledger, uncut };
  });
  db.close();
});
afterAll(() => place.remove());

function group(step: number, problem: string): StoredGroup {
  const found = groups.find((each) => each.step === step && each.problem === problem);
  if (found === undefined) throw new Error(`there is no ${problem} at step ${step}`);
  return found;
}

function rollout(step: number, problem: string, index: number): LedgerRow {
  const found = group(step, problem).ledger.rows.find(({ ordinal }) => ordinal === index);
  if (found === undefined) throw new Error(`there is no ${problem} #${index} at step ${step}`);
  return found;
}

const reasonsOf = ({ ledger }: StoredGroup): ReadonlySet<string | undefined> =>
  new Set(ledger.rows.map(({ logged }) => logged?.reason));
const withReason = ({ ledger }: StoredGroup, reason: string): readonly LedgerRow[] =>
  ledger.rows.filter(({ logged }) => logged?.reason === reason);

/**
 * Errors of one rollout's tool calls by the release's text rules and by typed outcomes, with the cause of the
 * difference.
 */
function errorsOf(row: LedgerRow): readonly unknown[] {
  const found = row.disagreements.find(({ part }) => part === 'pErr');
  return [row.penalties.text?.pErr, row.penalties.typed?.pErr, found?.causes.map(({ code }) => code)];
}

describe('the demo run', () => {
  it('has a decision for every rollout, with the penalties of its text', () => {
    const all = groups.flatMap(({ ledger }) => ledger.rows);
    expect([groups.length, all.length]).toEqual([57, 1821]);
    expect(all.filter(({ logged }) => logged?.kept === undefined)).toEqual([]);
    for (const { penalties } of all) {
      const { pErr = Number.NaN, pFormat = Number.NaN } = penalties.text ?? {};
      expect(penalties.logged).toEqual({ pErr, pFormat, penalty: pErr + pFormat });
    }
  });

  it('recomputes exactly as logged under its own configuration, but for one step', () => {
    for (const { step, problem, ledger } of groups) {
      expect(ledger.recomputed.basis).toMatchObject({
        rule: 'release',
        ruleSource: 'logged',
        penalty: 'text',
      });
      const isAsLogged = ledger.rows.every(({ logged, recomputed }) => {
        return logged?.kept === recomputed.kept && logged?.reason === recomputed.reason;
      });
      expect([step, problem, isAsLogged]).toEqual([step, problem, step !== DISAGREEING]);
    }
  });

  it('names the first week’s rule as the likely cause of that step, which names no rule itself', () => {
    const differing = groups.filter(({ ledger }) => ledger.differences.rows > 0);
    expect(differing.map(({ step, problem, ledger }) => [step, problem, ledger.differences.rows])).toEqual([
      [200, 'pairs-of-divisors', 4],
      [200, 'lattice-paths', 8],
      [200, 'digit-sum-multiples', 2],
      [200, 'minimal-square-error', 6],
      [200, 'expected-draws', 14],
    ]);
    for (const { ledger } of differing) {
      expect(ledger.differences.causes).toEqual([
        {
          code: 'other_rule',
          sentence:
            'The rule “release, first week” decides as logged: it keeps the incorrect rollouts of lowest penalty, not the first ones in rollout order.',
        },
      ]);
    }
    const rules = groups.map(({ step, ledger }) => [
      step === DISAGREEING,
      ...new Set(ledger.rows.map(({ logged }) => logged?.rule)),
    ]);
    expect(rules.filter(([isDisagreeing]) => isDisagreeing)).toEqual(Array(5).fill([true, undefined]));
    expect(rules.filter(([isDisagreeing]) => !isDisagreeing)).toEqual(Array(52).fill([false, 'release']));
  });

  it('has ties at the cut', () => {
    const { ledger } = group(50, 'pairs-of-divisors');
    expect(ledger.recomputed.cut).toEqual({ penalty: 0, kept: 8, discarded: 2 });
    const ties = ledger.rows.filter(({ recomputed }) => recomputed.isTie);
    expect(new Set(ties.map(({ logged }) => logged?.reason))).toEqual(
      new Set(['kept_positive_tie', 'discarded_positive_tie']),
    );
  });

  it('has timeouts and an exception the release counts as clean', () => {
    const timeout = rollout(0, 'minimal-square-error', 11);
    expect(errorsOf(timeout)).toEqual([0, 1, ['timeout_counted_clean']]);
    expect(timeout.logged?.reason).toBe('kept_positive_topk');
    const exception = rollout(100, 'minimal-square-error', 19);
    expect(errorsOf(exception)).toEqual([0, 0.5, ['exception_without_error']]);
    expect(exception.logged?.reason).toBe('kept_positive_topk');
  });

  it('has a printed "mean squared error" the release counts as an error, and discards for', () => {
    const printed = rollout(250, 'digit-sum-multiples', 24);
    expect(errorsOf(printed)).toEqual([1 / 3, 0, ['error_in_success']]);
    expect(printed.logged?.reason).toBe('discarded_positive_penalty');
    const [stored] = rows(
      place.library,
      `SELECT group_concat(s.text) AS text FROM segment s JOIN rollout USING (rollout_id)
       WHERE rollout_id = ${printed.rolloutId} AND s.kind = 'tool-response'`,
    );
    expect(stored?.['text']).toContain('Tool call success\nstdout: mean squared error 0.0');
  });

  it('has correct answers in a single turn without any tool, at the penalty 1.5', () => {
    const single = rollout(0, 'pairs-of-divisors', 2);
    expect(single.penalties).toMatchObject({ text: { pErr: 0.5, pFormat: 1 }, typed: { pFormat: 0 } });
    expect(single.penalties.logged?.penalty).toBe(1.5);
    expect(single.logged?.reason).toBe('discarded_positive_penalty');
    expect(single.disagreements.map(({ causes }) => causes.map(({ code }) => code))).toEqual([
      ['single_turn'],
    ]);
  });

  it('rejects groups of equal reward, all right and all wrong', () => {
    const rejected = groups.filter(({ ledger }) => ledger.recomputed.outcome === 'equal_reward');
    expect(rejected.map((each) => [each.step, each.problem, ...reasonsOf(each)])).toEqual([
      [0, 'expected-draws', 'discarded_equal_reward_all_wrong'],
      [50, 'expected-draws', 'discarded_equal_reward_all_wrong'],
      [100, 'expected-draws', 'discarded_equal_reward_all_wrong'],
      [380, 'pairs-of-divisors', 'discarded_equal_reward_all_correct'],
      [450, 'pairs-of-divisors', 'discarded_equal_reward_all_correct'],
    ]);
  });

  it('cuts rows for the world size only where rollouts were lost', () => {
    const short = groups.filter(({ ledger }) => ledger.rows.length < 32);
    expect(short.map(({ step, problem, ledger }) => [step, problem, ledger.rows.length])).toEqual([
      [50, 'lattice-paths', 30],
      [340, 'lattice-paths', 31],
    ]);
    const cut = groups.map((each) => ({ each, lost: withReason(each, 'discarded_world_size_truncation') }));
    expect(
      cut.flatMap(({ each, lost }) => {
        const wouldBeKept = lost.filter(({ ordinal }) => {
          return each.uncut.rows.some((row) => row.ordinal === ordinal && row.recomputed.kept === true);
        });
        const indices = (list: readonly LedgerRow[]) => list.map(({ ordinal }) => ordinal);
        return lost.length === 0 ? [] : [[each.step, each.problem, indices(lost), indices(wouldBeKept)]];
      }),
    ).toEqual([
      [50, 'minimal-square-error', [26, 27, 28, 29, 30, 31], [27, 28]],
      [340, 'expected-draws', [25, 26, 27, 28, 29, 30, 31], [25, 28, 29]],
    ]);
  });

  it('has advantages over the kept rows, and for no others', () => {
    const reward = new Map(
      rows(place.library, 'SELECT rollout_id, reward FROM rollout').map((row) => [
        row['rollout_id'],
        Number(row['reward']),
      ]),
    );
    for (const { ledger } of groups) {
      const kept = ledger.rows.filter(({ logged }) => logged?.kept);
      const advantages = groupAdvantages(kept.map(({ rolloutId }) => reward.get(rolloutId) ?? Number.NaN));
      kept.forEach(({ logged }, i) => {
        expect(logged?.advantage).toBeCloseTo(advantages[i] ?? Number.NaN, 4);
      });
      const others = ledger.rows.filter(({ logged }) => logged?.kept === false);
      expect(others.filter(({ logged }) => logged?.advantage !== undefined)).toEqual([]);
    }
  });
});
